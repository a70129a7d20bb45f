/* op_lock: calls that lock files. */
#include "op_end.h"

#include "op_emit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

/* kind: the record for a lock that was acquired; a refused lock is a try. */
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

void end_lock(struct op *op)
{
	int how = (int)op->call.arg[1];

	emit_lock(op, how & LOCK_UN ? IO_RELEASE_LOCK : IO_ACQUIRE_LOCK,
		  how & LOCK_SH ? IO_LOCK_SHARED : IO_LOCK_EXCLUSIVE);
}

/* The type of a record lock is in memory. If the kernel does not report it, the call is only a region with its file. */
void end_record_lock(struct op *op)
{
	const struct task *t = &op->m->task[op->task];

	if (t->lock_time && t->lock_time >= op->call.enter)
		emit_lock(op, t->lock_type == F_UNLCK ? IO_RELEASE_LOCK : IO_ACQUIRE_LOCK,
			  t->lock_type == F_RDLCK ? IO_LOCK_SHARED : IO_LOCK_EXCLUSIVE);
}
