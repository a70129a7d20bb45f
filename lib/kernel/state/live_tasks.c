/* live_tasks: facts about the tasks of a running process. */
#include "live_tasks.h"

#include "clock.h"
#include "load/bpf_source.h"
#include "proc/maps.h"
#include "proc/rank.h"

/*
 * The fact has the time before the look-up. So if the task ends meanwhile, its end also comes later in the stream. A zombie does
 * not count.
 */
static void add_task_fact(struct live *live, uint32_t pid, uint32_t tid, bool is_excluded)
{
	uint64_t asked = clock_now();
	struct procfs_task task;
	char exe[4096], words[FACT_ARGUMENTS + 1];
	bool is_cut = false;
	struct fact fact = {.kind = FACT_TASK};
	struct rank rank = {0};

	if (procfs_task(&live->proc, pid, tid, &task) || task.has_ended)
		return;
	procfs_link(&live->proc, exe, sizeof(exe), "%u/exe", pid);
	fact.number[FACT_TASK_tid] = tid;
	fact.number[FACT_TASK_pid] = pid;
	fact.number[FACT_TASK_ppid] = task.ppid;
	fact.number[FACT_TASK_start_time] = task.start_time;
	fact.number[FACT_TASK_is_foreign] = procfs_is_foreign(&live->proc, pid);
	fact.number[FACT_TASK_is_excluded] = is_excluded;
	fact.string[FACT_TASK_comm] = fact_text(task.comm);
	fact.string[FACT_TASK_exe] = fact_text(exe);
	if (tid == pid)
		rank = rank_read(&live->proc, pid);
	fact.number[FACT_TASK_has_rank] = rank.is_known;
	fact.number[FACT_TASK_rank] = rank.rank;
	fact.number[FACT_TASK_ranks] = rank.ranks;
	if (tid == pid)
		fact.string[FACT_TASK_argv] = (struct fact_string){
			words, procfs_arguments(&live->proc, pid, words, sizeof(words), &is_cut)};
	fact.number[FACT_TASK_is_cut] = is_cut;
	facts_add(&live->facts, &fact, pid, asked);
}

struct code {
	struct live *live;
	uint32_t pid;
};

static void add_mapping_fact(void *context, const struct maps_row *row)
{
	const struct code *code = context;
	const struct fact fact = {
		.kind = FACT_CODE,
		.number = {[FACT_CODE_pid] = code->pid,
			   [FACT_CODE_begin] = row->begin,
			   [FACT_CODE_length] = row->end - row->begin,
			   [FACT_CODE_offset] = row->offset},
		.string = {[FACT_CODE_file] = fact_text(row->file)},
	};

	facts_add(&code->live->facts, &fact, code->pid, clock_now());
}

static void add_task_facts(struct live *live, uint32_t pid, bool is_excluded)
{
	struct number_list tids = {0};

	procfs_list(&live->proc, &tids, UINT32_MAX, "%u/task", pid);
	for (uint32_t i = 0; i < tids.count; i++)
		add_task_fact(live, pid, tids.item[i], is_excluded);
	number_list_release(&tids);
}

void live_add_own_facts(struct live *live, uint32_t pid)
{
	add_task_facts(live, pid, true);
}

void live_add_task_facts(struct live *live, uint32_t pid)
{
	if (live->recording->stacks.count)
		maps_read(&live->proc, pid, add_mapping_fact, &(struct code){live, pid});
	lookup_add_process(&live->base, pid);
	add_task_facts(live, pid, lookup_is_excluded(&live->base, pid));
}

bool live_has_tasks(const struct live *live)
{
	return perf_set_has_tasks(&live->set) ||
	       (live->bpf.source && bpf_source_has_detached(live->bpf.source));
}

void live_add_process_facts(struct live *live, uint32_t pid, enum lookup_reason reason)
{
	live_add_task_facts(live, pid);
	lookup_process(&live->lookup, pid, reason, true);
}
