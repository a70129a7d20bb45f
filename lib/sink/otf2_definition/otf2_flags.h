/* otf2_flags: converts O_* flags to those of OTF2. */
#pragma once

#include <otf2/otf2.h>
#include <stdint.h>

OTF2_IoAccessMode otf2_access_mode(uint32_t flags);
OTF2_IoCreationFlag otf2_creation_flags(uint32_t flags);
OTF2_IoStatusFlag otf2_status_flags(uint32_t flags);
