/* frame_columns: the columns of a frame, in tables and on the interactive display. */
#pragma once

#include "print/page.h"

enum { NAME_LEAST = 16 };

enum { NAME, IN_FLIGHT, OPS, READ, WRITTEN, SERVICE, P50, P99, MAX, UTIL, ERRORS, OLDEST, CELLS };

/* A narrow terminal lacks the columns that matter least. */
static const struct page_column frame_column[CELLS] = {
	[NAME] = {NULL, -NAME_LEAST, 0, false},
	[IN_FLIGHT] = {"inflt", 6, 0, false},
	[OPS] = {"op/s", 10, 0, false},
	[READ] = {"read/s", 9, 70, false},
	[WRITTEN] = {"written/s", 10, 70, false},
	[SERVICE] = {"svctm/us", 10, 54, false},
	[P50] = {"p50", 9, 106, false},
	[P99] = {"p99", 9, 79, false},
	[MAX] = {"max", 9, 97, false},
	[UTIL] = {"%util", 8, 44, false},
	[ERRORS] = {"errors/s", 9, 115, false},
	[OLDEST] = {"oldest", 9, 88, false},
};

/* Titles of the columns that can have sums since the begin instead of rates; NULL: there is no sum. */
static const char *const frame_total_title[CELLS] = {
	[OPS] = "ops", [READ] = "read", [WRITTEN] = "written", [ERRORS] = "errors"};
