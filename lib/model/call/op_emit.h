/*
 * op_emit: what a call makes, and the io_events that say so.
 */
#pragma once

#include "out/outbox.h"
#include "state/state.h"

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
	bool is_left_out; /* of a task that is not wanted (--comm): it only does what it does to descriptors */
	bool is_pair; /* known at its end only: others may have changed what it used since it began */
	uint32_t made;     /* what an open made, held; ID_NONE */
	uint64_t position; /* is_pair: of call.open when it had ended; EVENT_POSITION_UNKNOWN */
	const struct event_file
		*file;   /* [EVENT_FILES]: what the kernel had at new descriptors; or NULL */
	enum io_end end; /* is_cancelled: why */
};

/* Whether the call is left out, because its task is: it only does what it does to descriptors. */
bool op_is_left_out(const struct model *m, uint32_t task, const struct call_row *row);
/* Puts an event on the location of the call. */
static inline void op_emit(struct op *op, struct io_event *event, uint32_t open)
{
	if (op->is_left_out)
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
/* Returns an open that the call made, held. Where that is left out, its next user finds it open already. */
uint32_t op_open(const struct op *op, uint32_t description);
/* Emits that `open`, which is in a table now, was made of another one. */
void op_emit_duplicate(struct op *op, uint32_t from, uint32_t open, bool is_cloexec);
/* Whether another thread closed call.open while the call went on. */
bool op_is_gone(const struct op *op);
/* Emits a DESTROY_HANDLE for the open on the task's location. */
void op_destroy(struct model *m, uint32_t task, uint64_t time, uint32_t open);
