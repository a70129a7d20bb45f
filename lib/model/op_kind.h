/*
 * op_kind: what each kind of call (enum call_kind) does. One function for each, in a table.
 */
#ifndef IOTRACE_MODEL_OP_KIND_H
#define IOTRACE_MODEL_OP_KIND_H

#include "outbox.h"
#include "state.h"

/* A call that has ended. call.open and call.open2 are held until op_exit() is done. */
struct op {
	struct model *m;
	uint32_t task, process;
	thread_id thread; /* its location; ID_NONE before its first event */
	const struct call_row *row;
	struct call call;
	uint64_t time; /* of its end */
	int64_t result;
	int error;         /* errno, 0: succeeded */
	bool is_cancelled; /* its end was not seen: result and error say nothing */
	bool is_untold; /* of a task that is not wanted (--comm): it only does what it does to descriptors */
	bool is_pair; /* told at its end only: others may have changed what it used since it began */
	uint32_t made;     /* what an open made, held; ID_NONE */
	uint64_t position; /* is_pair: of call.open when it had ended; EVENT_POSITION_UNKNOWN */
	const struct event_file
		*file;   /* [EVENT_FILES]: what the kernel had at new descriptors; or NULL */
	enum io_end end; /* is_cancelled: why */
};

/* Applies the result and emits what stands between ENTER and LEAVE. */
void kind_end(struct op *op);
/* Puts an event on the location of the call. */
static inline void op_emit(struct op *op, struct io_event *event, uint32_t open)
{
	if (op->is_untold)
		return;
	event->thread = op->thread;
	event->handle = ID_NONE;
	if (event->kind == IO_CREATE_HANDLE || event->kind == IO_DESTROY_HANDLE)
		out_emit(op->m, event, open, ID_NONE);
	else
		out_emit_use(op->m, event, open);
}
/* The same for what was done to call.open at no particular time: at the call's end, if it was still open then. */
void op_emit_use(struct op *op, struct io_event *event);
/* op->made becomes what an open that succeeded made. */
void op_make(struct op *op);
/* Returns an open that the call made, held. Where nobody is told of that, who uses it later finds it open already. */
uint32_t op_open(const struct op *op, uint32_t description);
/* Tells that `open`, which is in a table now, was made of another one. */
void op_emit_duplicate(struct op *op, uint32_t from, uint32_t open, bool is_cloexec);
/* Whether another thread closed call.open while the call went on. */
bool op_is_gone(const struct op *op);

/* Whether a COPY moves the position of one end. */
bool kind_copies_at_position(const struct call_row *row, const struct call *call, int end);
/* Whether it moves the position of the description; end 0: of fd, 1: of fd2. */
static inline bool kind_uses_position(const struct call_row *row, const struct call *call, int end)
{
	if (row->group == GROUP_DIR || row->group == GROUP_NET)
		return false;
	if (row->kind == CALL_COPY)
		return kind_copies_at_position(row, call, end);
	return !end && (row->kind == CALL_READ || row->kind == CALL_WRITE) &&
	       (row->offset == CALL_NO_ARG || (int64_t)call->arg[row->offset] == -1);
}
bool kind_writes(const struct call_row *row, int end);
/* Whether it writes at the end of the file, whatever offset it gives; appends: its description does, or may. */
bool kind_appends(const struct call_row *row, const struct call *call, bool appends, int end);
/* Whether it may make a descriptor; whether it may close any of them. */
bool kind_opens(const struct call_row *row);
bool kind_closes_many(const struct call_row *row);
/* Whether what it sends may have descriptors with it. */
bool kind_passes(const struct call_row *row);
/* Whether it acts on memory, and is I/O only if a file is there. */
bool kind_is_of_memory(const struct call_row *row);
/* Whether it is one of many things that a call may do, and nothing of interest. */
bool kind_is_of_no_interest(const struct call *call);
/* Returns what the call shows of the file that its first path names. */
enum model_file_kind kind_file(const struct op *op);

#endif
