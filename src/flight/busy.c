/* busy: see busy.h. Samples are kept at a distance of a share of the time, so there are only a few of them. */
#include "busy.h"

#include <string.h>

enum { NS_PER_MS = 1000000 };

void busy_init(struct busy *busy, uint64_t ns, double share)
{
	*busy = (struct busy){.ns = ns, .share = share};
}

static void drop_first(struct busy *busy)
{
	busy->samples--;
	memmove(busy->sample, busy->sample + 1, busy->samples * sizeof(*busy->sample));
}

/* The first of the samples that remain is the last one that is old enough. */
static void drop_old(struct busy *busy, uint64_t time)
{
	while (busy->samples > 1 && time - busy->sample[1].time >= busy->ns)
		drop_first(busy);
}

static void keep(struct busy *busy, uint64_t time, uint64_t busy_ms)
{
	if (busy->samples && time - busy->sample[busy->samples - 1].time < busy->ns / BUSY_SHARES)
		return;
	if (busy->samples == BUSY_SAMPLES)
		drop_first(busy);
	busy->sample[busy->samples++] = (struct busy_sample){time, busy_ms};
}

bool busy_add(struct busy *busy, uint64_t time, uint64_t busy_ms)
{
	const struct busy_sample *first = busy->sample;
	bool is_met;

	/* A device of the same name is another one, and so is what a clock that goes back says. */
	if (busy->samples &&
	    (busy_ms < first->busy_ms || time < busy->sample[busy->samples - 1].time))
		busy->samples = 0;
	drop_old(busy, time);
	is_met = busy->samples && time - first->time >= busy->ns &&
		 (double)(busy_ms - first->busy_ms) * NS_PER_MS >
			 busy->share * (double)(time - first->time);
	if (is_met)
		busy->samples = 0;
	keep(busy, time, busy_ms);
	return is_met;
}
