/*
 * identity: what a descriptor was seen to lead to, by a look-up in /proc or by the kernel's own word.
 */
#pragma once

#include "state/state.h"

struct identity {
	const char *
		target; /* as the process sees it: a path from its root, or what has none: "pipe:[7]" */
	uint32_t length;
	uint32_t flags; /* O_*, UINT32_MAX: not known */
	uint64_t mode, dev, ino, mnt_id;
	bool is_deleted; /* it has no name any more */
};

/* Whether the target is a path, and not "pipe:[7]", "anon_inode:..." or a memfd. */
bool identity_is_path(const struct identity *identity);
/* The description is what was seen: its name is sure, and events that waited for it may leave. */
void identity_apply(struct model *m, uint32_t description, const struct identity *identity);
/* The same for what the kernel had itself: no look-up will know better. */
void identity_describe(struct model *m, uint32_t description, const struct event_file *file);
