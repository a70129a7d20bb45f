/*
 * position: whose position the stream may not show all moves of.
 *
 * A process that is not recorded may hold the same open file description: it was open before the recording, somebody
 * passed it over a socket, or took it with pidfd_getfd(). Its position is then believed only where the kernel says it at
 * the end of a call (BPF), and the model agrees.
 */
#pragma once

#include "state/state.h"

#include <fcntl.h>

/* Somebody else may hold the description. */
void position_share(struct model *m, struct description *d);
/* All descriptors of the table may lead somebody else to the same descriptions. */
void position_share_table(struct model *m, uint32_t table);
/* The same for all tables. */
void position_share_all(struct model *m);
/* A message was sent through the socket (ID_NONE: not known which), and any descriptor of the table may be in it. */
void position_pass(struct model *m, uint32_t table, uint32_t socket);
/* Whether somebody may have set O_APPEND whom the stream does not show. */
static inline bool position_may_append(const struct model *m, const struct description *d)
{
	return d->may_append || (d->is_shared && d->append_doubts != m->append_doubts);
}
/* Whether a write to it ends the file, wherever it was asked to begin; also if that is not known. */
static inline bool position_appends(const struct model *m, const struct description *d)
{
	return position_may_append(m, d) || d->flags & O_APPEND;
}
/* F_SETFL set its flags, or may have (UINT32_MAX). ID_NONE: of an open that is not known. */
void position_set_flags(struct model *m, uint32_t open, uint32_t flags);
