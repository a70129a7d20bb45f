#include "live_cpus.h"

#include "clock.h"
#include "perf/hotplug.h"
#include "source/live_block.h"
#include "source/live_bpf.h"
#include "source/live_reopen.h"
#include "state/live_state.h"

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
 * Events of tasks are suspended while their CPU is offline and work again when it returns, and BPF programs run on all CPUs.
 * Events of a CPU are closed when it goes offline, so they are opened again. What happened before that is missing.
 */
static void cpu_came(void *context, uint32_t number)
{
	struct live *live = context;
	uint32_t cpu = index_of_cpu(live, number);
	bool has_tasks = perf_set_follows(&live->set, number) && live->set.target == TARGET_THREAD;

	if (has_tasks && !live_block_is_of_perf(live) && live_bpf_follows(live, number))
		return;
	if (cpu < live->set.cpus && live_reopen_cpu(live, cpu))
		log_debug("CPU %u is recorded from here on", number);
	lookup_doubt(&live->base);
	/* A round is due, so that open descriptors are looked up before they are used on this CPU. */
	live->rounded_at = 0;
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
