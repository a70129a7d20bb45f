/* frame_hang: what hangs: who waits, for what, since when, and where in the kernel. */
#include "frame_hang.h"

#include "books/json_text.h"
#include "print/summary_name.h"

#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096, HANGS_SHOWN = 10, STACK_SHOWN = 16 };

static double age_of(const struct frame_report *report, const struct frame_hang *hang)
{
	uint64_t now = report->frame->to;

	return now > hang->seen.begin ? (double)(now - hang->seen.begin) / 1e9 : 0;
}

static json_object *json_text_of(const char *text)
{
	return text && *text ? json_bytes(text, strlen(text)) : NULL;
}

/* Skips the "[<0>] " in "[<0>] request_wait_answer+0x12a/0x210". Returns the length of the rest of the line. */
static size_t frame_at(const char **line)
{
	const char *name = *line;
	size_t length = strcspn(name, "\n");

	if (*name == '[') {
		size_t head = strcspn(name, " \n");

		name += head + (name[head] == ' ');
		length -= (size_t)(name - *line);
	}
	*line = name;
	return length;
}

static json_object *json_stack(const char *stack)
{
	json_object *lines = json_object_new_array();

	while (stack && *stack) {
		size_t length = frame_at(&stack);

		if (length)
			json_object_array_add(lines, json_bytes(stack, length));
		stack += length + (stack[length] == '\n');
	}
	return lines;
}

static const char *comm_of(const struct frame_report *report, const struct frame_hang *hang)
{
	const char *comm = report->engine ? span_engine_comm(report->engine, &hang->seen) : "";

	return *comm ? comm : hang->comm ? hang->comm : "";
}

size_t frame_hang_key(const struct frame_report *report, const struct span_seen *seen, char *text,
		      size_t size)
{
	*text = '\0';
	return seen->is_unseen || (report->name && !report->has_keys)
		       ? 0
		       : span_engine_key(report->engine, seen, text, size);
}

json_object *frame_hang_json(const struct frame_report *report, const struct frame_hang *hang)
{
	const char *comm = comm_of(report, hang);
	json_object *object = json_object_new_object();
	char *text = mem_alloc(NAME_MOST);
	size_t length = frame_group_name(report, hang->seen.group, text, NAME_MOST);
	char age[40];

	json_set_word(object, "view", report->view);
	json_set(object, "name", json_bytes(text, length));
	length = frame_hang_key(report, &hang->seen, text, NAME_MOST);
	json_set(object, "key", length ? json_bytes(text, length) : NULL);
	json_set_number(object, "pid", hang->seen.pid);
	json_set_number(object, "tid", hang->seen.tid);
	json_set(object, "comm", json_text_of(comm));
	json_set(object, "user", json_text_of(hang->user));
	json_set(object, "group", json_text_of(hang->group));
	json_set(object, "call", json_text_of(hang->call));
	json_set(object, "file", json_text_of(hang->file));
	json_set(object, "to", json_text_of(hang->to));
	json_set_number(object, "begun_ns", hang->seen.begin + (uint64_t)report->realtime);
	snprintf(age, sizeof(age), "%.3f", age_of(report, hang));
	json_set(object, "age_s", json_object_new_double_s(age_of(report, hang), age));
	json_set(object, "wchan", json_text_of(hang->wchan));
	json_set(object, "stack", json_stack(hang->stack));
	free(text);
	return object;
}

char *frame_hang_line(const struct frame_report *report, const struct frame_hang *hang)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return mem_strdup("");
	json_print(out, frame_hang_json(report, hang));
	fclose(out);
	return line;
}

/* Returns the text, cut to what is left of a line on a terminal. The caller frees it. */
static char *fitting(const struct frame_report *report, const char *text, size_t indent)
{
	size_t room = report->columns > indent ? report->columns - indent : 0;

	return summary_cut(text, report->columns ? room : 0, 8);
}

static void put_line(const struct frame_report *report, const char *text, size_t indent, FILE *out)
{
	char *safe = summary_escape(text, strlen(text)), *cut = fitting(report, safe, indent);

	fprintf(out, "%*s%s\n", (int)indent, "", cut);
	free(cut);
	free(safe);
}

static uint32_t put_stack(const struct frame_report *report, const char *stack, FILE *out)
{
	uint32_t lines = 0;

	while (stack && *stack && lines < STACK_SHOWN) {
		size_t length = frame_at(&stack);
		char *line = mem_format("%.*s", (int)length, stack);

		put_line(report, line, 6, out);
		lines++;
		free(line);
		stack += length + (stack[length] == '\n');
	}
	return lines;
}

/* " (read of /mnt/x)", " (rename of /mnt/x to /mnt/y)", or "". The caller frees it. */
static char *call_text(const struct frame_hang *hang)
{
	if (!hang->call)
		return mem_strdup("");
	return mem_format(" (%s%s%s%s%s)", hang->call, hang->file ? " of " : "",
			  hang->file ? hang->file : "", hang->to ? " to " : "",
			  hang->to ? hang->to : "");
}

static uint32_t put_hang(const struct frame_report *report, const struct frame_hang *hang,
			 FILE *out)
{
	const char *comm = comm_of(report, hang);
	bool is_known = hang->wchan && *hang->wchan;
	uint32_t thread = hang->seen.tid ? hang->seen.tid : hang->seen.pid;
	char group[NAME_MOST], key[NAME_MOST], *call = call_text(hang), *text, *by;

	frame_group_name(report, hang->seen.group, group, sizeof(group));
	frame_hang_key(report, &hang->seen, key, sizeof(key));
	by = hang->seen.is_unseen ? mem_strdup("")
				  : mem_format(" by %s(%u)", *comm ? comm : "?", thread);
	text = mem_format("! %s%.1f s: %s%s%s%s%s%s%s%s%s%s%s",
			  hang->seen.is_unseen ? "more than " : "", age_of(report, hang), group,
			  *key ? " " : "", key, by, hang->user ? " of " : "",
			  hang->user ? hang->user : "", hang->group ? ":" : "",
			  hang->group ? hang->group : "", call, is_known ? ", in " : "",
			  is_known ? hang->wchan : "");
	put_line(report, text, 1, out);
	free(by);
	free(call);
	free(text);
	return 1 + put_stack(report, hang->stack, out);
}

uint32_t frame_hangs_text(const struct frame_report *report, FILE *out)
{
	uint32_t shown = report->hangs < HANGS_SHOWN ? report->hangs : HANGS_SHOWN, lines = 0;

	for (uint32_t i = 0; i < shown; i++)
		lines += put_hang(report, &report->hang[i], out);
	if (shown == report->hangs)
		return lines;
	fprintf(out, " ! %u more\n", report->hangs - shown);
	return lines + 1;
}
