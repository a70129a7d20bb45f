/*
 * live_facts: what is said before the first record and after the last.
 */
#include "live_facts.h"

#include "clock.h"
#include "live_attach.h"
#include "live_round.h"
#include "live_tasks.h"
#include "proc/sysblock.h"

#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const uint64_t state_ns = 2000000000; /* for the descriptors of all processes */

/* Two readings of one clock around one of the other: the middle is off by half their distance at most. */
static int64_t realtime_offset(void)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < 5; i++) {
		uint64_t before = clock_now();
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t after = clock_now();

		if ((int64_t)(after - before) >= best)
			continue;
		best = (int64_t)(after - before);
		offset = (int64_t)(real - before - (after - before) / 2);
	}
	return offset;
}

static void say_host(struct live *live)
{
	const struct capture_info *info = &live->info;
	struct fact fact = {
		.kind = FACT_HOST,
		.number = {[FACT_HOST_version] = 1,
			   [FACT_HOST_page_size] = info->page_size,
			   [FACT_HOST_cpus] = info->cpus,
			   [FACT_HOST_realtime_offset] = (uint64_t)realtime_offset(),
			   [FACT_HOST_ticks] = (uint64_t)sysconf(_SC_CLK_TCK),
			   [FACT_HOST_mode] = live->is_system,
			   [FACT_HOST_block] = live->block,
			   [FACT_HOST_block_mode] = live->block_mode,
			   [FACT_HOST_sample_interval] = live->interval},
		.string = {[FACT_HOST_hostname] = fact_text(info->hostname),
			   [FACT_HOST_release] = fact_text(info->release),
			   [FACT_HOST_machine] = fact_text(info->machine),
			   [FACT_HOST_iotrace_version] = fact_text(info->version)},
	};

	facts_add(&live->facts, &fact, 0, clock_now());
}

/* The first line of a format is "name: NAME". */
static void say_formats(struct live *live)
{
	for (uint32_t i = 0; i < live->info.formats; i++) {
		const struct capture_format *format = &live->info.format[i];
		char name[128];

		if (sscanf(format->text, "name: %127s", name) == 1)
			facts_add_format(&live->facts, format->system, name, format->text,
					 clock_now());
	}
}

static void say_command(struct live *live)
{
	struct fact fact = {.kind = FACT_COMMAND,
			    .number = {[FACT_COMMAND_pid] = (uint64_t)live->command.pid,
				       [FACT_COMMAND_is_cut] = live->is_argv_cut},
			    .string = {[FACT_COMMAND_argv] = {live->argv, live->argv_size},
				       [FACT_COMMAND_cwd] = fact_text(live->cwd)}};

	facts_add(&live->facts, &fact, (uint32_t)live->command.pid, clock_now());
}

static void say_mount(void *context, const struct procfs_mount *mount)
{
	struct live *live = context;
	struct fact fact = {
		.kind = FACT_MOUNT,
		.number = {[FACT_MOUNT_mnt_id] = mount->mnt_id, [FACT_MOUNT_dev] = mount->dev},
		.string = {[FACT_MOUNT_mount_point] = fact_text(mount->mount_point),
			   [FACT_MOUNT_source] = fact_text(mount->source),
			   [FACT_MOUNT_type] = fact_text(mount->type)}};

	links_add_mount(&live->base.links, mount->mount_point, mount->type);
	facts_add(&live->facts, &fact, 0, clock_now());
}

static void say_filters(struct live *live)
{
	for (uint32_t i = 0; i < live->filters; i++)
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_FILTER,
					 .number = {[FACT_FILTER_kind] = live->filter[i].kind},
					 .string = {[FACT_FILTER_glob] = fact_text(
							    live->filter[i].glob)}},
			  0, clock_now());
}

void live_facts_begin(struct live *live)
{
	uint32_t first = live->pids ? live->pid[0] : (uint32_t)live->command.pid;

	say_host(live);
	live_bpf_say_source(live);
	say_formats(live);
	say_filters(live);
	if (live->command.pid)
		say_command(live);
	procfs_mounts(&live->proc, first ? first : (uint32_t)getpid(), say_mount, live);
	if (live->block != BLOCK_NONE)
		sysblock_devices(&live->sys, &live->facts);
	live_block_say_groups(live);
}

/* Whose state is told. The caller releases the list. */
static void list_processes(const struct live *live, struct procfs_numbers *pids)
{
	if (live->set.target == TARGET_EVERYBODY) {
		procfs_list(&live->proc, pids, UINT32_MAX, ".");
		return;
	}
	live_cgroup_processes(live, pids);
	for (uint32_t i = 0; i <= live->pids; i++) {
		MEM_GROW(pids->at, pids->cap, pids->count + 1);
		pids->at[pids->count] = i < live->pids ? live->pid[i] : (uint32_t)live->command.pid;
		pids->count += pids->at[pids->count] != 0;
	}
}

static bool is_own(const struct live *live, uint32_t pid)
{
	return pid == (uint32_t)getpid() || pid == (uint32_t)live->reopen.opener.pid;
}

