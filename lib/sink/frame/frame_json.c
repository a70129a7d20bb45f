/* frame_json: a frame for programs: an object in one line. */
#include "frame_hang.h"

#include "books/json_text.h"

#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>

enum { NAME_MOST = 4096 };

static void add_real(json_object *to, const char *key, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", value);
	json_set(to, key, json_object_new_double_s(value, text));
}

static json_object *json_row(const struct frame_report *report, const struct frame_row *row)
{
	json_object *object = json_object_new_object();
	char *name = mem_alloc(NAME_MOST);
	size_t length = frame_name(report, row, name, NAME_MOST);
	struct frame_numbers n;

	frame_numbers(&n, report->frame, row);
	json_set(object, "name", json_bytes(name, length));
	json_set_number(object, "inflight", row->in_flight);
	json_set_number(object, "ops_total", row->total.ops);
	json_set_number(object, "read_bytes_total", row->total.read);
	json_set_number(object, "written_bytes_total", row->total.written);
	json_set_number(object, "errors_total", row->total.errors);
	add_real(object, "ops_per_s", n.ops);
	add_real(object, "read_bytes_per_s", n.read);
	add_real(object, "written_bytes_per_s", n.written);
	add_real(object, "svctm_us", n.service_us);
	add_real(object, "p50_us", n.p50_us);
	add_real(object, "p99_us", n.p99_us);
	add_real(object, "max_us", n.max_us);
	add_real(object, "util_percent", n.util);
	add_real(object, "errors_per_s", n.errors);
	add_real(object, "oldest_s", n.oldest_s);
	json_set_bool(object, "hang", row->is_hung);
	free(name);
	return object;
}

void frame_json(const struct frame_report *report, FILE *out)
{
	json_object *top = json_object_new_object(), *rows = json_object_new_array();
	json_object *hangs = json_object_new_array();

	for (uint32_t i = 0; i < report->frame->rows; i++)
		json_object_array_add(rows, json_row(report, report->frame->row[i]));
	json_set_number(top, "time_ns", report->frame->to + (uint64_t)report->realtime);
	add_real(top, "interval_s", frame_seconds(report->frame));
	json_set_word(top, "view", report->view);
	json_set(top, "rows", rows);
	if (!report->has_no_total)
		json_set(top, "total", json_row(report, report->frame->total));
	for (uint32_t i = 0; i < report->hangs; i++)
		json_object_array_add(hangs, frame_hang_json(report, &report->hang[i]));
	json_set(top, "hangs", hangs);
	json_print(out, top);
}
