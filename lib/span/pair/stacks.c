/*
 * stacks: see stacks.h.
 */
#include "stacks.h"

#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

/* The least value of enum perf_callchain_context. Such an address says where the next ones are: in the kernel or in the program. */
#define CONTEXT_LEAST  ((uint64_t)-4095)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)

enum chain_of { OF_NOBODY, OF_KERNEL, OF_USER };

struct stacks *stacks_new(void)
{
	struct stacks *stacks = mem_zero(sizeof(*stacks));

	stacks->strings = strtab_new();
	stacks->stacks = 1;
	MEM_GROW(stacks->stack, stacks->stacks_cap, 1);
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	for (uint32_t i = 0; i < stacks->spaces; i++)
		free(stacks->space[i].map);
	map_release(&stacks->by_pid);
	map_release(&stacks->by_chain);
	map_release(&stacks->by_hash);
	strtab_free(stacks->strings);
	free(stacks->space);
	free(stacks->frame);
	free(stacks->stack);
	free(stacks);
}

static struct space *space_of(struct stacks *stacks, uint32_t pid, bool is_wanted)
{
	uint32_t index = map_get(&stacks->by_pid, pid);

	if (index != MAP_NONE)
		return &stacks->space[index];
	if (!is_wanted)
		return NULL;
	/* Uses the space of a process that has ended, or a new one. */
	for (index = 0; index < stacks->spaces && stacks->space[index].version; index++)
		;
	if (index == stacks->spaces) {
		stacks->spaces++;
		MEM_GROW(stacks->space, stacks->spaces_cap, stacks->spaces);
		stacks->space[index] = (struct space){0};
	}
	stacks->space[index].version = ++stacks->versions;
	map_set(&stacks->by_pid, pid, index);
	return &stacks->space[index];
}

/* Earlier mappings at these addresses are removed, at least in part. */
void stacks_add_mapping(struct stacks *stacks, const struct decode_mapping *mapping)
{
	struct space *space = space_of(stacks, mapping->pid, true);
	uint64_t end = mapping->begin + mapping->length;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < space->maps; i++)
		if (space->map[i].end <= mapping->begin || space->map[i].begin >= end)
			space->map[kept++] = space->map[i];
	space->maps = kept;
	MEM_GROW(space->map, space->cap, space->maps + 1);
	space->map[space->maps++] = (struct space_map){mapping->begin, end, mapping->offset,
						       strtab_add(stacks->strings, mapping->file.at,
								  mapping->file.length)};
	space->version = ++stacks->versions;
}

void stacks_fork(struct stacks *stacks, uint32_t parent, uint32_t child)
{
	struct space *to, *from;

	if (parent == child || !space_of(stacks, parent, false))
		return;
	stacks_forget(stacks, child);
	to = space_of(stacks, child, true);
	from = space_of(stacks, parent, false);
	MEM_GROW(to->map, to->cap, from->maps);
	if (from->maps)
		memcpy(to->map, from->map, from->maps * sizeof(*to->map));
	to->maps = from->maps;
	to->version = from->version;
}

void stacks_forget(struct stacks *stacks, uint32_t pid)
{
	uint32_t index = map_remove(&stacks->by_pid, pid);

	if (index != MAP_NONE)
		stacks->space[index].version = stacks->space[index].maps = 0;
}

/* Returns whether the address can be code. A program without frame pointers may have any value where one should be. */
static bool find_file(const struct space *space, uint64_t address, struct span_frame *frame)
{
	frame->offset = address;
	for (uint32_t i = 0; space && i < space->maps; i++) {
		const struct space_map *map = &space->map[i];

		if (address < map->begin || address >= map->end)
			continue;
		frame->file = map->file;
		frame->offset = address - map->begin + map->offset;
		return true;
	}
	return !space || !space->maps;
}

static uint32_t add_stack(struct stacks *stacks, const struct span_frame *frame, uint32_t count)
{
	uint64_t hash = hash_bytes(hash_key_of_process(), frame, count * sizeof(*frame));
	uint32_t id = map_get(&stacks->by_hash, hash);

	if (id != MAP_NONE)
		return id;
	if (stacks->stacks == STACKS_MAX)
		return 0;
	id = stacks->stacks++;
	MEM_GROW(stacks->stack, stacks->stacks_cap, stacks->stacks);
	MEM_GROW(stacks->frame, stacks->frames_cap, stacks->frames + count);
	memcpy(&stacks->frame[stacks->frames], frame, count * sizeof(*frame));
	stacks->stack[id] = (struct stack){stacks->frames, count};
	stacks->frames += count;
	map_set(&stacks->by_hash, hash, id);
	return id;
}

static uint64_t address_at(const struct event *event, uint32_t index)
{
	uint64_t address;

	memcpy(&address, event->tracepoint.caller + index * sizeof(address), sizeof(address));
	return address;
}

/* The first address of each part is an instruction; the others are return addresses. */
static uint32_t make(struct stacks *stacks, const struct space *space, const struct event *event,
		     bool is_behind_call)
{
	struct span_frame frame[STACK_FRAMES];
	enum chain_of of = OF_NOBODY;
	bool is_return = false;
	uint32_t count = 0;

	memset(frame, 0, sizeof(frame)); /* padding between the members is hashed, too */
	for (uint32_t i = 0; i < event->tracepoint.callers && count < STACK_FRAMES; i++) {
		uint64_t address = address_at(event, i);

		if (address >= CONTEXT_LEAST) {
			of = address == CONTEXT_KERNEL ? OF_KERNEL
			     : address == CONTEXT_USER ? OF_USER
						       : OF_NOBODY;
			is_return = is_behind_call;
			continue;
		}
		if (of == OF_NOBODY)
			continue;
		if (of == OF_KERNEL)
			frame[count].offset = address;
		else if (!find_file(space, address, &frame[count]))
			break;
		frame[count].is_kernel = of == OF_KERNEL;
		frame[count++].is_return = is_return;
		is_return = true;
	}
	return count ? add_stack(stacks, frame, count) : 0;
}

uint32_t stacks_add(struct stacks *stacks, const struct event *event, bool is_return)
{
	const struct space *space = space_of(stacks, event->pid, false);
	struct hash_key key = hash_key_of_process();
	uint64_t hash;
	uint32_t id;

	if (!event->tracepoint.callers)
		return 0;
	key.low ^= map_key(is_return, space ? space->version : 0);
	hash = hash_bytes(key, event->tracepoint.caller,
			  event->tracepoint.callers * sizeof(uint64_t));
	id = map_get(&stacks->by_chain, hash);
	if (id != MAP_NONE)
		return id;
	id = make(stacks, space, event, is_return);
	/* Chains of processes that have ended are never looked up again. */
	if (stacks->by_chain.count > STACKS_MAX)
		map_clear(&stacks->by_chain);
	map_set(&stacks->by_chain, hash, id);
	return id;
}
