/*
 * loop: loops whose number of turns depends on data.
 *
 * bpf_loop() exists since Linux 5.17. BPF_PLAIN iterates over an array without contents: bpf_for_each_map_elem() exists since
 * Linux 5.13. The body returns when to stop, because the array has as many elements as any loop may need.
 */
#pragma once

#include "kernel.h"

#include <bpf/bpf_helpers.h>

enum { TURNS_MOST = 1 << 16 };

#ifdef BPF_PLAIN
enum { TURNS = TURNS_MOST };
/* The parameters of a body, which returns 1 to stop; and the number of the turn, from 0. */
#define TURN(context)               void *map_, uint32_t *turn_, void *value_, context
#define TURN_NUMBER                 (*turn_)
#define REPEAT(most, body, context) bpf_for_each_map_elem(&turns, body, context, 0)
#else
enum { TURNS = 1 };
#define TURN(context)               uint32_t turn_, context
#define TURN_NUMBER                 turn_
#define REPEAT(most, body, context) bpf_loop(most, body, context, 0)
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TURNS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} turns SEC(".maps");
