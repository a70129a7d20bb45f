/* otf2_host: the number of this host, for the OTF2 library. */
#pragma once

#include <stdint.h>

/* Returns what the first file says in 4 bytes; else a digest of what the second one says, or of the host's name. */
uint32_t otf2_host_id(const char *hostid, const char *machine_id);
