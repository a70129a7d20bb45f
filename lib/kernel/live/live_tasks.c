/*
 * live_tasks: what is said of the tasks of a process that runs already.
 */
#include "live_tasks.h"

#include "clock.h"

/*
 * Its time is that before the question: a task that ends meanwhile ends after it in the stream, too. One that has
 * ended and waits for its parent is none.
 */
static void say_task(struct live *live, uint32_t pid, uint32_t tid)
{
	uint64_t asked = clock_now();
	struct procfs_task task;
	char exe[4096], words[FACT_ARGUMENTS + 1];
	bool is_cut = false;
	struct fact fact = {.kind = FACT_TASK};

	if (procfs_task(&live->proc, pid, tid, &task) || task.has_ended)
		return;
	procfs_link(&live->proc, exe, sizeof(exe), "%u/exe", pid);
	fact.number[0] = tid;
	fact.number[1] = pid;
	fact.number[2] = task.ppid;
	fact.number[3] = task.start_time;
	fact.number[4] = procfs_is_foreign(&live->proc, pid);
	fact.number[5] = lookup_is_left_out(&live->base, pid);
	fact.string[0] = fact_text(task.comm);
	fact.string[1] = fact_text(exe);
	if (tid == pid)
		fact.string[2] = (struct fact_string){words,
						      procfs_arguments(&live->proc, pid, words,
								       sizeof(words), &is_cut)};
	fact.number[6] = is_cut;
	facts_add(&live->facts, &fact, pid, asked);
}

void live_say_tasks(struct live *live, uint32_t pid)
{
	struct procfs_numbers tids = {0};

	lookup_add_process(&live->base, pid);
	procfs_list(&live->proc, &tids, UINT32_MAX, "%u/task", pid);
	for (uint32_t i = 0; i < tids.count; i++)
		say_task(live, pid, tids.at[i]);
	procfs_numbers_release(&tids);
}

void live_say_process(struct live *live, uint32_t pid, enum lookup_reason reason)
{
	live_say_tasks(live, pid);
	lookup_process(&live->lookup, pid, reason, true);
}
