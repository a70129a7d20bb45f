/* screen_history: see screen_history.h. */
#include "screen_history.h"

#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name)
{
	return hash_bytes(hash_key_of_process(), name, strlen(name));
}

/* Forgets rows that were idle in all intervals that are remembered. */
static void forget(struct screen_history *history)
{
	uint32_t kept = 0;

	map_clear(&history->of);
	for (uint32_t i = 0; i < history->rows; i++) {
		if (history->intervals - history->row[i].last >= HISTORY_LENGTH)
			continue;
		history->row[kept] = history->row[i];
		map_set(&history->of, history->row[kept].hash, kept);
		kept++;
	}
	history->rows = kept;
}

static struct history_row *row_of(struct screen_history *history, uint64_t hash)
{
	uint32_t index = map_get(&history->of, hash);

	if (index != MAP_NONE)
		return &history->row[index];
	if (history->rows == HISTORY_ROWS)
		return NULL;
	MEM_GROW(history->row, history->rows_cap, history->rows + 1);
	history->row[history->rows] = (struct history_row){.hash = hash};
	map_set(&history->of, hash, history->rows);
	return &history->row[history->rows++];
}

static void add(struct screen_history *history, const struct frame_line_row *row)
{
	static const enum frame_number number[HISTORY_VALUES] = {
		[HISTORY_OPS] = FRAME_OPS,
		[HISTORY_SERVICE_US] = FRAME_SERVICE_US,
		[HISTORY_UTIL] = FRAME_UTIL,
	};
	struct history_row *to = row_of(history, hash_of(row->name));
	uint32_t now = history->intervals, idle;

	if (!to)
		return;
	idle = now - to->last < HISTORY_LENGTH ? to->last + 1 : now - HISTORY_LENGTH + 1;
	for (int i = 0; i < HISTORY_VALUES; i++) {
		for (uint32_t at = idle; at < now; at++)
			to->value[i][at % HISTORY_LENGTH] = 0;
		to->value[i][now % HISTORY_LENGTH] = (float)row->number[number[i]];
	}
	to->last = now;
}

void history_add(struct screen_history *history, const struct frame_line *line)
{
	history->intervals++;
	if (history->rows == HISTORY_ROWS)
		forget(history);
	add(history, &line->total);
	for (uint32_t i = 0; i < line->rows && i < HISTORY_NEW; i++)
		if (line->row[i].number[FRAME_UTIL] > 0 || line->row[i].number[FRAME_OPS] > 0)
			add(history, &line->row[i]);
}

void history_get(const struct screen_history *history, const char *name, enum history_value which,
		 float *value, uint32_t count)
{
	uint32_t index = map_get(&history->of, hash_of(name)), now = history->intervals;
	const struct history_row *row = index == MAP_NONE ? NULL : &history->row[index];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t back = count - 1 - i;
		bool is_known = row && back < HISTORY_LENGTH && back < now &&
				now - back <= row->last &&
				row->last - (now - back) < HISTORY_LENGTH;

		value[i] = is_known ? row->value[which][(now - back) % HISTORY_LENGTH] : 0;
	}
}

void history_clear(struct screen_history *history)
{
	map_release(&history->of);
	free(history->row);
	*history = (struct screen_history){0};
}
