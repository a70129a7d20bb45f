/* stat_paths: see stat_paths.h. */
#include "stat_paths.h"

#include <iotrace/recording.h>

void stat_paths_open(struct stat_paths *paths, const struct recording *recording)
{
	const struct text_list *included = &recording->selection.paths,
			       *excluded = &recording->selection.excluded;

	for (uint32_t i = 0; i < included->count; i++)
		path_globs_add(&paths->globs, false, included->item[i]);
	for (uint32_t i = 0; i < excluded->count; i++)
		path_globs_add(&paths->globs, true, excluded->item[i]);
}

void stat_paths_close(struct stat_paths *paths)
{
	path_globs_release(&paths->globs);
	map_release(&paths->verdict);
}

bool stat_paths_want(struct stat_paths *paths, uint64_t group, const char *name)
{
	uint32_t verdict;

	if (!paths->globs.globs)
		return true;
	verdict = map_get(&paths->verdict, group);
	if (verdict != MAP_NONE)
		return verdict;
	verdict = path_globs_want(&paths->globs, name);
	map_set(&paths->verdict, group, verdict);
	return verdict;
}
