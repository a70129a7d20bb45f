#include "span_list.h"

#include "command.h"
#include "span_options.h"
#include "span_probe.h"

#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 18 };

static void put_points(const char *before, const struct span_point *point)
{
	for (; point && point->event; point = point->other, before = "or   ")
		printf("%*s%s%s\n", INDENT, "", before, point->event);
}

/* Also checks that the programs exist, and that this user may probe them. */
static int check(struct span *span, struct error *err)
{
	struct recording recording = {0};
	int code = span_find_probes(span, &recording, NULL, err);

	if (!code && recording.probes.count && probe_uprobes(err))
		code = error_wrap(err, "span '%s'", span->name);
	span_release_probes(&recording);
	return code ? code : span_check(span, err);
}

/* The line already begins with the name of the span. Many spans have the same remedy, so it is kept and printed once. */
static void put_trouble(const struct error *err, char **remedy)
{
	const char *why = strstr(err->text, "': ");
	bool is_first = !**remedy;

	printf("%*snot here: %s\n", INDENT, "", why ? why + 3 : err->text);
	for (const char *hint = error_next_hint(err, NULL); hint && is_first;
	     hint = error_next_hint(err, hint))
		mem_append(remedy, "%s\n", hint);
}

int span_list(void)
{
	char *remedy = mem_strdup("");
	struct span *span;

	for (uint32_t i = 0; (span = span_row(i)); i++) {
		struct span *tried = span_row(i);
		struct error err = {0};
		int code = check(tried, &err);

		while (span->row != tried->row && span_use_other(span))
			;
		printf("%-*s", INDENT, span->name);
		options_wrap(span->help, INDENT, stdout);
		put_points("from ", &span->side[SPAN_BEGIN]);
		put_points("to   ", &span->side[SPAN_END]);
		if (code)
			put_trouble(&err, &remedy);
		span_free(tried);
		span_free(span);
	}
	if (*remedy)
		printf("\n%s", remedy);
	free(remedy);
	return STATUS_OK;
}
