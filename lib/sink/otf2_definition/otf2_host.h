/* otf2_host: the number of this host, for the OTF2 library. */
#pragma once

#include <stdint.h>

/* Returns the 4 bytes of the first file; without it, a hash of the second file; without both, a hash of the host's name. */
uint32_t otf2_host_id(const char *hostid, const char *machine_id);
