/* bpf_span_flight: see bpf_span_flight.h. */
#include "bpf_span_flight.h"

enum { TRIES = 1000 };

uint64_t bpf_span_busy(const struct bpf_span_flight *flight, uint64_t now)
{
	for (int i = 0; i < TRIES; i++) {
		int64_t before = __atomic_load_n(&flight->count, __ATOMIC_ACQUIRE), after;
		int64_t busy = __atomic_load_n(&flight->busy, __ATOMIC_ACQUIRE);

		after = __atomic_load_n(&flight->count, __ATOMIC_ACQUIRE);
		if (before > 0)
			busy += (int64_t)now;
		/* With spans in flight, the stored time is a sum minus a begin; otherwise it is a sum. */
		if (before == after && busy >= 0 && (uint64_t)busy < now)
			return (uint64_t)busy;
	}
	return 0;
}

bool bpf_span_is_idle(const struct bpf_span_flight *flights)
{
	return __atomic_load_n(&flights[BPF_SPAN_FLIGHT_ALL].count, __ATOMIC_ACQUIRE) <= 0;
}

void bpf_span_each_flight(const struct bpf_span_flight *flights, uint32_t count, uint64_t now,
			  void (*call)(void *context, const struct counted_flight *flight),
			  void *context)
{
	/* The flights of all groups are read last, so that no group is busier than all of them. */
	for (uint32_t i = count; i-- > 0;) {
		const struct bpf_span_flight *flight = &flights[i];
		const struct counted_flight seen = {
			.group = flight->group,
			.is_rest = i == BPF_SPAN_FLIGHT_REST,
			.is_total = i == BPF_SPAN_FLIGHT_ALL,
			.busy = bpf_span_busy(flight, now),
			.read = __atomic_load_n(&flight->read, __ATOMIC_RELAXED),
			.written = __atomic_load_n(&flight->written, __ATOMIC_RELAXED),
			.errors = __atomic_load_n(&flight->errors, __ATOMIC_RELAXED),
			.comm = flight->comm,
		};

		/* A flight that is being created has no group yet. The rest counts once a group found no space. */
		if (seen.is_total || seen.busy || seen.read || seen.written)
			call(context, &seen);
	}
}
