/* spans: the rows of spans.def, and the tracepoints that a span needs. */
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <iotrace/span.h>
#include <iotrace/span_ways.h>
#include <string.h>

struct row {
	const char *name, *spec, *context, *help;
	enum span_source source;
	enum span_where where;
	bool is_nested;
	bool is_other; /* another definition of the row before */
};

static const struct row rows[] = {
#define MODEL_SPAN(name, from, help)                                                               \
	{#name, NULL, NULL, help, SPAN_OF_##from, SPAN_IN_TASK, false, false},
#define SPAN(name, at, spec, context, help)                                                        \
	{#name, spec, context, help, SPAN_OF_TRACEPOINTS, SPAN_##at, false, false},
#define NESTED_SPAN(name, spec, help)                                                              \
	{#name, spec, NULL, help, SPAN_OF_TRACEPOINTS, SPAN_IN_TASK, true, false},
#define OTHER_SPEC(name, spec)                                                                     \
	{#name, spec, NULL, NULL, SPAN_OF_TRACEPOINTS, SPAN_IN_TASK, false, true},
/* clang-format off */
#include <iotrace/spans.def>
/* clang-format on */
#undef MODEL_SPAN
#undef SPAN
#undef NESTED_SPAN
#undef OTHER_SPEC
};

static char *copy(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static struct span *parse(const struct row *row)
{
	char *text = mem_format("%s: %s", row->name, row->spec);
	struct span *span = span_parse(text, NULL);

	free(text);
	return span;
}

static const struct row *row_at(size_t index)
{
	return index < sizeof(rows) / sizeof(*rows) ? &rows[index] : NULL;
}

/* Returns the row after it that is another definition of the same span, or NULL. */
static const struct row *other_of(const struct row *row)
{
	const struct row *next = row ? row_at((size_t)(row - rows) + 1) : NULL;

	return next && next->is_other ? next : NULL;
}

static struct span *make(const struct row *row)
{
	struct span *span;

	if (row->source == SPAN_OF_TRACEPOINTS) {
		span = parse(row);
	} else {
		span = mem_zero(sizeof(*span));
		span->name = mem_strdup(row->name);
	}
	span->row = row;
	span->ways = span_ways_of_row(row->name);
	span->source = row->source;
	span->where = row->where;
	span->is_nested = row->is_nested;
	span->context = copy(row->context);
	span->help = copy(row->help);
	return span;
}

struct span *span_row(uint32_t index)
{
	const struct row *row = rows;

	for (;; row++) {
		if (!row_at((size_t)(row - rows)))
			return NULL;
		if (!row->is_other && !index--)
			return make(row);
	}
}

bool span_is_of_raw_calls(const struct span *span)
{
	return span->source == SPAN_OF_TRACEPOINTS &&
	       !strncmp(span->side[SPAN_BEGIN].event, "raw_syscalls:", 13);
}

bool span_use_other(struct span *span)
{
	const struct row *row = other_of(span->row);
	struct span *other, old = *span;

	if (!row)
		return false;
	other = parse(row);
	*span = *other;
	span->row = row;
	span->ways = old.ways;
	span->where = old.where;
	span->is_nested = old.is_nested;
	span->context = old.context;
	span->help = old.help;
	old.context = old.help = NULL;
	*other = old;
	span_free(other);
	return true;
}

struct span *span_recorded(const char *name)
{
	struct span *span = mem_zero(sizeof(*span));

	span->name = mem_strdup(name);
	span->source = SPAN_OF_ARCHIVE;
	return span;
}

struct span *span_find(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].name, name))
			return make(&rows[i]);
		nearest_try(&nearest, rows[i].name);
	}
	error_say(err, EINVAL, "there is no span '%s'%s%s%s", name,
		  nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
		  nearest.best ? "'?" : "");
	error_hint(err, "To see which there are: iotrace list --spans");
	return NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; *list; list += strspn(list, ",")) {
		size_t next = strcspn(list, ",");

		if (next == length && !memcmp(list, word, length))
			return true;
		list += next;
	}
	return false;
}

/* Returns the text of the event in the list, and adds it if it is missing. */
static const char **text_of(struct text_list *events, const char *event)
{
	size_t length = strlen(event);

	for (uint32_t i = 0; i < events->count; i++)
		if (!strncmp(events->item[i], event, length) && events->item[i][length] == '=')
			return &events->item[i];
	text_list_add(events, mem_format("%s=", event));
	return &events->item[events->count - 1];
}

static void add_field(struct text_list *events, const char *event, const char *field)
{
	const char **text = text_of(events, event);
	const char *fields = strchr(*text, '=') + 1;

	if (!field || has_word(fields, field))
		return;
	mem_append((char **)(uintptr_t)text, "%s%s", *fields ? "," : "", field);
}

static void add_context(const struct span *span, struct text_list *events)
{
	char *words = mem_strdup(span->context), *rest = words, *word;

	while ((word = strsep(&rest, " ")))
		text_of(events, word);
	free(words);
}

static void add_fields(const struct span *span, const struct span_point *point, const char *event,
		       struct text_list *events)
{
	text_of(events, event);
	for (uint32_t i = 0; i < point->keys; i++)
		add_field(events, event, point->key[i]);
	for (uint32_t i = 0; i < point->tests; i++)
		add_field(events, event, point->test[i].field);
	add_field(events, event, span->group);
	add_field(events, event, span->size);
	add_field(events, event, span->result);
}

uint32_t span_entries(const struct span *span)
{
	uint32_t entries = 0;

	for (int side = 0; side < SPAN_SIDES; side++)
		for (const struct span_point *point = &span->side[side]; point;
		     point = point->other)
			entries += point->entry != NULL;
	return entries;
}

static void add_points(const struct span *span, const struct span_point *point,
		       struct text_list *events)
{
	do {
		if (point->event)
			add_fields(span, point, point->event, events);
		if (point->entry)
			add_fields(span, point, point->entry, events);
		point = point->other;
	} while (point);
}

void span_add_events(const struct span *span, bool with_context, struct text_list *events)
{
	for (int side = 0; side < SPAN_SIDES; side++)
		add_points(span, &span->side[side], events);
	if (with_context && span->context)
		add_context(span, events);
}
