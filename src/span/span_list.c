#include "span_list.h"

#include "command.h"
#include "span_options.h"

#include <iotrace/error.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 18 };

static void put_point(const char *before, const struct span_point *point)
{
	if (point->event)
		printf("%*s%s%s\n", INDENT, "", before, point->event);
}

int span_list(void)
{
	struct span *span;

	for (uint32_t i = 0; (span = span_row(i)); i++) {
		struct error err = {0};
		const char *why;

		printf("%-*s", INDENT, span->name);
		options_wrap(span->help, INDENT, stdout);
		put_point("from ", &span->side[SPAN_BEGIN]);
		put_point("to ", &span->side[SPAN_END]);
		/* The name of the span stands there already. */
		if (span_check(span, &err)) {
			why = strstr(err.text, "': ");
			printf("%*snot here: %s\n", INDENT, "", why ? why + 3 : err.text);
		}
		span_free(span);
	}
	return STATUS_OK;
}
