/*
 * live_block: records block requests: with BPF programs if calls are recorded through BPF, otherwise with perf.
 *
 * The programs write into the rings of live_bpf, which empties and counts them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;
struct live;

/* Finds the numbers of the devices that the user named. Returns 0, or -errno with a message. */
int live_block_find_devices(struct live *live, struct error *err);
/* Attaches the BPF programs, still disabled, if calls are recorded through BPF. If that fails, a remark says why. */
void live_block_open(struct live *live);
/* Returns whether perf records block requests. */
bool live_block_is_of_perf(const struct live *live);
/* Adds facts for new control groups. Called when the recording begins and when it ends. */
void live_block_add_group_facts(struct live *live);
/* Enables the programs: steps of requests are recorded from now on. */
void live_block_start(struct live *live);
void live_block_stop(struct live *live);
/* Returns how many steps the kernel did not pass to the programs since this was asked before, or since they were enabled. */
uint64_t live_block_take_missed(struct live *live);
void live_block_close(struct live *live);
