/*
 * walk_events: the events of all locations as one stream. A heap has each location's next event; the earliest is on top.
 */
#include "walk.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge {
	struct walk *walk;
	struct head {
		uint64_t time;
		uint32_t location;
	} * head; /* a heap */
	uint32_t heads;
};

static bool is_before(const struct merge *merge, const struct head *a, const struct head *b)
{
	const struct location *location = merge->walk->location;

	return a->time != b->time ? a->time < b->time
				  : location[a->location].ref < location[b->location].ref;
}

static void sink_down(struct merge *merge, uint32_t at)
{
	struct head *head = merge->head, moved = head[at];

	for (uint32_t child; (child = 2 * at + 1) < merge->heads; at = child) {
		if (child + 1 < merge->heads && is_before(merge, &head[child + 1], &head[child]))
			child++;
		if (!is_before(merge, &head[child], &moved))
			break;
		head[at] = head[child];
	}
	head[at] = moved;
}

/* Reads the next event of the location. Returns false if there is none. */
static bool advance(struct walk *walk, struct head *head)
{
	struct location *location = &walk->location[head->location];
	struct file *file = location->file;

	if (!file_next(file)) {
		walk->looked_at = head->location + 1;
		if (*file->taking.wrong) /* it has changed since it was checked */
			walk_found(walk, "%s: %s", file->name, file->taking.wrong);
		walk->looked_at = 0;
		return false;
	}
	head->time = file->time;
	if (!location->local)
		return true;
	head->time = local_time(location->local, file->time);
	local_map(location->local, &file->attributes);
	if (file->record.row)
		local_map(location->local, &file->record);
	return true;
}

/* Checks the location's files. */
static void look_at(struct walk *walk, struct location *location)
{
	char name[FILE_NAME_SIZE];
	struct file file;

	snprintf(name, sizeof(name), "traces/%" PRIu64 ".evt", location->ref);
	file = walk_file(walk, name, CONTENT_EVENTS);
	location->has_file = walk_check(walk, &file, &location->events);
	location->has_file &= local_read(walk, location);
	file_release(&file);
	if (!location->has_file)
		return;
	location->file = mem_zero(sizeof(*location->file));
	*location->file = walk_file(walk, name, CONTENT_EVENTS);
}

static void open_all(struct merge *merge)
{
	struct walk *walk = merge->walk;

	for (uint32_t id = 0; id < walk->locations; id++) {
		walk->looked_at = id + 1;
		look_at(walk, &walk->location[id]);
	}
	walk->looked_at = 0;
	for (uint32_t id = 0; id < walk->locations; id++) {
		struct head *head = &merge->head[merge->heads];

		head->location = id;
		if (walk->location[id].has_file && file_begin(walk->location[id].file) &&
		    advance(walk, head))
			merge->heads++;
	}
	for (uint32_t at = merge->heads; at--;)
		sink_down(merge, at);
}

static void close_all(struct walk *walk)
{
	for (uint32_t id = 0; id < walk->locations; id++) {
		struct location *location = &walk->location[id];

		if (location->file)
			file_release(location->file);
		free(location->file);
		local_free(location->local);
		location->file = NULL;
		location->local = NULL;
	}
}

bool walk_events(struct walk *walk, bool (*on)(void *context, const struct walk_event *event),
		 void *context)
{
	struct merge merge = {.walk = walk,
			      .head = mem_array(walk->locations + 1, sizeof(*merge.head))};
	bool is_wanted = true, any = false;

	open_all(&merge);
	while (is_wanted && merge.heads) {
		struct head *first = merge.head;
		const struct file *file = walk->location[first->location].file;
		struct walk_event event = {first->location,   first->time, &file->record,
					   &file->attributes, NULL,        false};

		walk_op_before(walk, &event);
		is_wanted = on(context, &event);
		walk_op_behind(walk, &event);
		if (!advance(walk, first))
			*first = merge.head[--merge.heads];
		sink_down(&merge, 0);
	}
	for (uint32_t id = 0; id < walk->locations; id++)
		any |= walk->location[id].has_file;
	close_all(walk);
	free(merge.head);
	return any;
}
