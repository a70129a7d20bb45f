/* frame_line: see <iotrace/frame_line.h>. */
#include "print/summary_name.h"

#include <iotrace/frame_line.h>
#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[FRAME_NUMBERS] = {
#define NUMBER(id, key) [FRAME_##id] = key,
#include <iotrace/frame_line.def>
#undef NUMBER
};

static const char *text_of(json_object *object, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(object, key));

	return text ? text : "";
}

static char *safe_text(json_object *object, const char *key)
{
	const char *text = text_of(object, key);

	return summary_escape(text, strlen(text));
}

static void read_row(struct frame_line_row *row, json_object *object)
{
	row->name = safe_text(object, "name");
	row->is_hung = json_object_get_boolean(json_object_object_get(object, "hang"));
	row->is_kept = json_object_get_boolean(json_object_object_get(object, "kept"));
	for (int i = 0; i < FRAME_NUMBERS; i++)
		row->number[i] = json_object_get_double(json_object_object_get(object, keys[i]));
}

/* "4711 dd (root) waits for 12.3 s: read(0) (read of /mnt/x), in pipe_read" */
static char *hang_of(json_object *object)
{
	char *comm = safe_text(object, "comm"), *name = safe_text(object, "name");
	char *user = safe_text(object, "user"), *wchan = safe_text(object, "wchan");
	char *call = safe_text(object, "call"), *file = safe_text(object, "file");
	char *to = safe_text(object, "to"), *key = safe_text(object, "key"), *text;
	const char *thread = text_of(object, "tid");

	if (!strcmp(thread, "0"))
		thread = text_of(object, "pid");
	text = mem_format("%s %s%s%s%s waits for %.1f s: %s", thread, comm, *user ? " (" : "", user,
			  *user ? ")" : "",
			  json_object_get_double(json_object_object_get(object, "age_s")), name);
	if (*key)
		mem_append(&text, " %s", key);
	if (*call)
		mem_append(&text, " (%s%s%s%s%s)", call, *file ? " of " : "", file,
			   *to ? " to " : "", to);
	if (*wchan)
		mem_append(&text, ", in %s", wchan);
	free(comm);
	free(name);
	free(user);
	free(wchan);
	free(call);
	free(file);
	free(to);
	free(key);
	return text;
}

static void read_rows(struct frame_line *line, json_object *rows)
{
	line->rows = (uint32_t)json_object_array_length(rows);
	line->row = mem_array(line->rows + 1, sizeof(*line->row));
	for (uint32_t i = 0; i < line->rows; i++)
		read_row(&line->row[i], json_object_array_get_idx(rows, i));
}

static void read_hangs(struct frame_line *line, json_object *hangs)
{
	line->hangs = (uint32_t)json_object_array_length(hangs);
	line->hang = mem_array(line->hangs + 1, sizeof(*line->hang));
	for (uint32_t i = 0; i < line->hangs; i++)
		line->hang[i] = hang_of(json_object_array_get_idx(hangs, i));
}

struct frame_line *frame_line_read(const char *text)
{
	json_object *top = json_tokener_parse(text);
	json_object *rows = json_object_object_get(top, "rows");
	json_object *hangs = json_object_object_get(top, "hangs");
	struct frame_line *line = NULL;

	if (json_object_is_type(rows, json_type_array) &&
	    json_object_is_type(hangs, json_type_array)) {
		line = mem_zero(sizeof(*line));
		line->time = json_object_get_uint64(json_object_object_get(top, "time_ns"));
		line->interval = json_object_get_double(json_object_object_get(top, "interval_s"));
		read_rows(line, rows);
		read_row(&line->total, json_object_object_get(top, "total"));
		read_hangs(line, hangs);
	}
	json_object_put(top);
	return line;
}

void frame_line_free(struct frame_line *line)
{
	if (!line)
		return;
	for (uint32_t i = 0; i < line->rows; i++)
		free(line->row[i].name);
	for (uint32_t i = 0; i < line->hangs; i++)
		free(line->hang[i]);
	free(line->total.name);
	free(line->row);
	free(line->hang);
	free(line);
}
