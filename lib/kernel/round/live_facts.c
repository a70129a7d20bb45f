/* live_facts: adds facts before the first record and after the last. */
#include "live_facts.h"

#include "clock.h"
#include "host/machine.h"
#include "host/sysblock.h"
#include "live_command.h"
#include "live_round.h"
#include "source/live_attach.h"
#include "source/live_block.h"
#include "source/live_bpf.h"
#include "state/live_tasks.h"

#include <iotrace/job.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { JOB_TEXT_MOST = 255 };

static const uint64_t state_ns = 2000000000; /* time limit for the descriptors of all processes */

/* Reads one clock before and after the other, and uses the middle. The error is at most half the difference. */
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

static void add_host_fact(struct live *live)
{
	const struct capture_info *info = &live->info;
	struct fact fact = {
		.kind = FACT_HOST,
		.number = {[FACT_HOST_version] = 1,
			   [FACT_HOST_page_size] = info->page_size,
			   [FACT_HOST_cpus] = info->cpus,
			   [FACT_HOST_realtime_offset] = (uint64_t)realtime_offset(),
			   [FACT_HOST_ticks] = (uint64_t)sysconf(_SC_CLK_TCK),
			   [FACT_HOST_mode] = live->recording->is_system,
			   [FACT_HOST_block] = live->block,
			   [FACT_HOST_block_mode] = live->recording->blocks.mode,
			   [FACT_HOST_sample_interval] = live->recording->sample_interval,
			   [FACT_HOST_is_joined] = live->host != NULL},
		.string = {[FACT_HOST_hostname] = fact_text(info->hostname),
			   [FACT_HOST_release] = fact_text(info->release),
			   [FACT_HOST_machine] = fact_text(info->machine),
			   [FACT_HOST_iotrace_version] = fact_text(info->version)},
	};

	facts_add(&live->facts, &fact, 0, clock_now());
}

/* The first line of a format is "name: NAME". */
static void add_format_facts(struct live *live)
{
	for (uint32_t i = 0; i < live->info.formats; i++) {
		const struct capture_format *format = &live->info.format[i];
		char name[128];

		if (sscanf(format->text, "name: %127s", name) == 1)
			facts_add_format(&live->facts, format->system, name, format->text,
					 clock_now());
	}
}

static const char *environment(const char *name)
{
	return getenv(name);
}

static void add_mount_fact(void *context, const struct procfs_mount *mount)
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

static void add_filter_fact(struct live *live, enum fact_filter kind, const char *glob)
{
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_FILTER,
				 .number = {[FACT_FILTER_kind] = kind},
				 .string = {[FACT_FILTER_glob] = fact_text(glob)}},
		  0, clock_now());
}

/* Adds the filters, for readers of the stream. */
static void add_filter_facts(struct live *live)
{
	const struct recording *recording = live->recording;
	const struct {
		enum fact_filter kind;
		const struct text_list *globs;
	} row[] = {
		{FILTER_PATH_INCLUDED, &recording->selection.paths},
		{FILTER_PATH_EXCLUDED, &recording->selection.excluded},
		{FILTER_COMM, &recording->selection.comms},
		{FILTER_DEVICE, &recording->blocks.devices},
		{FILTER_CGROUP, &recording->cgroups},
		{FILTER_USER, &recording->users.names},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (uint32_t k = 0; k < row[i].globs->count; k++)
			add_filter_fact(live, row[i].kind, row[i].globs->item[k]);
}

/* Adds the options, and where they were set. */
static void add_option_facts(struct live *live, const struct recording_words *given)
{
	struct live_words words = live_words_of(given->argv + 1);
	struct fact fact = {
		.kind = FACT_OPTION,
		.number = {[FACT_OPTION_line] = given->line, [FACT_OPTION_is_cut] = words.is_cut},
		.string = {[FACT_OPTION_from] = fact_text(given->from),
			   [FACT_OPTION_words] = {words.text, words.size}}};

	facts_add(&live->facts, &fact, 0, clock_now());
	free(words.text);
}

static struct fact_string text_of(const struct job_facts *job, enum job_value value)
{
	const char *text = job->value[value] ? job->value[value] : "";

	return (struct fact_string){text, (uint32_t)strnlen(text, JOB_TEXT_MOST)};
}

static void add_job_fact(struct live *live)
{
	struct job_facts job;
	uint32_t nodes = 0, ranks = 0;

	job_read(&job, environment);
	if (!job.system)
		return;
	job_number(&job, JOB_NODES, &nodes);
	job_number(&job, JOB_SIZE, &ranks);
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_JOB,
				 .number = {[FACT_JOB_nodes] = nodes, [FACT_JOB_ranks] = ranks},
				 .string = {[FACT_JOB_system] = fact_text(job.system),
					    [FACT_JOB_id] = text_of(&job, JOB_ID),
					    [FACT_JOB_name] = text_of(&job, JOB_NAME),
					    [FACT_JOB_user] = text_of(&job, JOB_USER)}},
		  0, clock_now());
}

