/*
 * stacks: the call chains of the begins of spans, each stored once.
 *
 * The kernel gives addresses, which have a meaning only while the process has its mappings. So each address is converted to a
 * file and an offset in it when its sample arrives. Functions and lines are looked up at the end, and only for the leaks that are
 * printed.
 *
 * Processes that run the same code have the same stacks, wherever it is mapped.
 */
#pragma once

#include <iotrace/map.h>
#include <iotrace/span_engine.h>
#include <iotrace/strtab.h>

enum { STACK_FRAMES = 127, STACKS_MAX = 1 << 20 };

struct space_map {
	uint64_t begin, end, offset;
	str_id file;
};

/* The executable mappings of a process. */
struct space {
	struct space_map *map;
	uint32_t maps, cap;
	uint32_t version; /* a number that no other state of a process has */
};

struct stack {
	uint32_t first, count; /* frames of the stack, in stacks->frame */
};

struct stacks {
	struct strtab *strings;
	struct space *space;
	uint32_t spaces, spaces_cap, versions;
	struct map by_pid;
	struct map by_chain,
		by_hash; /* hash of addresses and version, or of frames: id of the stack */
	struct span_frame *frame;
	uint32_t frames, frames_cap;
	struct stack *stack; /* by id; 0 means no stack */
	uint32_t stacks, stacks_cap;
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);
void stacks_add_mapping(struct stacks *stacks, const struct decode_mapping *mapping);
/* Give a child the mappings of its parent; remove those of a process that executes another program or has ended. */
void stacks_fork(struct stacks *stacks, uint32_t parent, uint32_t child);
void stacks_forget(struct stacks *stacks, uint32_t pid);
/* Returns the id of an event's call chain; 0: none. is_return: the event happened after a call. */
uint32_t stacks_add(struct stacks *stacks, const struct event *event, bool is_return);
