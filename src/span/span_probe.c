/*
 * span_probe: each event of a span that is a probe becomes a tracepoint of the kernel. Each of its fields becomes an argument of
 * that tracepoint, with a name that the kernel accepts. All other code treats it as any other tracepoint.
 *
 * The return of a function has only its result. Other fields are fetched by another probe at its entry.
 */
#include "span_probe.h"

#include "path/probe_path.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/probe_spec.h>
#include <iotrace/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 16, EVENT_NAME_MOST = 40 };

/* A point of a span whose probe is being searched. */
struct probe_search {
	struct span *span;
	struct recording *recording;
	char *const *command;
	struct span_point *point;
	struct probe_spec spec;
	struct program *program;
	char *path;
	int fd;
	const char *field[FIELDS]; /* as the user wrote them */
	uint32_t fields;
	char *event; /* name of the new tracepoint */
	bool is_entry;
	struct error *err;
	int code;
};

static int fail(struct probe_search *p, int code)
{
	p->code = code;
	return code;
}

/* Names of events consist of letters, digits and '_', and are unique. */
static char *name_event(const struct probe_search *p)
{
	const char *name = p->spec.is_marker ? p->spec.name : p->spec.symbol;
	char *event = mem_format("iotrace_%d:%.*s%s%s_%u", (int)getpid(), EVENT_NAME_MOST,
				 isdigit((unsigned char)*name) ? "at_" : "", name,
				 p->spec.is_return && !p->is_entry ? "_return" : "",
				 p->recording->probes.count);

	for (char *at = strchr(event, ':') + 1; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	return event;
}

/* Returns whether the field belongs to this event. A field that the user gave for the other side does not. */
static bool is_of_event(const struct probe_search *p, const struct probe_field *field)
{
	if (p->spec.is_return)
		return p->is_entry ? field->argument : !field->argument;
	return field->argument;
}

static char *fetch(struct probe_search *p, const struct probe_field *field, const char *words)
{
	char type[PROBE_TYPE_SIZE] = "u64", name[PROBE_NAME_SIZE], *base = NULL, *fetched, *text;
	const char *operand = "$retval";

	if (!field->argument) {
		memcpy(type, "s64", sizeof("s64"));
	} else if (p->spec.is_marker) {
		operand = base = program_operand(words, field->argument, type, p->err);
	} else {
		operand = program_register(field->argument);
		if (!operand)
			error_say(p->err, EINVAL,
				  "arg%u: only the first 6 arguments of a function can be fetched",
				  field->argument);
	}
	if (!operand) {
		fail(p, -p->err->code);
		return mem_strdup("");
	}
	if (field->depth)
		memcpy(type, "u64", sizeof("u64"));
	fetched = probe_field_fetch(field, operand, type);
	probe_field_name(field, name);
	text = mem_format("%s=%s", name, fetched);
	free(fetched);
	free(base);
	return text;
}

/* Returns "NAME=FETCH:TYPE ..." for all fields of this event. */
static char *fetch_all(struct probe_search *p, const char *words)
{
	char *all = mem_strdup("");

	for (uint32_t i = 0; i < p->fields && !p->code; i++) {
		struct probe_field field;
		char *text;

		if (probe_field_parse(&field, p->field[i], NULL) || !is_of_event(p, &field))
			continue;
		text = fetch(p, &field, words);
		mem_append(&all, "%s%s", *all ? " " : "", text);
		free(text);
	}
	return all;
}

static void add_probe(void *context, const struct probe_point *point)
{
	struct probe_search *p = context;
	struct recording_probes *probes = &p->recording->probes;
	char *fields = fetch_all(p, point->words);

	MEM_GROW(probes->item, probes->cap, probes->count + 1);
	probes->item[probes->count++] = (struct recording_probe){
		.event = mem_strdup(p->event),
		.text = mem_strdup(p->point->event),
		.is_return = p->spec.is_return && !p->is_entry,
		.fd = dup(p->fd),
		.offset = point->offset,
		.semaphore = point->semaphore,
		.fields = fields,
	};
}

/* Creates one tracepoint. Returns its name, to be freed. */
static char *add_event(struct probe_search *p)
{
	struct probe_point point;
	int code;

	p->event = name_event(p);
	if (p->spec.is_marker) {
		code = program_markers(p->program, p->spec.symbol, p->spec.name, add_probe, p,
				       p->err);
	} else {
		code = program_function(p->program, p->spec.symbol, &point, p->err);
		if (!code)
			add_probe(p, &point);
	}
	if (code < 0)
		fail(p, code);
	return p->event;
}

static int refuse_side(const struct probe_search *p, const struct probe_field *field,
		       const char *text)
{
	if (!field->argument && !p->spec.is_return)
		return error_say(p->err, EINVAL,
				 "'%s' is known only when the function returns: write %s%%return",
				 text, p->point->event);
	return 0;
}

/* A group or a size may be a field of the other side only. */
static int take_field(struct probe_search *p, const char *text, bool is_needed)
{
	struct probe_field field;
	int code;

	if (!text || span_is_of_task(text))
		return 0;
	code = probe_field_parse(&field, text, p->err);
	if (!code && is_needed)
		code = refuse_side(p, &field, text);
	if (code)
		return code;
	for (uint32_t i = 0; i < p->fields; i++)
		if (!strcmp(p->field[i], text))
			return 0;
	if (p->fields == FIELDS)
		return error_say(p->err, E2BIG, "more than %d fields of %s", FIELDS,
				 p->point->event);
	p->field[p->fields++] = text;
	return 0;
}

/* A group or a size is that of the begin, if the begin has it. Then the end need not fetch it. */
static int take_value(struct probe_search *p, const char *text)
{
	const struct span_point *begin = &p->span->side[SPAN_BEGIN];
	struct probe_field field;

	if (p->point != begin && begin->is_probe && !begin->other && text &&
	    !probe_field_parse(&field, text, NULL) && (field.argument || begin->is_return))
		return 0;
	return take_field(p, text, false);
}

static int take_fields(struct probe_search *p)
{
	struct span_point *point = p->point;
	int code = 0;

	for (uint32_t i = 0; i < point->keys && !code; i++)
		code = take_field(p, point->key[i], true);
	for (uint32_t i = 0; i < point->tests && !code; i++)
		code = take_field(p, point->test[i].field, true);
	if (!code)
		code = take_value(p, p->span->group);
	if (!code)
		code = take_value(p, p->span->size);
	return code ? code : take_field(p, p->span->result, false);
}

/* Whether some of the fields are known only at the entry. */
static bool needs_entry(const struct probe_search *p)
{
	struct probe_field field;

	for (uint32_t i = 0; i < p->fields && p->spec.is_return; i++)
		if (!probe_field_parse(&field, p->field[i], NULL) && field.argument)
			return true;
	return false;
}

/* Replaces the user's name of a field by that of the kernel. Returns the user's name, or NULL. */
static char *rename_field(char **name)
{
	struct probe_field field;
	char *old = *name;

	if (!old || span_is_of_task(old) || probe_field_parse(&field, old, NULL))
		return NULL;
	*name = mem_zero(PROBE_NAME_SIZE);
	probe_field_name(&field, *name);
	return old;
}

static void rename_fields(struct span_point *point)
{
	for (uint32_t i = 0; i < point->keys; i++)
		point->key_text[i] = rename_field(&point->key[i]);
	for (uint32_t i = 0; i < point->tests; i++)
		free(rename_field(&point->test[i].field));
}

static int open_program(struct probe_search *p)
{
	int code = probe_spec_parse(&p->spec, p->point->event, p->err);

	p->fd = code ? -1
		     : probe_path_open(p->spec.path, p->recording, p->command, &p->path, p->err);
	if (code || p->fd < 0)
		return code ? code : p->fd;
	p->program = program_open(p->fd, p->path, p->err);
	return p->program ? 0 : -p->err->code;
}

static int find_probe(struct probe_search *p)
{
	int code = open_program(p);
	char *entry = NULL, *event = NULL;

	if (!code)
		code = take_fields(p);
	if (!code && needs_entry(p)) {
		p->is_entry = true;
		entry = add_event(p);
		p->is_entry = false;
	}
	if (!code && !p->code)
		event = add_event(p);
	if (code || p->code) {
		free(entry);
		free(event);
		return code ? code : p->code;
	}
	free(p->point->event);
	p->point->event = event;
	p->point->entry = entry;
	p->point->is_probe = p->span->has_probes = true;
	p->point->is_return = p->spec.is_return;
	rename_fields(p->point);
	return 0;
}

static int find_point(struct span *span, struct span_point *point, struct recording *recording,
		      char *const *command, struct error *err)
{
	struct probe_search p = {.span = span,
				 .recording = recording,
				 .command = command,
				 .point = point,
				 .fd = -1,
				 .err = err};
	int code = find_probe(&p);

	if (p.fd >= 0)
		close(p.fd);
	program_close(p.program);
	probe_spec_release(&p.spec);
	free(p.path);
	return code ? error_wrap(err, "span '%s'", span->name) : 0;
}

bool span_wants_probes(const struct span *span)
{
	for (int side = 0; side < SPAN_SIDES; side++)
		for (const struct span_point *point = &span->side[side]; point && point->event;
		     point = point->other)
			if (probe_spec_is(point->event))
				return true;
	return false;
}

static int find_points(struct span *span, struct recording *recording, char *const *command,
		       struct error *err)
{
	int code = 0;

	for (int side = 0; side < SPAN_SIDES; side++)
		for (struct span_point *point = &span->side[side]; point && point->event && !code;
		     point = point->other)
			if (probe_spec_is(point->event))
				code = find_point(span, point, recording, command, err);
	return code;
}

/* Forgets the probes after the first `count`. */
static void drop_probes(struct recording_probes *probes, uint32_t count)
{
	while (probes->count > count) {
		struct recording_probe *probe = &probes->item[--probes->count];

		close(probe->fd);
		free(probe->event);
		free(probe->text);
		free(probe->fields);
	}
}

int span_find_probes(struct span *span, struct recording *recording, char *const *command,
		     struct error *err)
{
	uint32_t before = recording->probes.count;
	struct error own = {0};
	char *text;
	int code;

	assert(span);
	code = find_points(span, recording, command, &own);
	while (code == -ENOENT && span_use_other(span)) {
		drop_probes(&recording->probes, before);
		own = (struct error){0};
		code = find_points(span, recording, command, &own);
	}
	if (code && err)
		*err = own;
	if (code || !span->has_probes)
		return code;
	text = rename_field(&span->group);
	if (text && !span->group_name)
		span->group_name = text;
	else
		free(text);
	free(rename_field(&span->size));
	free(rename_field(&span->result));
	return 0;
}

void span_release_probes(struct recording *recording)
{
	struct recording_probes *probes = &recording->probes;

	drop_probes(probes, 0);
	free(probes->item);
	*probes = (struct recording_probes){0};
}