void live_facts_begin(struct live *live)
{
	const struct number_list *pids = &live->recording->pids;
	uint32_t first = pids->count ? pids->item[0] : (uint32_t)live->command.pid;

	add_host_fact(live);
	live_bpf_add_source_fact(live);
	add_format_facts(live);
	add_filter_facts(live);
	add_job_fact(live);
	for (uint32_t i = 0; i < live->recording->given_count; i++)
		add_option_facts(live, &live->recording->given[i]);
	if (live->command.pid)
		live_add_own_command_fact(live);
	procfs_mounts(&live->proc, first ? first : (uint32_t)getpid(), add_mount_fact, live);
	if (live->block != BLOCK_NONE)
		sysblock_devices(&live->sys, &live->facts);
	live_block_add_group_facts(live);
}

/* Lists the processes whose state becomes facts. The caller releases the list. */
static void list_processes(const struct live *live, struct number_list *pids)
{
	if (live->set.target == TARGET_EVERYBODY) {
		procfs_list(&live->proc, pids, UINT32_MAX, ".");
		return;
	}
	live_cgroup_processes(live, pids);
	for (uint32_t i = 0; i < live->recording->pids.count; i++)
		number_list_add(pids, live->recording->pids.item[i]);
	if (live->command.pid)
		number_list_add(pids, (uint32_t)live->command.pid);
}

static bool is_own(const struct live *live, uint32_t pid)
{
	return pid == (uint32_t)getpid() || pid == (uint32_t)live->reopen.opener.pid ||
	       pid == live->recording->own_pid[RECORDING_OWN_WATCH];
}

/* Both lists are sorted. before: the processes whose tasks already have facts, or NULL. */
static void add_facts_of_tasks(struct live *live, const struct number_list *pids,
			       const struct number_list *before)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < pids->count; i++) {
		while (before && at < before->count && before->item[at] < pids->item[i])
			at++;
		if (before && at < before->count && before->item[at] == pids->item[i])
			continue;
		if (is_own(live, pids->item[i]))
			live_add_own_facts(live, pids->item[i]);
		else
			live_add_task_facts(live, pids->item[i]);
		if (live_is_round_due(live))
			live_round(live);
	}
}

/*
 * Adds facts about the running processes. Names and users come first, and again for processes that began meanwhile. After that,
 * the parent of every new child is known, and the child inherits its name and user.
 */
static void add_facts_of_processes(struct live *live, struct number_list *pids)
{
	struct number_list before = {0};

	list_processes(live, &before);
	add_facts_of_tasks(live, &before, NULL);
	if (live->set.target == TARGET_EVERYBODY) {
		list_processes(live, pids);
		add_facts_of_tasks(live, pids, &before);
		number_list_release(&before);
	} else {
		*pids = before;
	}
}

static void add_descriptor_facts(struct live *live, uint32_t pid)
{
	bool is_command = pid == (uint32_t)live->command.pid;

	if (!is_own(live, pid) && !lookup_is_excluded(&live->base, pid))
		lookup_process(&live->lookup, pid, LOOKUP_START, !is_command);
}

/*
 * The command and the user wait for this, so it has a time limit. On a machine with very many descriptors, not all are looked up.
 */
void live_facts_state(struct live *live)
{
	uint64_t begun = clock_now(), until = begun + state_ns;
	struct number_list pids = {0};
	uint32_t skipped = 0;

	if (live->until && !live->command.pid && live->until < until)
		until = live->until;
	add_facts_of_processes(live, &pids);
	for (uint32_t i = 0; i < pids.count; i++) {
		bool is_late = live->recording->is_system && clock_now() >= until &&
			       pids.item[i] != (uint32_t)live->command.pid;

		skipped += is_late;
		if (!is_late)
			add_descriptor_facts(live, pids.item[i]);
		if (live_is_round_due(live))
			live_round(live);
	}
	number_list_release(&pids);
	if (skipped)
		live_add_remark(live,
				mem_format("open descriptors of %u processes were not looked "
					   "up: there are too many on this machine for %.1f s",
					   skipped, (double)(until - begun) / 1e9));
}

static void add_stat_facts(struct live *live, uint32_t phase)
{
	struct sysblock_chosen chosen = {live->device, live->devices};

	if (live->block != BLOCK_NONE)
		sysblock_stats(&live->sys, phase, chosen, &live->facts);
}

void live_facts_on(struct live *live)
{
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_BEGIN,
				 .number = {[FACT_BEGIN_cpu_some_us] = machine_cpu_some(
						    &live->proc)}},
		  0, clock_now());
	add_stat_facts(live, 0);
}

void live_facts_off(struct live *live)
{
	add_stat_facts(live, 1);
}

void live_facts_end(struct live *live, enum live_end end)
{
	uint64_t done = live->lookup.done, gone = live->lookup.gone;

	for (uint32_t cpu = 0; cpu < live->lookup_threads; cpu++) {
		done += live->lookup_thread[cpu].lookup.done;
		gone += live->lookup_thread[cpu].lookup.gone;
	}
	ring_sources_lost(&live->sources);
	facts_add(
		&live->facts,
		&(struct fact){.kind = FACT_LOOKUPS,
			       .number = {[FACT_LOOKUPS_done] = done, [FACT_LOOKUPS_gone] = gone}},
		0, clock_now());
	if (live->command.pid && live->command.is_ended)
		live_add_status_fact(live, live->command.pid, live->command.status);
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_END,
				 .number = {[FACT_END_reason] = (uint64_t)end,
					    [FACT_END_dropped] = spool_dropped(live->spool),
					    [FACT_END_error] = (uint64_t)spool_error(live->spool),
					    [FACT_END_cpu_some_us] = machine_cpu_some(
						    &live->proc)}},
		  0, clock_now());
}
