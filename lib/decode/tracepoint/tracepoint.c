/*
 * tracepoint: finds offsets and sizes of fields in format files.
 *
 * libtraceevent parses the text. The offset of each wanted field is checked to be within the largest possible sample.
 * libtraceevent only sees text that format.c has accepted as a list of fields, and only for tracepoints that iotrace uses.
 */
#include "tracepoint.h"

#include "format.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>

#define NUMBER(name)                                                                               \
	{                                                                                          \
		FIELD_NUMBER, name                                                                 \
	}
#define NUMBERS(name)                                                                              \
	{                                                                                          \
		FIELD_NUMBERS, name                                                                \
	}
#define STRING(name)                                                                               \
	{                                                                                          \
		FIELD_STRING, name                                                                 \
	}
#define ARGUMENTS                                                                                  \
	{                                                                                          \
		FIELD_ARGUMENTS, NULL                                                              \
	}
static const struct tracepoint_row rows[] = {
#define TRACEPOINT(system, name, decoder, use, ...)                                                \
	{system, name, decode_##decoder, use, {__VA_ARGS__}, 0},
#define BLOCK(name, decoder, step, ...)                                                            \
	{"block",                                                                                  \
	 name,                                                                                     \
	 decode_block_##decoder,                                                                   \
	 USE_ALWAYS,                                                                               \
	 {NUMBER("dev"), NUMBER("sector"), STRING("rwbs"), __VA_ARGS__},                           \
	 step},
#include "tracepoints.def"
#undef BLOCK
#undef TRACEPOINT
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

uint32_t tracepoint_rows(void)
{
	return ROWS;
}

const struct tracepoint_row *tracepoint_row(uint32_t index)
{
	return index < ROWS ? &rows[index] : NULL;
}

/* Returns the length of the text before the '*', or -1 if the name has none. */
static int prefix_length(const char *name)
{
	const char *star = strchr(name, '*');

	return star ? (int)(star - name) : -1;
}

/* Returns whether `names` ("new|old") contains the name. */
static bool has_name(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (strncmp(names, name, length) || (names[length] && names[length] != '|')) {
		names = strchr(names, '|');
		if (!names)
			return false;
		names++;
	}
	return true;
}

const struct tracepoint_row *tracepoint_row_find(const char *system, const char *name)
{
	uint32_t i;

	for (i = 0; i < ROWS; i++) {
		int prefix = prefix_length(rows[i].name);

		if (strcmp(rows[i].system, system))
			continue;
		if (prefix < 0 ? has_name(rows[i].name, name)
			       : !strncmp(rows[i].name, name, (size_t)prefix))
			return &rows[i];
	}
	return NULL;
}

/* The tracepoint that an error message is about. */
struct subject {
	const char *system, *name, *release;
};

static int refuse(const struct subject *subject, struct error *err, const char *what,
		  const char *field)
{
	error_say(err, EPROTO, "tracepoint %s:%s of Linux %s %s%s%s%s", subject->system,
		  subject->name, subject->release ? subject->release : "(version unknown)", what,
		  field ? " \"" : "", field ? field : "", field ? "\"" : "");
	error_hint(err,
		   "iotrace does not understand this kernel's format; please report it with "
		   "events/%s/%s/format.",
		   subject->system, subject->name);
	return -EPROTO;
}

static bool field_set(struct tracepoint *tp, struct field *field, enum field_shape shape,
		      const struct tep_format_field *from)
{
	bool is_usable = field_init(field, shape, from);

	if (is_usable && field->offset + field->size > tp->need)
		tp->need = (uint16_t)(field->offset + field->size);
	return is_usable;
}

/* Returns the field; "new|old" means that a kernel has one of the two. */
static const struct tep_format_field *find_field(struct tep_event *event, const char *names)
{
	char name[FORMAT_NAME_SIZE];

	for (; *names; names += strspn(names, "|")) {
		size_t length = strcspn(names, "|");
		const struct tep_format_field *from;

		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		from = tep_find_field(event, name);
		if (from)
			return from;
		names += length;
	}
	return NULL;
}

static int wanted_fields(struct tracepoint *tp, struct tep_event *event,
			 const struct subject *subject, struct error *err)
{
	uint32_t i;

	for (i = 0; i < TRACEPOINT_FIELDS && tp->row->field[i].name; i++) {
		const struct field_wanted *wanted = &tp->row->field[i];
		bool is_optional = *wanted->name == '?';
		const struct tep_format_field *from = find_field(event, wanted->name + is_optional);

		if (!from && is_optional)
			continue;
		if (!from)
			return refuse(subject, err, "has no field", wanted->name);
		if (!field_set(tp, &tp->field[i], wanted->shape, from))
			return refuse(subject, err, "has an unusable field", wanted->name);
	}
	return 0;
}

/* Returns whether the field __NAME_val has the characters that argument NAME points to. */
static bool is_value_of(const struct tep_format_field *field, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(field->name, "__", 2) && !strncmp(field->name + 2, name, length) &&
	       !strcmp(field->name + 2 + length, "_val");
}

/* Since Linux 6.19 the strings that arguments point to follow the arguments. */
static int path_field(struct tracepoint *tp, uint32_t path, const char *argument,
		      const struct tep_format_field *fields, const struct subject *subject,
		      struct error *err)
{
	const struct tep_format_field *from;

	for (from = fields; from; from = from->next) {
		if (!is_value_of(from, argument))
			continue;
		if (!field_set(tp, &tp->path[path], FIELD_STRING, from))
			return refuse(subject, err, "has an unusable field", from->name);
	}
	return 0;
}

/* The first field is the number of the call. Each argument follows in a field of its own, in order. */
static int call_fields(struct tracepoint *tp, struct tep_event *event,
		       const struct subject *subject, struct error *err)
{
	const struct call_row *call = call_row(tp->call);
	const struct tep_format_field *first = event->format.fields, *from;
	const char *name[EVENT_ARGS] = {NULL};
	struct field number;
	const int path[EVENT_PATHS] = {call->path, call->path2};
	uint32_t args = 0, i;
	int rc = 0;

	if (!first || strcmp(first->name, "__syscall_nr"))
		return refuse(subject, err, "has no field", "__syscall_nr");
	if (!field_set(tp, &number, FIELD_NUMBER, first))
		return refuse(subject, err, "has an unusable field", first->name);
	for (from = first->next; from && args < EVENT_ARGS; from = from->next) {
		if (from->flags & TEP_FIELD_IS_DYNAMIC)
			continue;
		if (!field_set(tp, &tp->arg[args], FIELD_NUMBER, from))
			return refuse(subject, err, "has an unusable field", from->name);
		name[args++] = from->name;
	}
	for (i = 0; i < EVENT_PATHS && !rc; i++) {
		if (path[i] < 0)
			continue;
		if ((uint32_t)path[i] >= args)
			return refuse(subject, err, "has too few fields for the arguments of",
				      call->name);
		rc = path_field(tp, i, name[path[i]], first->next, subject, err);
	}
	return rc;
}

static int fill(struct tracepoint *tp, struct tep_event *event, const struct subject *subject,
		struct error *err)
{
	if (tp->row->field[0].shape == FIELD_ARGUMENTS)
		return call_fields(tp, event, subject, err);
	return wanted_fields(tp, event, subject, err);
}

static int parse(struct tracepoint *tp, struct tep_handle *tep, const struct subject *subject,
		 const char *text, struct error *err)
{
	struct tep_event *event = NULL;

	if (tep_parse_format(tep, &event, text, strlen(text), subject->system) || !event ||
	    !event->name)
		return refuse(subject, err, "has a format that cannot be read", NULL);
	return fill(tp, event, subject, err);
}

/* Returns the row for the tracepoint, and the call that its '*' stands for; NULL if iotrace does not use the tracepoint. */
static const struct tracepoint_row *classify(struct tracepoint *tp, const char *system,
					     const char *name)
{
	const struct tracepoint_row *row = tracepoint_row_find(system, name);
	int prefix = row ? prefix_length(row->name) : -1;

	if (prefix < 0)
		return row;
	tp->call = call_by_name(name + prefix, strlen(name + prefix));
	return tp->call == CALL_ID_NONE ? NULL : row;
}

int tracepoint_init(struct tracepoint *tp, const char *system, const char *text, size_t size,
		    const char *release, struct error *err)
{
	struct subject subject = {system, NULL, release};
	struct tep_handle *tep;
	struct format format;
	char *fields;
	int rc;

	*tp = (struct tracepoint){.arch = arch_here(), .call = CALL_ID_NONE};
	if (format_init(&format, text, size))
		return error_say(err, EPROTO,
				 "a tracepoint format of %zu bytes is not a format file", size);
	subject.name = format.name;
	tp->id = format.id;
	tp->row = classify(tp, system, format.name);
	if (!tp->row)
		return 0;
	fields = format_fields_only(&format);
	if (!fields) {
		tp->row = NULL;
		return refuse(&subject, err, "has a format with a line that is not a field", NULL);
	}
	tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	rc = parse(tp, tep, &subject, fields, err);
	if (rc)
		tp->row = NULL;
	tep_free(tep);
	free(fields);
	return rc;
}
