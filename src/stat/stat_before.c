/* stat_before: see stat_before.h. */
#include "stat_before.h"

#include <iotrace/mount_names.h>

enum { OWNER_SHIFT = 32, MOST = 10000 };

void stat_before_begin(struct stat_before *before, const struct mount_names *mounts, uint64_t start)
{
	uint32_t all[STAT_CONNECTIONS];
	uint32_t found = mount_names_connections(mounts, all, STAT_CONNECTIONS);

	*before = (struct stat_before){.mounts = mounts, .start = start};
	for (uint32_t i = 0; i < found; i++) {
		uint32_t waiting = mount_names_waiting(mounts, all[i]);

		if (!waiting)
			continue;
		before->connection[before->connections] = all[i];
		before->count[before->connections++] = waiting < MOST ? waiting : MOST;
	}
}

static uint32_t seen_of(const struct frame *frame, uint32_t connection, bool is_by_owner)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < frame->rows; i++) {
		const struct frame_row *row = frame->row[i];

		if (!row->is_rest && row->group >> (is_by_owner ? 0 : OWNER_SHIFT) == connection)
			seen += row->in_flight;
	}
	return seen;
}

void stat_before_look(struct stat_before *before, struct frames *frames, bool is_by_owner)
{
	const struct frame *frame = frames_get(frames);

	for (uint32_t i = 0; i < before->connections; i++) {
		uint32_t waiting, seen;

		if (!before->count[i])
			continue;
		waiting = mount_names_waiting(before->mounts, before->connection[i]);
		seen = seen_of(frame, before->connection[i], is_by_owner);
		if (waiting < seen + before->count[i])
			before->count[i] = waiting > seen ? waiting - seen : 0;
	}
}

void stat_before_open(const struct stat_before *before, struct frames *frames, uint64_t now,
		      bool is_by_owner)
{
	for (uint32_t i = 0; i < before->connections; i++) {
		uint64_t connection = before->connection[i];
		const struct span_seen seen = {.fate = SPAN_OPEN,
					       .group = is_by_owner ? connection
								    : connection << OWNER_SHIFT |
									      STAT_BEFORE,
					       .begin = before->start,
					       .end = now,
					       .is_unseen = true};

		for (uint32_t k = 0; k < before->count[i]; k++)
			frames_open(frames, &seen);
	}
}