/* Both lists are sorted. `before`: whose tasks were said, NULL: of none. */
static void say_tasks_of_all(struct live *live, const struct procfs_numbers *pids,
			     const struct procfs_numbers *before)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < pids->count; i++) {
		while (before && at < before->count && before->at[at] < pids->at[i])
			at++;
		if (!is_own(live, pids->at[i]) &&
		    !(before && at < before->count && before->at[at] == pids->at[i]))
			live_say_tasks(live, pids->at[i]);
		if (live_is_round_due(live))
			live_round(live);
	}
}

/*
 * Who lives. Names and users first, and those who were born meanwhile once more: children that are born from then on have
 * the name and the user of a parent that is known.
 */
static void say_processes(struct live *live, struct procfs_numbers *pids)
{
	struct procfs_numbers before = {0};

	list_processes(live, &before);
	say_tasks_of_all(live, &before, NULL);
	if (live->set.target == TARGET_EVERYBODY) {
		list_processes(live, pids);
		say_tasks_of_all(live, pids, &before);
		procfs_numbers_release(&before);
	} else {
		*pids = before;
	}
}

static void say_descriptors(struct live *live, uint32_t pid)
{
	bool is_command = pid == (uint32_t)live->command.pid;

	if (!is_own(live, pid) && !lookup_is_left_out(&live->base, pid))
		lookup_process(&live->lookup, pid, LOOKUP_START, !is_command);
}

/* The command waits, and so does the user: on a machine with very many descriptors not all of them are told. */
void live_facts_state(struct live *live)
{
	uint64_t begun = clock_now(), until = begun + state_ns;
	struct procfs_numbers pids = {0};
	uint32_t skipped = 0;

	if (live->until && !live->command.pid && live->until < until)
		until = live->until;
	say_processes(live, &pids);
	for (uint32_t i = 0; i < pids.count; i++) {
		bool is_late = live->is_system && clock_now() >= until &&
			       pids.at[i] != (uint32_t)live->command.pid;

		skipped += is_late;
		if (!is_late)
			say_descriptors(live, pids.at[i]);
		if (live_is_round_due(live))
			live_round(live);
	}
	procfs_numbers_release(&pids);
	if (skipped)
		live_add_remark(live,
				mem_format("open descriptors of %u processes were not looked "
					   "up: there are too many on this machine for %.1f s",
					   skipped, (double)(until - begun) / 1e9));
}

static void say_stats(struct live *live, uint32_t phase)
{
	struct sysblock_chosen chosen = {live->device, live->devices};

	if (live->block != BLOCK_NONE)
		sysblock_stats(&live->sys, phase, chosen, &live->facts);
}

void live_facts_on(struct live *live)
{
	facts_add(&live->facts, &(struct fact){.kind = FACT_BEGIN}, 0, clock_now());
	say_stats(live, 0);
}

void live_facts_off(struct live *live)
{
	say_stats(live, 1);
}

/* The events that samples come from: their counts must be found again in the stream. */
static void say_counts(struct live *live)
{
	uint32_t event = 0; /* its index in the capture, which lacks what was refused */

	for (uint32_t i = 0; i < live->set.specs; i++) {
		const struct perf_spec *spec = &live->set.spec[i];
		struct perf_count count;

		if (spec->is_absent)
			continue;
		event++;
		if (spec->role == ROLE_TASK || spec->role == ROLE_COUNTER)
			continue;
		count = perf_set_count(&live->set, i);
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_COUNT,
					 .number = {[FACT_COUNT_event] = event - 1,
						    [FACT_COUNT_counted] = count.counted,
						    [FACT_COUNT_lost] = count.lost,
						    [FACT_COUNT_has_lost] = live->set.has_lost},
					 .string = {[FACT_COUNT_name] = fact_text(spec->name)}},
			  0, clock_now());
	}
}

void live_facts_end(struct live *live, enum live_end end)
{
	uint64_t done = live->lookup.done, gone = live->lookup.gone;

	for (uint32_t cpu = 0; cpu < live->lookers; cpu++) {
		done += live->looker[cpu].lookup.done;
		gone += live->looker[cpu].lookup.gone;
	}
	say_counts(live);
	live_bpf_say_count(live);
	facts_add(
		&live->facts,
		&(struct fact){.kind = FACT_LOOKUPS,
			       .number = {[FACT_LOOKUPS_done] = done, [FACT_LOOKUPS_gone] = gone}},
		0, clock_now());
	if (live->command.pid && live->command.is_ended)
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_EXIT,
					 .number = {[FACT_EXIT_pid] = (uint64_t)live->command.pid,
						    [FACT_EXIT_status] =
							    (uint64_t)live->command.status}},
			  (uint32_t)live->command.pid, clock_now());
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_END,
				 .number = {[FACT_END_reason] = (uint64_t)end,
					    [FACT_END_dropped] = spool_dropped(live->spool)}},
		  0, clock_now());
}
