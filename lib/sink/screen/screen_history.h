/*
 * screen_history: what each row did in the last intervals.
 *
 * Rows are known by their names. At most HISTORY_ROWS of them are remembered, each with HISTORY_LENGTH intervals: 8 MB. A row that
 * was idle for so long is forgotten.
 */
#pragma once

#include <iotrace/frame_line.h>
#include <iotrace/map.h>

enum { HISTORY_LENGTH = 240, HISTORY_ROWS = 4096, HISTORY_NEW = 1000 };

enum history_value { HISTORY_OPS, HISTORY_SERVICE_US, HISTORY_UTIL, HISTORY_VALUES };

struct history_row {
	uint64_t hash;
	uint32_t last; /* number of the latest interval */
	float value[HISTORY_VALUES][HISTORY_LENGTH];
};

struct screen_history {
	struct map of; /* hash of the name -> index */
	struct history_row *row;
	uint32_t rows, rows_cap;
	uint32_t intervals;
};

void history_add(struct screen_history *history, const struct frame_line *line);
/* Writes the values of a row in the last `count` intervals, the latest last; 0 where nothing is known. */
void history_get(const struct screen_history *history, const char *name, enum history_value which,
		 float *value, uint32_t count);
void history_clear(struct screen_history *history);
