/* otf2_use: numbers of regions and files, by their first use. */
#pragma once

#include "otf2_state.h"

/* Return the reference, which is defined at close. */
OTF2_RegionRef otf2_region(struct sink *sink, region_id region);
OTF2_IoFileRef otf2_file(struct sink *sink, file_id file);
