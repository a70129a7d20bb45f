/*
 * otf2_use: numbers regions and files in the order of their first use; only used ones are defined.
 */
#include "otf2_use.h"

#include <iotrace/cold.h>
#include <iotrace/mem.h>

OTF2_RegionRef otf2_region(struct sink *sink, region_id region)
{
	MEM_GROW(sink->ref_of_region, sink->ref_of_region_capacity, region + 1);
	if (!sink->ref_of_region[region]) {
		MEM_GROW(sink->region_of_ref, sink->region_of_ref_capacity, sink->regions + 1);
		sink->region_of_ref[sink->regions++] = region;
		sink->ref_of_region[region] = sink->regions;
	}
	return sink->ref_of_region[region] - 1;
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
