/* identity: the file of a descriptor, as found by a look-up in /proc or reported by the kernel. */
#pragma once

#include "state/state.h"

struct identity {
	const char *target; /* for the process: a path from its root, or "pipe:[7]" and similar */
	uint32_t length;
	uint32_t flags; /* O_*, UINT32_MAX: not known */
	uint64_t mode, dev, ino, mnt_id;
	bool is_deleted; /* the file was deleted */
};

/* Whether the target is a path, and not "pipe:[7]", "anon_inode:..." or a memfd. */
bool identity_is_path(const struct identity *identity);
/* Sets the identity of a description: its name is certain, and waiting events are released. */
void identity_apply(struct model *m, uint32_t description, const struct identity *identity);
/* The same for an identity that the kernel reported, which no look-up can improve. */
void identity_describe(struct model *m, uint32_t description, const struct event_file *file);
