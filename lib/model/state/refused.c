/* refused: applies the fact REFUSED. */
#include "refused.h"

#include <string.h>

enum { REFUSED_MOST = 32 }; /* limit for invalid captures */

static str_id text_of(struct model *m, const struct event *event, uint32_t index)
{
	return model_string(m, event->fact.string[index].at, event->fact.string[index].length);
}

void refused_fact(struct model *m, const struct event *event)
{
	uint64_t missing = event->fact.number[FACT_REFUSED_missing];

	if (m->trace.refusals == REFUSED_MOST)
		return;
	MEM_GROW(m->trace.refused, m->trace.refused_cap, m->trace.refusals + 1);
	m->trace.refused[m->trace.refusals++] = (struct trace_refused){.name = text_of(m, event, 0),
								       .why = text_of(m, event, 1),
								       .instead = text_of(m, event,
											  2)};
	m->misses_uring |= missing == REFUSED_URING;
	tally_add(m->tally, refused, missing == REFUSED_ALL);
}

void refused_see(struct model *m, const struct call_row *row, int64_t result)
{
	if (m->misses_uring && result >= 0 && row->traits & CALL_OF_URING)
		tally_add(m->tally, uring_unseen, 1);
}
