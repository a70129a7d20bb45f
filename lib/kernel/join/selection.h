/* selection: what to record of a command that joins, as a message contains it. */
#pragma once

#include <iotrace/recording.h>

struct error;

enum { JOIN_GLOBS_SIZE = 8000 };

struct join_selection {
	uint32_t groups, size;
	/* For each glob of --comm, --path and --exclude-path: a letter, the glob, NUL. */
	char globs[JOIN_GLOBS_SIZE];
};

/* Returns 0, or -E2BIG with a message if the globs are too long. */
int join_selection_pack(struct join_selection *packed, const struct recording_selection *selection,
			struct error *err);
/* Its lists are lent from `packed`; join_selection_release() frees them. `packed` may be invalid. */
void join_selection_unpack(struct recording_selection *selection,
			   const struct join_selection *packed);
bool join_selection_is_same(const struct join_selection *a, const struct join_selection *b);
/* Returns whether both select tasks by the same names. */
bool join_selection_has_same_names(const struct recording_selection *a,
				   const struct recording_selection *b);
void join_selection_release(struct recording_selection *selection);
