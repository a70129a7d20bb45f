#include "op_end.h"

#include "op_emit.h"

static void end_none(struct op *op)
{
	(void)op;
}

void op_apply(struct op *op)
{
	static void (*const end[])(struct op *) = {
		[CALL_OPEN] = end_open,
		[CALL_CREATE_FD] = end_create_fd,
		[CALL_CREATE_PAIR] = end_create_pair,
		[CALL_CLOSE] = end_close,
		[CALL_CLOSE_RANGE] = end_close_range,
		[CALL_DUP] = end_dup,
		[CALL_FCNTL] = end_fcntl,
		[CALL_IOCTL] = end_ioctl,
		[CALL_READ] = end_data,
		[CALL_WRITE] = end_data,
		[CALL_COPY] = end_copy,
		[CALL_SEEK] = end_seek,
		[CALL_SYNC] = end_sync,
		[CALL_SYNC_ALL] = end_sync_all,
		[CALL_LOCK] = end_lock,
		[CALL_DELETE] = end_delete,
		[CALL_RENAME] = end_rename,
		[CALL_CHDIR] = end_chdir,
		[CALL_CHROOT] = end_chroot,
		[CALL_MAP] = end_map,
		[CALL_UNMAP] = end_unmap,
		[CALL_SYNC_MAP] = end_sync,
		[CALL_EXEC] = end_exec,
		[CALL_CLONE] = end_none,
		[CALL_UNSHARE] = end_unshare,
		[CALL_META] = end_none,
	};

	end[op->row->kind](op);
}
