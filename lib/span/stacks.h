/*
 * stacks: from where spans began: call chains, each kept once.
 *
 * The kernel gives addresses. They have a meaning only while the process has its mappings, so each address becomes a file and an
 * offset in it when its sample arrives. Functions and lines are looked up at the end, and only for the leaks that are printed.
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

/* The mappings of a process that may be executed. */
struct space {
	struct space_map *map;
	uint32_t maps, cap;
	uint32_t version; /* no two states of any process have the same one */
};

struct stack {
	uint32_t first, count; /* in stacks->frame */
};

struct stacks {
	struct strtab *strings;
	struct space *space;
	uint32_t spaces, spaces_cap, versions;
	struct map by_pid; /* index of the space */
	struct map by_chain,
		by_hash; /* hash of addresses and version, or of frames: id of the stack */
	struct span_frame *frame;
	uint32_t frames, frames_cap;
	struct stack *stack; /* by id; 0 is none */
	uint32_t stacks, stacks_cap;
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);
void stacks_add_mapping(struct stacks *stacks, const struct decode_mapping *mapping);
/* A process was made, executes another program, or has ended. */
void stacks_fork(struct stacks *stacks, uint32_t parent, uint32_t child);
void stacks_forget(struct stacks *stacks, uint32_t pid);
/* Returns the id of the call chain of an event, 0: it has none. is_return: it happened behind a call. */
uint32_t stacks_add(struct stacks *stacks, const struct event *event, bool is_return);
