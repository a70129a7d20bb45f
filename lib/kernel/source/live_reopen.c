#include "live_reopen.h"

#include "clock.h"
#include "live_attach.h"
#include "live_block.h"
#include "load/bpf_source.h"
#include "state/live_state.h"
#include "state/live_tasks.h"

#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/log.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

enum { PERFMON = 38, DETACHED_MAX = 16, PASSES = 8, FDS_MAX = 1 << 16 };

/*
 * A user with lent rights must not see what a program with other rights does. Counters are not possible either, because they are
 * in groups whose leaders the opener does not have.
 */
static bool has_right(const struct live *live)
{
	return !confine_is_lent() && !live->recording->counters.count &&
	       (confine_may(PERFMON) || confine_may(CAP_SYS_ADMIN));
}

bool live_reopen_may(const struct live *live)
{
	return live->set.target == TARGET_THREAD && !live->bpf.source && has_right(live);
}

/* The kernel closes events of a CPU when it goes offline. */
static bool may_reopen_cpus(const struct live *live)
{
	return (live->set.target != TARGET_THREAD || live_block_is_of_perf(live)) &&
	       live->set.cpus > 1 && live->hotplug_fd >= 0 && has_right(live);
}

static enum opener_kind kind_of(const struct live *live, const struct perf_spec *spec)
{
	if (spec->role == ROLE_BLOCK || live->set.target == TARGET_EVERYBODY)
		return OPENER_OF_CPU;
	return live->set.target == TARGET_CGROUP ? OPENER_OF_CGROUP : OPENER_OF_TASK;
}

static int start_opener(struct live *live, struct error *err)
{
	struct opener_event event[PERF_SPECS_MAX];
	uint32_t command = (uint32_t)(live->host ? live->placeholder.pid : live->command.pid);
	const struct number_list *pids = &live->recording->pids;
	const struct opener_table table = {.event = event,
					   .events = live->set.specs,
					   .root = command ? &command : pids->item,
					   .roots = command ? 1 : pids->count,
					   .cgroup = live->cgroup,
					   .cgroups = live->cgroups};

	for (uint32_t i = 0; i < live->set.specs; i++)
		event[i] = (struct opener_event){kind_of(live, &live->set.spec[i]),
						 live->set.spec[i].attr};
	return opener_start(&live->reopen.opener, &table, err);
}

void live_reopen_start(struct live *live)
{
	struct error why = {0};

	/* Programs that count run on all CPUs, also on those that come later. */
	if (live->recording->has_only_counts)
		return;
	if (!live_reopen_may(live) && !may_reopen_cpus(live) && !live->host)
		return;
	if (live->options->is_confined) {
		if (start_opener(live, &why)) {
			log_info("events cannot be opened again: %s", why.text);
			return;
		}
		live->set.opener = &live->reopen.opener;
	}
	live->set.may_reopen = true;
	live->base.may_reopen = live_reopen_may(live);
	if (live->bpf.source && live->reopen.opener.pid)
		bpf_source_exclude(live->bpf.source, BPF_OWN_OPENER, live->reopen.opener.pid);
}

void live_reopen_close(struct live *live)
{
	opener_close(&live->reopen.opener);
	map_release(&live->reopen.index);
}

/* The look-up threads read these ids while they read the rings. */
static void add_ids(struct live *live, uint32_t first)
{
	struct perf_set *set = &live->set;

	for (uint32_t cpu = 0; cpu < live->lookup_threads; cpu++)
		pthread_mutex_lock(&live->lookup_thread[cpu].mutex);
	for (uint32_t slot = first; slot < set->fds; slot++) {
		uint32_t spec = slot / set->cpus % set->specs;
		enum perf_role role = set->spec[spec].role;

		if (set->fd[slot] < 0)
			continue;
		map_set(&live->reopen.index, set->id[slot], spec);
		lookup_add_event(&live->base, set->id[slot], role);
	}
	for (uint32_t cpu = 0; cpu < live->lookup_threads; cpu++)
		pthread_mutex_unlock(&live->lookup_thread[cpu].mutex);
}

/* Appends the children of a process. */
static void add_children(const struct live *live, struct number_list *pids, uint32_t pid)
{
	struct number_list tids = {0};
	char text[4096];

	procfs_list(&live->proc, &tids, UINT32_MAX, "%u/task", pid);
	for (uint32_t i = 0; i < tids.count; i++) {
		char *at = text, *end;
		unsigned long child;

		if (procfs_read(&live->proc, text, sizeof(text), "%u/task/%u/children", pid,
				tids.item[i]) <= 0)
			continue;
		while ((child = strtoul(at, &end, 10)) && end > at) {
			number_list_add(pids, (uint32_t)child);
			at = end;
		}
	}
	number_list_release(&tids);
}

/* Opens the events for the threads of the processes, and for their new children. Returns 0 or -errno. */
static int open_again(struct live *live, struct number_list *pids, struct error *err)
{
	struct map known = {0};
	int code = 0;

	for (uint32_t i = 0; i < pids->count && code >= 0; i++) {
		int fresh = 1;

		for (int pass = 0; pass < PASSES && fresh > 0; pass++)
			fresh = live_attach_pass(live, pids->item[i], &known, err);
		code = fresh;
		if (code >= 0 && pids->count < DETACHED_MAX)
			add_children(live, pids, pids->item[i]);
	}
	map_release(&known);
	return code < 0 ? code : 0;
}

