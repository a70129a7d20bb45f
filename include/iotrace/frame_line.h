/* frame_line: a line of JSON that frame_json() has written, read back. For displays, which get frames from another process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum frame_number {
#define NUMBER(id, key) FRAME_##id,
#include <iotrace/frame_line.def>
#undef NUMBER
	FRAME_NUMBERS
};

struct frame_line_row {
	char *name;                   /* safe for a terminal */
	double number[FRAME_NUMBERS]; /* units: see iotrace-stat(1) */
	bool is_hung;
	bool is_kept; /* it is shown even if it does nothing */
};

struct frame_line {
	uint64_t time;                     /* ns since 1970 */
	double interval;                   /* s */
	struct frame_line_row *row, total; /* the busiest first */
	uint32_t rows;
	char **hang; /* a sentence for each hang, safe for a terminal */
	uint32_t hangs;
};

/* Returns a frame that the caller frees with frame_line_free(), or NULL if the text is not the line of a frame. */
struct frame_line *frame_line_read(const char *text);
void frame_line_free(struct frame_line *line);
