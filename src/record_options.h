/*
 * record_options: what record can be told, and what of it goes together.
 */
#ifndef IOTRACE_RECORD_OPTIONS_H
#define IOTRACE_RECORD_OPTIONS_H

#include "output.h"

#include <iotrace/live.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pid_list {
	pid_t *pid;
	uint32_t count, cap;
};

struct uid_list {
	uint32_t *uid;
	uint32_t count, cap;
	struct option_list words; /* what the user wrote for each */
};

/* --block: with names of devices, or the words that stand for all, none, or what is usual. */
struct block_option {
	bool is_given;
	bool has_choice;
	enum block_choice choice;
	struct option_list words; /* names of devices, --device too; copies, freed by release */
};

struct record_options {
	struct output_options output;
	struct pid_list pids;
	bool is_system, waits_for_all;
	uint64_t duration, sample_interval; /* ns */
	struct block_option block;
	uint32_t block_mode; /* bits of enum block_output */
	bool is_without_block;
	struct uid_list uids;
	struct option_list cgroups, comms, paths, left_outs, events;
	uint64_t ring_bytes, buffer_bytes;
	const char *capture;
	uint32_t groups;
	enum live_source source;
	int ready_fd; /* 0: none */
	struct option_list counters;
	int verbosity;
};

extern const struct option_row record_rows[];

void record_options_init(struct record_options *options);
void record_options_release(struct record_options *options);
/* Returns 0, or -EINVAL with a sentence about what does not go together. has_command: operands were given. */
int record_options_check(const struct record_options *options, bool has_command, struct error *err);
/* Returns what of it the kernel side is told; `options` is lent. */
struct live_options record_options_live(const struct record_options *options);

#ifdef __cplusplus
}
#endif
#endif
