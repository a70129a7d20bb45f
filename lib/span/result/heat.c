/*
 * heat: counts of spans by time and duration, in a map of limited size. See <iotrace/latency.h>.
 *
 * The first column begins at the end of the first span, rounded down to a multiple of the step, which is a power of two. Earlier
 * times, which occur if locations are not in order, count in the first column.
 */
#include <iotrace/latency.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t first_step = 1 << 20; /* about a millisecond */

/* Two rows for each power of two: from 2^k, and from 1.5 * 2^k. */
static uint32_t row_of(uint64_t latency)
{
	uint32_t octave;

	if (latency < 2)
		return (uint32_t)latency;
	octave = 63 - (uint32_t)__builtin_clzll(latency);
	return octave * HEAT_OCTAVE + (uint32_t)(latency >> (octave - 1) & 1);
}

uint64_t heat_from(uint32_t row)
{
	uint32_t octave = row / HEAT_OCTAVE;

	if (row < HEAT_OCTAVE)
		return row;
	return ((uint64_t)1 << octave) + (row % HEAT_OCTAVE ? (uint64_t)1 << (octave - 1) : 0);
}

uint64_t heat_to(uint32_t row)
{
	return row + 1 < HEAT_ROWS ? heat_from(row + 1) - 1 : UINT64_MAX;
}

static void merge_columns(struct latency_heat *heat)
{
	uint32_t columns = (heat->columns + 1) / 2;

	for (uint32_t column = 0; column < columns; column++)
		for (uint32_t row = 0; row < heat->rows; row++) {
			uint32_t *to = &heat->cell[column * heat->rows + row];
			uint32_t sum = heat->cell[2 * column * heat->rows + row];

			if (2 * column + 1 < heat->columns)
				sum += heat->cell[(2 * column + 1) * heat->rows + row];
			*to = sum;
		}
	memset(&heat->cell[columns * heat->rows], 0,
	       (size_t)(HEAT_COLUMNS - columns) * heat->rows * sizeof(*heat->cell));
	heat->columns = columns;
	heat->step *= 2;
}

/* Makes room for a row, and for some more in the same direction. */
static void reach_row(struct latency_heat *heat, uint32_t row)
{
	uint32_t first = heat->first, end = heat->first + heat->rows, rows;
	uint32_t *cell;

	if (heat->rows && row >= first && row < end)
		return;
	if (!heat->rows) {
		first = row;
		end = row + 1;
	} else if (row < first) {
		first = row;
	} else {
		end = row + 1;
	}
	rows = end - first;
	cell = mem_array((size_t)HEAT_COLUMNS * rows, sizeof(*cell));
	for (uint32_t column = 0; column < heat->columns; column++)
		memcpy(&cell[column * rows + (heat->rows ? heat->first - first : 0)],
		       &heat->cell[column * heat->rows], heat->rows * sizeof(*cell));
	free(heat->cell);
	heat->cell = cell;
	heat->first = first;
	heat->rows = rows;
}

void heat_add(struct latency_heat *heat, uint64_t time, uint64_t latency)
{
	uint32_t row = row_of(latency);
	uint64_t column;

	if (!heat->step) {
		heat->step = first_step;
		heat->start = time;
	}
	column = time > heat->start ? (time - heat->start) / heat->step : 0;
	while (column >= HEAT_COLUMNS) {
		merge_columns(heat);
		column = (time - heat->start) / heat->step;
	}
	reach_row(heat, row);
	if (column >= heat->columns)
		heat->columns = (uint32_t)column + 1;
	heat->cell[column * heat->rows + row - heat->first]++;
}

uint32_t heat_cell(const struct latency_heat *heat, uint32_t column, uint32_t row)
{
	if (row < heat->first || row >= heat->first + heat->rows || column >= heat->columns)
		return 0;
	return heat->cell[column * heat->rows + row - heat->first];
}

void heat_release(struct latency_heat *heat)
{
	free(heat->cell);
	*heat = (struct latency_heat){0};
}
