/* stat_frame: frames of what a daemon has published: the difference of two readings, or a step of the history. */
#pragma once

#include "stat_names.h"

#include <iotrace/frame_report.h>
#include <iotrace/publication.h>

struct stat_frame {
	uint32_t view; /* enum publication_view; PUBLICATION_VIEWS: all */
	struct frame frame;
	struct frame_row *rows, total;
	const struct frame_row **sorted;
	const char **name; /* of each row, by its group */
	uint32_t *of_view; /* the view of each row, by its group */
	uint32_t capacity;
	/* FUSE connections are rows even if the daemon has seen no request; NULL: they are not looked for. Lent. */
	struct mount_names *mounts;
	uint32_t connection[STAT_CONNECTIONS], connections;
	char connection_name[STAT_CONNECTIONS][PUBLICATION_NAME];
	char text[PUBLICATION_NAME + 16];
};

/* Makes the frame between two readings of the same file; before: NULL: since the daemon began. Both are lent. */
void stat_frame_between(struct stat_frame *frame, const struct publication *before,
			const struct publication *after);
/* Returns for how long nobody counted between both, ns. It is no part of the frame's time. */
uint64_t stat_frame_uncounted(const struct publication *before, const struct publication *after);
/* Makes the frame of a slot of the history, which is lent. */
void stat_frame_of_step(struct stat_frame *frame, const struct publication *step);
/* For struct frame_report; the context is the struct stat_frame. */
size_t stat_frame_name(const void *frame, const struct frame_row *row, char *text, size_t size);
void stat_frame_release(struct stat_frame *frame);
