#include "call_trait.h"

#include <iotrace/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20
#endif

/*
 * Returns the argument that points to the offset of one end of a COPY, or CALL_NO_ARG. It follows the descriptor, unless the
 * other descriptor or the size follows.
 */
static int8_t copy_offset(const struct call_row *row, int end)
{
	int8_t next = (int8_t)((end ? row->fd2 : row->fd) + 1);

	return next == row->fd || next == row->fd2 || next == row->size ? CALL_NO_ARG : next;
}

bool call_copies_at_position(const struct call_row *row, const struct call *call, int end)
{
	int8_t pointer = copy_offset(row, end);

	return pointer == CALL_NO_ARG || !call->arg[pointer];
}

bool call_writes(const struct call_row *row, int end)
{
	return row->kind == CALL_WRITE || (row->kind == CALL_COPY && end);
}

bool call_appends(const struct call_row *row, const struct call *call, bool appends, int end)
{
	uint64_t own = row->kind == CALL_WRITE && row->offset != CALL_NO_ARG &&
				       row->flags != CALL_NO_ARG
			       ? call->arg[row->flags]
			       : 0;

	if (!call_writes(row, end))
		return false;
	return own & RWF_APPEND || (appends && !(own & RWF_NOAPPEND));
}

bool call_opens(const struct call_row *row)
{
	return row->kind == CALL_OPEN || row->kind == CALL_CREATE_FD ||
	       row->kind == CALL_CREATE_PAIR || row->kind == CALL_DUP || row->kind == CALL_FCNTL ||
	       row->kind == CALL_IOCTL;
}

bool call_closes_many(const struct call_row *row)
{
	return row->kind == CALL_CLOSE_RANGE || row->kind == CALL_EXEC || row->kind == CALL_UNSHARE;
}

/* Also sendmsg() and sendmmsg(), whose sizes are in memory. */
bool call_passes(const struct call_row *row)
{
	return row->group == GROUP_NET && row->kind == CALL_WRITE && row->size == CALL_NO_ARG;
}

bool call_is_of_memory(const struct call_row *row)
{
	return row->kind == CALL_MAP || row->kind == CALL_UNMAP || row->kind == CALL_SYNC_MAP;
}

bool call_is_of_no_interest(const struct call *call)
{
	return call_row(call->id)->kind == CALL_IOCTL && !ioctl_row(call->arg[1]);
}

bool call_has_descriptor(const struct call *call)
{
	const struct call_row *row = call_row(call->id);

	if (row->fd == CALL_NO_ARG || row->path != CALL_NO_ARG || call_fd(call, row->fd) < 0 ||
	    row->kind == CALL_CLOSE_RANGE || call_is_of_no_interest(call))
		return false;
	return row->kind != CALL_MAP || !(call->arg[row->flags] & MAP_ANONYMOUS);
}
