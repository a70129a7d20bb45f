/* live_attach: opens events for tasks, including running processes. */
#include "live_attach.h"

#include "host/cgroup.h"
#include "live_block.h"
#include "live_rings.h"
#include "live_span.h"
#include "rights/rights.h"

#include <errno.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <string.h>

enum {
	RING_OF_TASKS = 1 << 20, /* size of a ring that has only records of tasks */
	ATTACH_PASSES = 8
};

static void remark_rings(struct live *live, uint64_t want)
{
	uint64_t size = live->set.ring[0].size;

	if (size < want)
		live_add_remark(
			live,
			mem_format(
				"rings of %llu KiB, not %llu KiB, for each CPU: RLIMIT_MEMLOCK and "
				"kernel.perf_event_mlock_kb do not allow more, so a fast program "
				"may lose events (sysctl kernel.perf_event_mlock_kb=%ld allows them)",
				(unsigned long long)(size >> 10), (unsigned long long)(want >> 10),
				rights_mlock_kb(want)));
}

static void remark_foreign(struct live *live)
{
	for (uint32_t i = 0; i < live->set.specs; i++) {
		const char *name = live->set.spec[i].name;
		uint32_t programs = perf_set_foreign(&live->set, i);
		bool is_repeated = live->set.spec[i].is_silent;

		for (uint32_t k = 0; k < i; k++)
			is_repeated |= !strcmp(live->set.spec[k].name, name);
		if (programs && !is_repeated)
			live_add_remark(
				live,
				mem_format("%s: %u other BPF program%s run%s before it is "
					   "recorded, and may suppress events without a count "
					   "(bpftool perf show lists them)",
					   name, programs, programs > 1 ? "s" : "",
					   programs > 1 ? "" : "s"));
	}
}

static uint64_t perf_ring_want(const struct live *live)
{
	uint64_t want = live_ring_want(live);

	return live->bpf.source && !live_block_is_of_perf(live) && want > RING_OF_TASKS
		       ? RING_OF_TASKS
		       : want;
}

/* Some kernels refuse every event to those who may count. Without events, nobody is named who has done nothing. */
static bool can_do_without(const struct live *live, int code)
{
	return (code == -EACCES || code == -EPERM) && live->set.target == TARGET_EVERYBODY &&
	       live_span_counts_all(live);
}

static int do_without(struct live *live, struct error *err)
{
	log_info("begins and ends of processes are not recorded: %s", err->text);
	*err = (struct error){0};
	for (uint32_t i = 0; i < live->set.specs; i++)
		live->set.spec[i].is_absent = true;
	perf_set_map_none(&live->set);
	return 0;
}

int live_open_events(struct live *live, int target, struct error *err)
{
	uint64_t want = perf_ring_want(live);
	uint64_t least = want < LIVE_RING_LEAST ? want : LIVE_RING_LEAST;
	int code;

	if (!live->set.specs) {
		perf_set_map_none(&live->set);
		return 0;
	}
	code = perf_set_map(&live->set, target, want, least, err);
	if (can_do_without(live, code))
		return do_without(live, err);
	if (!code)
		code = perf_set_open(&live->set, target, err);
	if (!code) {
		remark_rings(live, want);
		remark_foreign(live);
	}
	return code;
}

/* Threads whose FORK record is in a ring have already inherited the events of their creator. */
static void find_inherited(struct live *live, struct map *known)
{
	for (uint32_t cpu = 0; cpu < live->set.cpus && live->set.ring; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];
		const struct perf_event_header *record;
		uint64_t at = ring->page ? perf_ring_tail(ring) : 0,
			 head = ring->page ? perf_ring_head(ring) : 0;

		while ((record = perf_ring_next(ring, &at, head, live->scratch)) != NULL) {
			struct perf_task task;

			if (record->type == PERF_RECORD_FORK && perf_record_task(record, &task))
				map_set(known, task.tid, 0);
		}
	}
}

static int attach_thread(struct live *live, pid_t tid, struct error *err)
{
	int code = live->set.threads ? perf_set_open(&live->set, tid, err)
				     : live_open_events(live, tid, err);

	/* From here on, the ring has a record of each new thread. */
	if (!code)
		perf_set_enable_task(&live->set);
	return code == -ESRCH ? 0 : code;
}

int live_attach_pass(struct live *live, uint32_t pid, struct map *known, struct error *err)
{
	struct number_list tids = {0};
	int fresh = 0, code = 0;

	if (procfs_list(&live->proc, &tids, UINT32_MAX, "%u/task", pid))
		return 0;
	find_inherited(live, known);
	for (uint32_t i = 0; i < tids.count && !code; i++) {
		if (map_get(known, tids.item[i]) != MAP_NONE)
			continue;
		map_set(known, tids.item[i], 0);
		code = attach_thread(live, (pid_t)tids.item[i], err);
		fresh++;
	}
	number_list_release(&tids);
	return code ? code : fresh;
}

/* Repeats passes over all processes until one finds no new thread. */
int live_attach(struct live *live, const uint32_t *pid, uint32_t pids, struct error *err)
{
	struct map known = {0};
	int fresh = 1;

	for (int pass = 0; pass < ATTACH_PASSES && fresh > 0; pass++) {
		fresh = 0;
		for (uint32_t i = 0; i < pids && fresh >= 0; i++) {
			int found = live_attach_pass(live, pid[i], &known, err);

			fresh = found < 0 ? found : fresh + found;
		}
	}
	map_release(&known);
	return fresh < 0 ? fresh : 0;
}

void live_cgroup_processes(const struct live *live, struct number_list *pids)
{
	for (uint32_t i = 0; i < live->cgroups; i++)
		cgroup_processes(live->cgroup[i], pids);
}
