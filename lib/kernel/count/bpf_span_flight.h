/*
 * bpf_span_flight: reads what a group has in flight while programs change it.
 */
#pragma once

#include "bpf_span_shared.h"

#include <iotrace/counted_read.h>

/*
 * Returns the ns until `now` in which at least one span was in flight. Programs change the count and the time of a flight one after
 * the other, so values that do not fit together are read again.
 */
uint64_t bpf_span_busy(const struct bpf_span_flight *flight, uint64_t now);
/* Returns whether nothing is in flight. */
bool bpf_span_is_idle(const struct bpf_span_flight *flights);
/* Calls back for each flight in use. */
void bpf_span_each_flight(const struct bpf_span_flight *flights, uint32_t count, uint64_t now,
			  void (*call)(void *context, const struct counted_flight *flight),
			  void *context);
