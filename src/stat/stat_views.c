/* stat_views: see stat_views.h. */
#include "stat_views.h"

static const struct view of_daemon[] = {
	{.name = "all"},    {.name = "device"}, {.name = "fs"},
	{.name = "fuse"},   {.name = "op"},     {.name = "process"},
	{.name = "thread"}, {.name = "user"},   {.name = "cgroup"},
};

const struct view *stat_views_row(const struct stat_options *options, unsigned index)
{
	if (!options->is_of_daemon)
		return view_row(index);
	return index < sizeof(of_daemon) / sizeof(*of_daemon) ? &of_daemon[index] : NULL;
}
