/*
 * bpf_span_flight: reads what a group has in flight while programs change it.
 */
#pragma once

#include "bpf_span_shared.h"

#include <iotrace/counted.h>

/*
 * Returns for how many ns anything has been in flight until `now`. The count and the time of a flight change one after the other, so
 * what makes no sense is read again.
 */
uint64_t bpf_span_busy(const struct bpf_span_flight *flight, uint64_t now);
/* Calls with each of the flights that are used. */
void bpf_span_tell_flights(const struct bpf_span_flight *flights, uint32_t count, uint64_t now,
			   void (*call)(void *context, const struct counted_flight *flight),
			   void *context);
