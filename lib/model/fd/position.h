/*
 * position: file descriptions whose position may change without a record.
 *
 * A process that is not recorded may hold the same open file description: because it was open before the recording, was passed over a
 * socket, or was taken with pidfd_getfd(). The model then uses the position only if the kernel reports it at the end of a call (BPF)
 * and it agrees with the model.
 */
#pragma once

#include "state/state.h"

#include <fcntl.h>

/* A process that is not recorded may hold the description. */
void position_share(struct model *m, struct description *d);
/* The same for all descriptions in a table. */
void position_share_table(struct model *m, uint32_t table);
/* The same for the descriptions in all tables. */
void position_share_all(struct model *m);
/* A message was sent through the socket (ID_NONE: unknown). It may contain any descriptor of the table. */
void position_pass(struct model *m, uint32_t table, uint32_t socket);
/* Whether a process that is not recorded may have set O_APPEND. */
static inline bool position_may_append(const struct model *m, const struct description *d)
{
	return d->may_append || (d->is_shared && d->append_changes != m->append_changes);
}
/* Whether a write appends to the file, or may do so, no matter which offset the call gives. */
static inline bool position_appends(const struct model *m, const struct description *d)
{
	return position_may_append(m, d) || d->flags & O_APPEND;
}
/* F_SETFL has set the flags (UINT32_MAX: unknown flags). ID_NONE: of an unknown open. */
void position_set_flags(struct model *m, uint32_t open, uint32_t flags);