static void add_gap_fact(struct live *live, const struct lookup_detached *detached,
			 const struct number_list *pids, uint64_t begun)
{
	uint64_t now = clock_now();

	log_debug("process %u is recorded again, %llu us after its exec", detached->pid,
		  (unsigned long long)(now - detached->time) / 1000);
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_GAP,
				 .number = {[FACT_GAP_kind] = GAP_RESUMED,
					    [FACT_GAP_count] = 1,
					    [FACT_GAP_is_of_tasks] = 0,
					    [FACT_GAP_pid] = detached->pid,
					    [FACT_GAP_since] = detached->time,
					    [FACT_GAP_until] = now}},
		  detached->pid, begun);
	for (uint32_t i = 0; i < pids->count; i++)
		live_add_process_facts(live, pids->item[i], LOOKUP_LOST);
}

static void reopen(struct live *live, const struct lookup_detached *detached)
{
	struct number_list pids = {0};
	struct procfs_task task;
	struct error why = {0};
	uint64_t begun = clock_now();
	uint32_t first = live->set.threads, fds = live->set.fds;

	if (fds > FDS_MAX || procfs_task(&live->proc, detached->pid, detached->pid, &task) ||
	    task.has_ended)
		return;
	number_list_add(&pids, detached->pid);
	if (open_again(live, &pids, &why))
		log_debug("process %u is not recorded any more: %s", detached->pid, why.text);
	if (live->set.threads > first) {
		add_ids(live, fds);
		perf_set_enable_from(&live->set, first);
		add_gap_fact(live, detached, &pids, begun);
	}
	number_list_release(&pids);
}

int live_reopen_join(struct live *live, uint32_t pid, struct error *err)
{
	uint32_t first = live->set.threads, fds = live->set.fds;
	struct map known = {0};
	int code = live->set.opener ? opener_add_root(live->set.opener, (pid_t)pid) : 0;

	if (code)
		return error_set(err, -code, "cannot record process %u", pid);
	code = live_attach_pass(live, pid, &known, err);
	map_release(&known);
	if (code < 0)
		return code;
	if (live->set.threads == first)
		return error_say(err, ESRCH, "process %u has ended", pid);
	add_ids(live, fds);
	perf_set_enable_from(&live->set, first);
	return 0;
}

void live_reopen_processes(struct live *live)
{
	struct lookup_detached detached[DETACHED_MAX];
	uint32_t count = live->base.may_reopen
				 ? lookup_take_detached(&live->base, detached, DETACHED_MAX)
				 : 0;

	for (uint32_t i = 0; i < count; i++)
		reopen(live, &detached[i]);
}

/*
 * Returns the target for the opener: all tasks, or the index of a control group; or the group's descriptor, if iotrace may open
 * the event itself.
 */
static int who_of(const struct live *live, uint32_t index)
{
	if (live->set.target != TARGET_CGROUP)
		return PERF_EVERYBODY;
	return live->set.opener ? (int)index : live->cgroup[index];
}

bool live_reopen_cpu(struct live *live, uint32_t cpu)
{
	uint32_t groups = live->set.target == TARGET_CGROUP ? live->cgroups : 1;
	uint32_t first = live->set.threads, fds = live->set.fds;
	struct error why = {0};

	if (!live->set.may_reopen || !live->set.ring[cpu].page || fds > FDS_MAX)
		return false;
	for (uint32_t i = 0; i < groups; i++)
		if (perf_set_open_cpu(&live->set, cpu, who_of(live, i), &why)) {
			log_debug("CPU %u is not recorded: %s", live->set.cpu[cpu], why.text);
			return false;
		}
	add_ids(live, fds);
	perf_set_enable_from(&live->set, first);
	return !live->bpf.source ||
	       !ring_sources_watch(&live->sources, perf_set_poll_fd(&live->set, cpu), &why);
}

static void rename_at(const struct live *live, uint8_t *at)
{
	uint64_t id;
	uint32_t spec;

	memcpy(&id, at, sizeof(id));
	spec = map_get(&live->reopen.index, id);
	if (spec != MAP_NONE)
		memcpy(at, &live->set.id[spec * live->set.cpus], sizeof(id));
}

/* The id is the first word of a sample, and the last word of any other record. A record of loss also has it as its first word. */
void live_reopen_rename(const struct live *live, void *records, size_t size)
{
	uint8_t *at = records, *end = at + size;

	if (!live->reopen.index.count)
		return;
	while (at < end) {
		struct perf_event_header header;

		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) + sizeof(uint64_t) || header.size > end - at)
			return;
		if (header.type == PERF_RECORD_SAMPLE || header.type == PERF_RECORD_LOST)
			rename_at(live, at + sizeof(header));
		if (header.type != PERF_RECORD_SAMPLE)
			rename_at(live, at + header.size - sizeof(uint64_t));
		at += header.size;
	}
}
