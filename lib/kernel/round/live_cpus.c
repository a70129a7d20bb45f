#include "live_cpus.h"

#include "clock.h"
#include "perf/hotplug.h"
#include "source/live_private.h"

#include <iotrace/log.h>

/* Returns the index of the CPU in the set, or set.cpus. */
static uint32_t index_of_cpu(const struct live *live, uint32_t number)
{
	uint32_t cpu = 0;

	while (cpu < live->set.cpus && live->set.cpu[cpu] != number)
		cpu++;
	return cpu;
}

/*
 * The events of a task stay with it, wait for a CPU that is offline, and count again on one that comes back; a BPF program
 * runs on all CPUs. Events that are a CPU's own are gone with it: they are opened again, and what was there before is missing.
 */
static void cpu_came(void *context, uint32_t number)
{
	struct live *live = context;
	uint32_t cpu = index_of_cpu(live, number);
	bool has_tasks = perf_set_follows(&live->set, number) && live->set.target == TARGET_THREAD;
	bool has_blocks = live->block == BLOCK_NONE || live->block_programs.object;

	if (has_tasks && has_blocks && live_bpf_follows(live, number))
		return;
	if (cpu < live->set.cpus && live_reopen_cpu(live, cpu))
		log_debug("CPU %u is recorded from here on", number);
	lookup_doubt(&live->base);
	live->rounded_at =
		0; /* a round is due: what is open now is looked up before it is used there */
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_GAP,
				 .number = {[FACT_GAP_kind] = GAP_CPUS,
					    [FACT_GAP_count] = 1,
					    [FACT_GAP_is_of_tasks] = live->bpf.source &&
								     live_bpf_follows(live,
										      number)}},
		  0, clock_now());
}

void live_follow_cpus(struct live *live)
{
	if (live->hotplug_fd >= 0 && hotplug_take(live->hotplug_fd, cpu_came, live))
		cpu_came(live, UINT32_MAX);
}
