/* op_emit: the opens that a call creates, and its io_events. */
#pragma once

#include "out/outbox.h"
#include "state/state.h"

/* A call that has ended. call.open and call.open2 are held until op_exit() is done. */
struct op {
	struct model *m;
	uint32_t task, process;
	thread_id thread; /* location of the task; ID_NONE before its first event */
	const struct call_row *row;
	struct call call;
	uint64_t time; /* time of its end */
	int64_t result;
	int error;         /* errno; 0: success */
	bool is_cancelled; /* its end did not arrive: result and error are not valid */
	bool is_excluded;  /* the task is excluded (--comm): the call only updates the tables */
	/* Known only at its end, so others may have changed its descriptors since its begin. */
	bool is_pair;
	uint32_t made; /* the new open, held; or ID_NONE */
	/* is_pair: position of call.open at the end, or EVENT_POSITION_UNKNOWN. */
	uint64_t position;
	/* [EVENT_FILES]: the kernel's files of new descriptors, or NULL. */
	const struct event_file *file;
	enum io_end end; /* is_cancelled: the reason */
};

/* Whether the call is excluded because of its task, so that it only updates the tables. */
bool op_is_excluded(const struct model *m, uint32_t task, const struct call_row *row);
/* Emits an event on the location of the call. */
static inline void op_emit(struct op *op, struct io_event *event, uint32_t open)
{
	if (op->is_excluded)
		return;
	event->thread = op->thread;
	event->handle = ID_NONE;
	if (event->kind == IO_CREATE_HANDLE || event->kind == IO_DESTROY_HANDLE)
		out_emit(op->m, event, open, ID_NONE);
	else
		out_emit_use(op->m, event, open);
}
/* The same for an event on call.open: at the end of the call, if the open still existed then. */
void op_emit_use(struct op *op, struct io_event *event);
/* Returns the new open of the call, held. If the call is excluded, the open is pre-created for its next user. */
uint32_t op_open(const struct op *op, uint32_t description);
/* Emits a DUPLICATE_HANDLE for `open`, which is now in a table. */
void op_emit_duplicate(struct op *op, uint32_t from, uint32_t open, bool is_cloexec);
/* Whether another thread closed call.open during the call. */
bool op_is_gone(const struct op *op);
/* Emits a DESTROY_HANDLE for the open on the task's location. */
void op_destroy(struct model *m, uint32_t task, uint64_t time, uint32_t open);
