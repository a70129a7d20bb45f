/* lookup_exec: processes that lose perf's events at an exec. */
#include "lookup.h"

#include <iotrace/mem.h>
#include <linux/perf_event.h>
#include <string.h>

bool lookup_has_detached(struct lookup_base *base)
{
	bool has_any;

	pthread_mutex_lock(&base->mutex);
	has_any = base->detacheds != 0;
	pthread_mutex_unlock(&base->mutex);
	return has_any;
}

uint32_t lookup_take_detached(struct lookup_base *base, struct lookup_detached *out, uint32_t max)
{
	uint32_t count;

	pthread_mutex_lock(&base->mutex);
	count = base->detacheds < max ? base->detacheds : max;
	for (uint32_t i = 0; i < count; i++)
		out[i] = base->detached[--base->detacheds];
	pthread_mutex_unlock(&base->mutex);
	return count;
}

static void note_detached(struct lookup_base *base, uint32_t pid, uint64_t time)
{
	MEM_GROW(base->detached, base->detached_cap, base->detacheds + 1);
	base->detached[base->detacheds++] = (struct lookup_detached){pid, time};
}

/*
 * At an exec, the kernel writes a COMM record with the new name. If the program has other rights, it then removes perf's events
 * and writes EXIT; otherwise it writes an MMAP record for the program before anything else can happen. MMAP begins with pid and
 * tid; EXIT has the time behind its numbers.
 */
void lookup_see_exec(struct lookup *lookup, const struct perf_event_header *record,
		     const uint32_t *word)
{
	struct lookup_base *base = lookup->base;
	uint32_t tid = word[record->type == PERF_RECORD_EXIT ? 2 : 1];
	uint64_t time = 0;

	if (!base->may_reopen)
		return;
	pthread_mutex_lock(&base->mutex);
	if (record->type == PERF_RECORD_COMM) {
		map_set(&base->execs, tid, 0);
	} else if (base->execs.count && map_get(&base->execs, tid) != MAP_NONE) {
		map_remove(&base->execs, tid);
		if (record->type == PERF_RECORD_EXIT && record->size >= sizeof(*record) + 24) {
			memcpy(&time, word + 4, sizeof(time));
			note_detached(base, word[0], time);
		}
	}
	pthread_mutex_unlock(&base->mutex);
}
