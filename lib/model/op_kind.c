/*
 * op_kind: which function ends which kind of call; and the kinds that concern locks, names and directories.
 */
#include "op_end.h"

#include "fdtable.h"
#include "file.h"
#include "fs.h"
#include "name_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/ioctl.h>
#include <stdio.h> /* RENAME_EXCHANGE */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND 0x20
#endif

/*
 * Argument that points to the offset of one end of a COPY, or CALL_NO_ARG if the call has none: it
 * stands behind the descriptor, unless the other descriptor or the size does.
 */
static int8_t copy_offset(const struct call_row *row, int end)
{
	int8_t next = (int8_t)((end ? row->fd2 : row->fd) + 1);

	return next == row->fd || next == row->fd2 || next == row->size ? CALL_NO_ARG : next;
}

bool kind_copies_at_position(const struct call_row *row, const struct call *call, int end)
{
	int8_t pointer = copy_offset(row, end);

	return pointer == CALL_NO_ARG || !call->arg[pointer];
}

bool kind_writes(const struct call_row *row, int end)
{
	return row->kind == CALL_WRITE || (row->kind == CALL_COPY && end);
}

bool kind_appends(const struct call_row *row, const struct call *call, bool appends, int end)
{
	uint64_t own = row->kind == CALL_WRITE && row->offset != CALL_NO_ARG &&
				       row->flags != CALL_NO_ARG
			       ? call->arg[row->flags]
			       : 0;

	if (!kind_writes(row, end))
		return false;
	return own & RWF_APPEND || (appends && !(own & RWF_NOAPPEND));
}

bool kind_opens(const struct call_row *row)
{
	return row->kind == CALL_OPEN || row->kind == CALL_CREATE_FD ||
	       row->kind == CALL_CREATE_PAIR || row->kind == CALL_DUP || row->kind == CALL_FCNTL ||
	       row->kind == CALL_IOCTL;
}

bool kind_closes_many(const struct call_row *row)
{
	return row->kind == CALL_CLOSE_RANGE || row->kind == CALL_EXEC || row->kind == CALL_UNSHARE;
}

/* sendmsg() and sendmmsg(): how much they send is in memory, too. */
bool kind_passes(const struct call_row *row)
{
	return row->group == GROUP_NET && row->kind == CALL_WRITE && row->size == CALL_NO_ARG;
}

bool kind_is_of_memory(const struct call_row *row)
{
	return row->kind == CALL_MAP || row->kind == CALL_UNMAP || row->kind == CALL_SYNC_MAP;
}

bool kind_is_of_no_interest(const struct call *call)
{
	return call_row(call->id)->kind == CALL_IOCTL && !ioctl_row(call->arg[1]);
}

/* O_TMPFILE contains O_DIRECTORY: its path is that of a directory, too. */
static bool names_directory(const struct op *op)
{
	uint64_t flags = op->row->flags == CALL_NO_ARG ? 0 : op->call.arg[op->row->flags];

	switch (op->row->kind) {
	case CALL_CHDIR:
	case CALL_CHROOT:
		return true;
	case CALL_OPEN:
		return flags & O_DIRECTORY || (op->file && S_ISDIR(op->file->mode));
	case CALL_DELETE:
		return flags & AT_REMOVEDIR || !strcmp(op->row->name, "rmdir");
	default:
		return !strncmp(op->row->name, "mkdir", 5);
	}
}

enum model_file_kind kind_file(const struct op *op)
{
	return op->call.is_directory || names_directory(op) ? FILE_DIRECTORY : FILE_REGULAR;
}

/* kind: the record of a lock that was got; a refused one is a try. */
static void emit_lock(struct op *op, enum io_event_kind kind, enum io_lock lock)
{
	struct io_event event = {.kind = kind, .time = op->time};

	if (op->is_cancelled || op->call.open == ID_NONE)
		return;
	if (op->error && op->error != EAGAIN && op->error != EACCES)
		return;
	if (op->error)
		event.kind = IO_TRY_LOCK;
	event.lock.lock = lock;
	op_emit_use(op, &event);
}

static void end_lock(struct op *op)
{
	int how = (int)op->call.arg[1];

	emit_lock(op, how & LOCK_UN ? IO_RELEASE_LOCK : IO_ACQUIRE_LOCK,
		  how & LOCK_SH ? IO_LOCK_SHARED : IO_LOCK_EXCLUSIVE);
}

/* A record lock has its type in memory; where the kernel does not say it, the call stays a region with its file. */
void end_record_lock(struct op *op)
{
	const struct task *t = &op->m->task[op->task];

	if (t->lock_time && t->lock_time >= op->call.enter)
		emit_lock(op, t->lock_type == F_UNLCK ? IO_RELEASE_LOCK : IO_ACQUIRE_LOCK,
			  t->lock_type == F_RDLCK ? IO_LOCK_SHARED : IO_LOCK_EXCLUSIVE);
}

static void delete_file(struct op *op, file_id file)
{
	struct io_event event = {.kind = IO_DELETE_FILE, .time = op->time};

	event.delete_file.file = file;
	op->m->file[file].is_gone = true;
	op_emit(op, &event, ID_NONE);
}

static void end_delete(struct op *op)
{
	if (!op->error && !op->is_cancelled && op->call.path[0])
		delete_file(op, file_add(op->m, op->call.path[0], kind_file(op)));
}

static file_id known_file(const struct op *op, int index)
{
	str_id path = op->call.path[index];

	return path && !name_is_stand_in(op->m, path) ? file_find(op->m, path) : ID_NONE;
}

/*
 * Whether the new name was a file before is only known if the stream showed it. The old one is gone then, but if the
 * two have changed places.
 */
static void end_rename(struct op *op)
{
	bool has_flags = op->row->flags != CALL_NO_ARG;
	file_id source = known_file(op, 0), target = known_file(op, 1);

	if (op->error || op->is_cancelled ||
	    (has_flags && op->call.arg[op->row->flags] & RENAME_EXCHANGE))
		return;
	if (target != ID_NONE && !op->m->file[target].is_gone)
		delete_file(op, target);
	if (source != ID_NONE)
		op->m->file[source].is_gone = true;
	if (target != ID_NONE)
		op->m->file[target].is_gone = false;
}

static void end_chdir(struct op *op)
{
	if (!op->error && !op->is_cancelled && op->call.open != ID_NONE)
		file_is_directory(op->m, open_description(op->m, op->call.open)->file);
}

/* The record of the call has the new root as its second file. Threads of one process may have parted theirs. */
static void end_chroot(struct op *op)
{
	const struct event_file *root = op->file ? &op->file[1] : NULL;
	bool is_of_leader = op->m->task[op->task].tid == op->m->process[op->process].pid;
	struct fs_root is = {.path.at = NULL};

	if (op->error || op->is_cancelled)
		return;
	if (!strcmp(op->row->name, "pivot_root")) /* it moves the root of others, too */
		fs_forget_like(op->m, op->process);
	if (root && root->name.at && is_of_leader)
		is = (struct fs_root){root->name, root->position};
	fs_set_root(op->m, op->process, &is);
}

static void end_none(struct op *op)
{
	(void)op;
}

void kind_end(struct op *op)
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
