/*
 * frame_json: a frame for programs: an object in one line.
 *
 * There may be thousands of rows each second, most of which do nothing, so they are printed without building objects.
 */
#include "frame_hang.h"

#include "books/json_text.h"

#include <iotrace/mem.h>
#include <json.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096, DIGITS_MOST = 20, BASE = 10, PARTS = 1000 };

static const double whole_most = 1e15; /* a part of a thousand is exact below this */

static const struct {
	const char *key;
	size_t at;
} count_of[] =
	{
		{"ops_total", offsetof(struct frame_row, total.ops)},
		{"read_bytes_total", offsetof(struct frame_row, total.read)},
		{"written_bytes_total", offsetof(struct frame_row, total.written)},
		{"errors_total", offsetof(struct frame_row, total.errors)},
},
  real_of[] = {
	  {"ops_per_s", offsetof(struct frame_numbers, ops)},
	  {"read_bytes_per_s", offsetof(struct frame_numbers, read)},
	  {"written_bytes_per_s", offsetof(struct frame_numbers, written)},
	  {"svctm_us", offsetof(struct frame_numbers, service_us)},
	  {"p50_us", offsetof(struct frame_numbers, p50_us)},
	  {"p99_us", offsetof(struct frame_numbers, p99_us)},
	  {"max_us", offsetof(struct frame_numbers, max_us)},
	  {"util_percent", offsetof(struct frame_numbers, util)},
	  {"errors_per_s", offsetof(struct frame_numbers, errors)},
	  {"oldest_s", offsetof(struct frame_numbers, oldest_s)},
};

static void put_text(FILE *out, const char *text)
{
	fputs_unlocked(text, out);
}

static void put_key(FILE *out, const char *key)
{
	put_text(out, ",\"");
	put_text(out, key);
	put_text(out, "\":");
}

/* Prints at least this many digits. */
static void put_digits(FILE *out, uint64_t number, int least)
{
	char text[DIGITS_MOST + 1], *at = text + DIGITS_MOST;

	*at = '\0';
	do {
		*--at = (char)('0' + number % BASE);
		number /= BASE;
	} while (--least > 0 || number);
	put_text(out, at);
}

/* The same as "%.3f", in a tenth of the time. */
static void put_real(FILE *out, double value)
{
	uint64_t parts;

	if (!(value >= 0 && value < whole_most)) {
		fprintf(out, "%.3f", value);
		return;
	}
	parts = (uint64_t)(value * PARTS + 0.5);
	put_digits(out, parts / PARTS, 1);
	put_text(out, ".");
	put_digits(out, parts % PARTS, 3);
}

static void put_name(const struct frame_report *report, const struct frame_row *row, FILE *out)
{
	char *name = mem_alloc(NAME_MOST);

	json_print_string(out, name, frame_name(report, row, name, NAME_MOST));
	free(name);
}

static void put_row(const struct frame_report *report, const struct frame_row *row, FILE *out)
{
	struct frame_numbers n;

	frame_numbers(&n, report->frame, row);
	put_text(out, "{\"name\":");
	put_name(report, row, out);
	put_key(out, "inflight");
	put_digits(out, row->in_flight, 1);
	for (size_t i = 0; i < sizeof(count_of) / sizeof(*count_of); i++) {
		put_key(out, count_of[i].key);
		put_digits(out, *(const uint64_t *)((const char *)row + count_of[i].at), 1);
	}
	for (size_t i = 0; i < sizeof(real_of) / sizeof(*real_of); i++) {
		put_key(out, real_of[i].key);
		put_real(out, *(const double *)((const char *)&n + real_of[i].at));
	}
	put_text(out, row->is_hung ? ",\"hang\":true" : ",\"hang\":false");
	put_text(out, row->is_kept ? ",\"kept\":true}" : "}");
}

static void put_rows(const struct frame_report *report, FILE *out)
{
	put_key(out, "rows");
	put_text(out, "[");
	for (uint32_t i = 0; i < report->frame->rows; i++) {
		put_text(out, i ? "," : "");
		put_row(report, report->frame->row[i], out);
	}
	put_text(out, "]");
}

static json_object *hangs_of(const struct frame_report *report)
{
	json_object *hangs = json_object_new_array();

	for (uint32_t i = 0; i < report->hangs; i++)
		json_object_array_add(hangs, frame_hang_json(report, &report->hang[i]));
	return hangs;
}

void frame_json(const struct frame_report *report, FILE *out)
{
	put_text(out, "{\"time_ns\":");
	put_digits(out, report->frame->to + (uint64_t)report->realtime, 1);
	put_key(out, "interval_s");
	put_real(out, frame_seconds(report->frame));
	put_key(out, "view");
	json_print_string(out, report->view, strlen(report->view));
	put_rows(report, out);
	if (!report->has_no_total) {
		put_key(out, "total");
		put_row(report, report->frame->total, out);
	}
	put_key(out, "hangs");
	json_print_part(out, hangs_of(report));
	put_text(out, "}\n");
}
