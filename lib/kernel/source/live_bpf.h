/*
 * live_bpf: the BPF source of a recording. The control thread empties its rings and counts records.
 *
 * Only one thread at a time uses it.
 */
#pragma once

#include "ring/ring_source.h"

#include <stdbool.h>
#include <stdint.h>

struct error;
struct live;

/* Id of the event "iotrace:bpf". */
#define LIVE_BPF_ID (((uint64_t)1 << 62) + 1)

/* Chooses the source. Returns 0, or -errno with a message if the user requires BPF but it is not possible. */
int live_bpf_open(struct live *live, struct error *err);
/* Adds the event to the description in the capture. */
int live_bpf_describe(struct live *live, struct error *err);
/* Attaches the programs and marks the tasks to trace. This is the last step that needs rights. */
int live_bpf_attach(struct live *live, struct error *err);
/* The rings of the BPF programs, as a source. Its `self` is a struct live. */
extern const struct ring_source_ops live_bpf_ops;
/* Adds facts about calls and events that the programs missed since the rings were read before. */
void live_bpf_take_gaps(struct live *live, uint64_t now);
/* Returns whether the CPU with this number has a ring, or no BPF program runs. */
bool live_bpf_follows(const struct live *live, uint32_t number);
/* Adds records of the calls that are in flight and began at least `age` ns ago. Later records may say that they have ended. */
void live_bpf_put_old_calls(struct live *live, uint64_t age);
/* Functions of live_bpf_ops: whether all records that the programs counted have been moved; and the fact COUNT. */
bool live_bpf_has_all(const void *self);
/* Adds the fact SOURCE. */
void live_bpf_add_source_fact(struct live *live);
void live_bpf_add_count_fact(void *self);
