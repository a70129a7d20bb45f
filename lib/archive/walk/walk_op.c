/*
 * walk_op: pairs begins and ends of operations. OTF2 only requires that matching ids are unique among the operations in flight of
 * one handle.
 */
#include "walk.h"

#include <iotrace/mem.h>

/* Its fields: handle, mode, flags, bytes, id. */
static uint32_t begin(struct walk *walk, const struct walk_event *event, uint64_t key)
{
	const struct value *is = event->record->value;
	uint32_t index;

	if (walk->free_operations) {
		index = walk->free_operation[--walk->free_operations];
	} else {
		index = walk->operations++;
		MEM_GROW(walk->operation, walk->operation_capacity, walk->operations);
	}
	walk->operation[index] = (struct operation){
		.id = is[4].is,
		.key = key,
		.number = walk->begun++,
		.location = event->location,
		.is_in_flight = true,
		.is_non_blocking = is[2].is & OTF2_IO_OPERATION_FLAG_NON_BLOCKING,
		.mode = is[1].is,
		.begun = event->time,
	};
	map_set(&walk->operation_of, key, index);
	return index;
}

/* The id is the last field of all four records. */
static uint64_t key_of(const struct record *record)
{
	return walk_pair(record->value[0].is, record->value[record->values - 1].is);
}

static bool is_of_operation(const struct record *record)
{
	return record->row && record->type >= EVENT_IO_BEGIN &&
	       record->type <= EVENT_IO_CANCELLED && record->type != EVENT_IO_TEST;
}

void walk_op_before(struct walk *walk, struct walk_event *event)
{
	uint64_t key;
	uint32_t index;

	if (!is_of_operation(event->record))
		return;
	key = key_of(event->record);
	index = map_get(&walk->operation_of, key);
	if (event->record->type == EVENT_IO_BEGIN) {
		event->is_again = index != MAP_NONE;
		if (!event->is_again)
			index = begin(walk, event, key);
	}
	event->operation = index == MAP_NONE ? NULL : &walk->operation[index];
}

void walk_op_behind(struct walk *walk, const struct walk_event *event)
{
	struct operation *operation = event->operation;

	if (!operation || event->record->type == EVENT_IO_BEGIN)
		return;
	if (event->record->type == EVENT_IO_ISSUED) {
		operation->is_issued = true;
		operation->issued = event->time;
		return;
	}
	operation->is_in_flight = false;
	MEM_GROW(walk->free_operation, walk->free_capacity, walk->free_operations + 1);
	walk->free_operation[walk->free_operations++] = map_remove(&walk->operation_of,
								   key_of(event->record));
}
