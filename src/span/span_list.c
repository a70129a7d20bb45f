#include "span_list.h"

#include "command.h"
#include "span_options.h"
#include "span_probe.h"

#include <iotrace/error.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 18 };

static void put_points(const char *before, const struct span_point *point)
{
	for (; point && point->event; point = point->other, before = "or   ")
		printf("%*s%s%s\n", INDENT, "", before, point->event);
}

/* Also whether the programs are there, and whether this user may probe them. */
static int check(struct span *span, struct error *err)
{
	struct recording recording = {0};
	int code = span_place_probes(span, &recording, NULL, err);

	if (!code && recording.probes.count && probe_uprobes(err))
		code = error_wrap(err, "span '%s'", span->name);
	span_release_probes(&recording);
	return code ? code : span_check(span, err);
}

int span_list(void)
{
	struct span *span;

	for (uint32_t i = 0; (span = span_row(i)); i++) {
		struct error err = {0};
		const char *why;

		printf("%-*s", INDENT, span->name);
		options_wrap(span->help, INDENT, stdout);
		put_points("from ", &span->side[SPAN_BEGIN]);
		put_points("to   ", &span->side[SPAN_END]);
		/* The name of the span stands there already. */
		if (check(span, &err)) {
			why = strstr(err.text, "': ");
			printf("%*snot here: %s\n", INDENT, "", why ? why + 3 : err.text);
		}
		span_free(span);
	}
	return STATUS_OK;
}
