/*
 * otf2_use: regions and files are numbered in the order of their first use, and only those that are used are defined.
 */
#include "otf2.h"

#include <iotrace/cold.h>

OTF2_RegionRef otf2_region(struct sink *sink, call_id call)
{
	uint32_t *region = &sink->region_of_call[call];

	if (*region == ID_NONE) {
		sink->call_of_region[sink->regions] = call;
		*region = sink->regions++;
	}
	return *region;
}

OTF2_IoFileRef otf2_file(struct sink *sink, file_id file)
{
	COLD_GROW(&sink->ref_area, sink->ref_of_file, sink->ref_of_file_capacity, file + 1);
	if (!sink->ref_of_file[file]) {
		COLD_GROW(&sink->file_area, sink->file_of_ref, sink->file_of_ref_capacity,
			  sink->file_refs + 1);
		sink->file_of_ref[sink->file_refs++] = file;
		sink->ref_of_file[file] = sink->file_refs;
	}
	return sink->ref_of_file[file] - 1;
}
