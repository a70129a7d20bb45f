/* stat_views: the views that the display can turn to: those that are counted here, or those of a daemon. */
#pragma once

#include "stat_options.h"

#include <iotrace/view.h>

/* Returns view `index`, or NULL after the last. */
const struct view *stat_views_row(const struct stat_options *options, unsigned index);
