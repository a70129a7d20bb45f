#include "span_set.h"

#include "span_probe.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/span_engine.h>
#include <stdlib.h>
#include <string.h>

/* A name of --spans, or of a span that is built in; or a sentence that begins with one. */
static struct span *span_of(const struct span_set *set, const char *word, struct error *err)
{
	const struct span_line *line = span_lines_find(&set->lines, word);

	if (line)
		return span_line_parse(line, err);
	return strchr(word, ':') ? span_parse(word, err) : span_find(word, err);
}

/* Takes the span; NULL: there is a sentence why there is none. */
static int add_span(struct span_set *set, struct span *span, struct error *err)
{
	if (!span)
		return -err->code;
	if (set->spans == SPANS_MAX) {
		span_free(span);
		return error_say(err, EINVAL, "--span: more than %d spans", SPANS_MAX);
	}
	set->span[set->spans++] = span;
	for (uint32_t i = 0; i + 1 < set->spans; i++)
		if (!strcmp(set->span[i]->name, span->name))
			return error_say(err, EINVAL, "--span: two spans have the name '%s'",
					 span->name);
	return 0;
}

int span_set_add(struct span_set *set, const char *word, bool is_of_archive, struct error *err)
{
	struct span *span;

	if (!is_of_archive)
		return add_span(set, span_of(set, word, err), err);
	span = span_of(set, word, NULL);
	if (!span)
		return add_span(set, span_recorded(word), err);
	if (span->source == SPAN_OF_TRACEPOINTS)
		span->source = SPAN_OF_ARCHIVE;
	return add_span(set, span, err);
}

int span_set_parse(struct span_set *set, const struct text_list *words,
		   const struct text_list *files, bool is_of_archive, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < files->count && !code; i++)
		code = span_lines_add(&set->lines, files->item[i], err);
	for (uint32_t i = 0; i < words->count && !code; i++)
		code = span_set_add(set, words->item[i], is_of_archive, err);
	for (uint32_t i = 0; i < set->lines.count && !words->count && !code; i++)
		code = add_span(set, span_line_parse(&set->lines.item[i], err), err);
	return code;
}

/* If the user may not read tracefs, the recording reports that, together with everything else that is in the way. */
static int check_if_readable(const struct span *span, struct error *err)
{
	int code = span_check(span, err);

	if (code != -EACCES && code != -EPERM)
		return code;
	*err = (struct error){0};
	return 0;
}

int span_set_place(struct span_set *set, struct recording *recording, char *const *argv,
		   struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < set->spans && !code; i++) {
		code = span_find_probes(set->span[i], recording, argv, err);
		if (!code)
			code = check_if_readable(set->span[i], err);
	}
	return code;
}

/* Returns whether the list contains the event. Its texts are SYSTEM:EVENT=FIELDS. */
static bool has_event(const struct text_list *list, const char *text)
{
	size_t length = strcspn(text, "=");

	for (uint32_t i = 0; i < list->count; i++)
		if (!strncmp(list->item[i], text, length) && !list->item[i][length])
			return true;
	return false;
}

static void add_events(struct span_set *set, const bool *is_left_out, bool with_context,
		       bool is_everywhere, struct recording *recording)
{
	struct text_list *to = is_everywhere ? &recording->everywhere : &recording->tracepoints;
	struct text_list events = {0};

	for (uint32_t i = 0; i < set->spans; i++)
		if ((set->span[i]->where != SPAN_IN_TASK) == is_everywhere &&
		    !(is_left_out && is_left_out[i]))
			span_add_events(set->span[i], with_context, &events);
	for (uint32_t i = 0; i < events.count; i++) {
		const char *text = events.item[i];

		if (!has_event(&recording->everywhere, text)) {
			text_list_add(&set->events,
				      mem_format("%.*s", (int)strcspn(text, "="), text));
			text_list_add(to, set->events.item[set->events.count - 1]);
		}
		free((void *)(uintptr_t)text);
	}
	text_list_release(&events);
}

void span_set_record(struct span_set *set, const bool *is_left_out, bool with_context,
		     struct recording *recording)
{
	add_events(set, is_left_out, with_context, true, recording);
	add_events(set, is_left_out, with_context, false, recording);
}

void span_set_record_requests(struct recording *recording)
{
	const char *text;

	for (uint32_t i = 0; (text = span_request_event(i)); i++) {
		if (!has_event(&recording->everywhere, text))
			text_list_add(&recording->everywhere, text);
		text_list_add(&recording->stacks, text);
	}
}

void span_set_record_calls(struct recording *recording)
{
	static const char calls[] = "raw_syscalls:sys_enter=id";

	if (!has_event(&recording->tracepoints, calls)) {
		text_list_add(&recording->tracepoints, calls);
		recording->raw_groups = recording->selection.groups;
	}
	text_list_add(&recording->stacks, calls);
}

void span_set_release(struct span_set *set, struct recording *recording)
{
	for (uint32_t i = 0; i < set->events.count; i++)
		free((void *)(uintptr_t)set->events.item[i]);
	for (uint32_t i = 0; i < set->spans; i++)
		span_free(set->span[i]);
	span_release_probes(recording);
	text_list_release(&set->events);
	text_list_release(&recording->everywhere);
	text_list_release(&recording->of_spans);
	span_lines_release(&set->lines);
}
