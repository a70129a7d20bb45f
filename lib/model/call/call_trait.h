/* call_trait: properties of a call that follow from its row and its arguments. */
#pragma once

#include "state/state.h"

/* Returns the argument as a descriptor (int), or -1 if the row has none there. */
static inline int call_fd(const struct call *call, int8_t index)
{
	return index == CALL_NO_ARG ? -1 : (int)call->arg[index];
}
/* Returns the first path of the call, as far as it is known, or 0. */
static inline str_id call_named(const struct call *call)
{
	return call->path[0] ? call->path[0] : call->written;
}
/* Whether the call acts on the row's fd, which is not a start directory or the begin of a range. */
bool call_has_descriptor(const struct call *call);
/* Whether a COPY moves the position of one end. */
bool call_copies_at_position(const struct call_row *row, const struct call *call, int end);
/* Whether it moves the position of the description; end 0: of fd, 1: of fd2. */
static inline bool call_uses_position(const struct call_row *row, const struct call *call, int end)
{
	if (row->group == GROUP_DIR || row->group == GROUP_NET)
		return false;
	if (row->kind == CALL_COPY)
		return call_copies_at_position(row, call, end);
	return !end && (row->kind == CALL_READ || row->kind == CALL_WRITE) &&
	       (row->offset == CALL_NO_ARG || (int64_t)call->arg[row->offset] == -1);
}
bool call_writes(const struct call_row *row, int end);
/*
 * Whether the call writes at the end of the file, no matter which offset it has. appends: its description has, or may have,
 * O_APPEND.
 */
bool call_appends(const struct call_row *row, const struct call *call, bool appends, int end);
/* Whether it may create a descriptor; whether it may close descriptors. */
bool call_opens(const struct call_row *row);
bool call_closes_many(const struct call_row *row);
/* Whether it may send descriptors. */
bool call_passes(const struct call_row *row);
/* Whether the call acts on memory, so it is I/O only if a file is mapped there. */
bool call_is_of_memory(const struct call_row *row);
/* Whether it is a multi-purpose call (such as ioctl) with a purpose that iotrace does not record. */
bool call_is_of_no_interest(const struct call *call);
