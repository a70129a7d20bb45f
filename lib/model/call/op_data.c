/* op_data: calls that move data or a position, and calls that flush. */
#include "op_end.h"

#include "block/origin.h"
#include "call_trait.h"
#include "fd/fdtable.h"
#include "fd/position.h"
#include "file/file.h"
#include "map/fault.h"
#include "map/mapping.h"
#include "op_emit.h"
#include "task/location.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { MMAP_PROT = 2 }; /* index of an argument */

/* Emits begin and end of one transfer. */
static void transfer(struct op *op, uint32_t open, enum io_mode mode, uint64_t asked,
		     uint64_t offset, uint64_t id)
{
	struct io_event event = {.kind = IO_OP_BEGIN, .time = op->call.enter};

	event.op.id = id;
	event.op.mode = mode;
	event.op.bytes = asked;
	event.op.offset = offset;
	op_emit(op, &event, open);
	if (mode == IO_MODE_WRITE && open_description(op->m, open)->file != ID_NONE)
		origin_wrote(op->m, open_description(op->m, open)->file, op->task);
}

static void transfer_end(struct op *op, uint32_t open, enum io_mode mode, uint64_t id)
{
	struct io_event event = {.kind = IO_OP_COMPLETE, .time = op->time};
	/* Some calls return a number of messages instead. */
	bool has_bytes = !op->error && mode != IO_MODE_FLUSH && op->row->result == RESULT_BYTES;

	event.op.id = id;
	event.op.mode = mode;
	event.op.offset = IO_OFFSET_UNKNOWN;
	event.op.bytes = has_bytes ? (uint64_t)op->result : IO_BYTES_UNDEFINED;
	if (op->is_cancelled) {
		event.kind = IO_OP_CANCELLED;
		event.op.bytes = IO_BYTES_UNDEFINED;
		event.op.end = op->end;
	}
	op_emit(op, &event, open);
}

static bool is_append(const struct op *op, const struct description *d, int end)
{
	return call_appends(op->row, &op->call, position_appends(op->m, d), end);
}

/* Whether no other thread or process could move the position during the call. */
static bool is_alone(const struct op *op, const struct description *d)
{
	const struct process *p = &op->m->process[op->process];

	return d->slots <= 1 && !d->is_shared && !d->active && p->tasks == 1 &&
	       op->m->table[task_table(op->m, op->task)].users == 1;
}

/*
 * Returns the position where one end of the call began. For a paired call, the kernel reports the position at its end. If others
 * could have moved it meanwhile, the reported position must agree with what was known before.
 */
static uint64_t start_of(const struct op *op, uint32_t open, int end)
{
	uint64_t size = op->error ? 0 : (uint64_t)op->result;

	if (!op->is_pair)
		return op->call.offset[end];
	if (open == ID_NONE || !call_uses_position(op->row, &op->call, end))
		return IO_OFFSET_UNKNOWN;
	const struct description *d = open_description(op->m, open);

	if (d->is_stream)
		return IO_OFFSET_UNKNOWN;
	if (end || op->position == EVENT_POSITION_UNKNOWN)
		return is_alone(op, d) && !is_append(op, d, end) ? d->position : IO_OFFSET_UNKNOWN;
	/* It may be a stream whose creation was not seen. */
	if (op->position < size || (!size && d->position == IO_OFFSET_UNKNOWN && !d->is_file))
		return IO_OFFSET_UNKNOWN;
	return op->position - size == d->position || is_alone(op, d) ? op->position - size
								     : IO_OFFSET_UNKNOWN;
}

static void advance(struct op *op, uint32_t open, int end)
{
	if (open == ID_NONE || !call_uses_position(op->row, &op->call, end))
		return;
	struct description *d = open_description(op->m, open);

	d->moved = op->time;
	if (op->is_pair && !end && op->position != EVENT_POSITION_UNKNOWN)
		d->position = op->position;
	else if (op->is_cancelled || is_append(op, d, end))
		d->position = IO_OFFSET_UNKNOWN;
	else if (!op->error && d->position != IO_OFFSET_UNKNOWN)
		d->position += (uint64_t)op->result;
}

static uint64_t asked(const struct op *op)
{
	return op->row->size == CALL_NO_ARG ? IO_BYTES_UNDEFINED : op->call.arg[op->row->size];
}

static uint64_t offset(const struct op *op)
{
	if (op->row->offset != CALL_NO_ARG && !call_uses_position(op->row, &op->call, 0))
		return is_append(op, open_description(op->m, op->call.open), 0)
			       ? IO_OFFSET_UNKNOWN
			       : op->call.arg[op->row->offset];
	return start_of(op, op->call.open, 0);
}

void end_data(struct op *op)
{
	enum io_mode mode = op->row->kind == CALL_WRITE ? IO_MODE_WRITE : IO_MODE_READ;
	uint32_t open = op->call.open;

	if (open == ID_NONE)
		return;
	uint64_t id = op->m->next_op++;

	if (op->row->group == GROUP_DIR && !op->error && !op->is_cancelled)
		file_is_directory(op->m, open_description(op->m, open)->file);
	transfer(op, open, mode, asked(op), offset(op), id);
	transfer_end(op, open, mode, id);
	advance(op, open, 0);
	if (call_passes(op->row) && !op->error)
		position_pass(op->m, task_table(op->m, op->task), open);
}

/* Whether both ends have the same description, so that its position moves once. */
static bool is_onto_itself(const struct op *op)
{
	const struct model *m = op->m;
	uint32_t in = op->call.open, out = op->call.open2;

	return in != ID_NONE && out != ID_NONE &&
	       m->open[in].description == m->open[out].description &&
	       call_uses_position(op->row, &op->call, 0);
}

/* tee() does not move the data of its input. For the position of files this makes no difference, because both ends are pipes. */
void end_copy(struct op *op)
{
	uint32_t in = op->call.open, out = op->call.open2;
	uint64_t id = op->m->next_op;

	op->m->next_op += 2;
	if (in != ID_NONE)
		transfer(op, in, IO_MODE_READ, asked(op), start_of(op, in, 0), id);
	if (out != ID_NONE)
		transfer(op, out, IO_MODE_WRITE, asked(op), start_of(op, out, 1), id + 1);
	if (in != ID_NONE)
		transfer_end(op, in, IO_MODE_READ, id);
	if (out != ID_NONE)
		transfer_end(op, out, IO_MODE_WRITE, id + 1);
	advance(op, in, 0);
	if (!is_onto_itself(op))
		advance(op, out, 1);
}

/* A mapping outlives its descriptor; in that case the mapped file's handle is flushed. Returns whether there is such a mapping. */
static bool use_mapped(struct op *op)
{
	file_id file = open_description(op->m, op->call.open)->file;

	if (file == ID_NONE)
		return false;
	open_drop(op->m, op->call.open);
	op->call.open = fault_open(op->m, op->m->trace.thread[op->thread].process, file);
	open_hold(op->m, op->call.open);
	return true;
}

/* With other flags, msync and sync_file_range write nothing. */
static bool is_writing(const struct op *op)
{
	uint64_t flag = call_is_of_memory(op->row) ? MS_SYNC : SYNC_FILE_RANGE_WRITE;

	return !op->error && !op->is_cancelled &&
	       (op->row->flags == CALL_NO_ARG || op->call.arg[op->row->flags] & flag);
}

static void note_written(struct op *op)
{
	const uint64_t *arg = op->call.arg;

	if (call_is_of_memory(op->row))
		mapping_written_at(op->m, op->process, arg[0], arg[op->row->size], op->call.enter);
	else
		mapping_written(op->m, open_description(op->m, op->call.open)->file);
}

void end_sync(struct op *op)
{
	uint64_t id;

	if (op->call.open == ID_NONE)
		return;
	if (is_writing(op))
		note_written(op);
	if (call_is_of_memory(op->row) &&
	    !table_has(op->m, task_table(op->m, op->task), op->call.open) && !use_mapped(op))
		return;
	id = op->m->next_op++;
	transfer(op, op->call.open, IO_MODE_FLUSH, IO_BYTES_UNDEFINED, IO_OFFSET_UNKNOWN, id);
	transfer_end(op, op->call.open, IO_MODE_FLUSH, id);
}

/* sync(2) has no descriptor, so one open for the whole run stands for all files. */
void end_sync_all(struct op *op)
{
	static const struct description known = {.file = ID_NONE,
						 .state = NAME_NEVER,
						 .flags = O_RDWR};
	struct model *m = op->m;

	if (op->row->fd == CALL_NO_ARG) {
		if (m->all_proxy == ID_NONE) {
			m->all_proxy = open_new_always(m, &known, process_group(m, op->process));
			m->open[m->all_proxy].is_all_proxy = true;
		}
		op->call.open = m->all_proxy;
		open_hold(m, m->all_proxy);
	}
	end_sync(op);
}

void end_seek(struct op *op)
{
	struct io_event event = {.kind = IO_SEEK, .time = op->time};

	if (op->error || op->is_cancelled || op->call.open == ID_NONE)
		return;
	struct description *d = open_description(op->m, op->call.open);

	d->position = (uint64_t)op->result;
	d->moved = op->time;
	event.seek.request = (int64_t)op->call.arg[1];
	event.seek.whence = (uint32_t)op->call.arg[2];
	event.seek.result = (uint64_t)op->result;
	op_emit_use(op, &event);
}

/* Whether stores into the mapping reach the file. MAP_SHARED_VALIDATE contains the bit of MAP_PRIVATE. */
static bool is_written(const struct op *op)
{
	return op->call.arg[MMAP_PROT] & PROT_WRITE && op->call.arg[op->row->flags] & MAP_SHARED;
}

/* A mapping at a fixed address may replace earlier mappings, of a file or of memory. */
void end_map(struct op *op)
{
	struct mapped mapped = {op->call.open, op->m->task[op->task].tid, is_written(op)};

	if (op->error || op->is_cancelled)
		return;
	mapping_set(op->m, op->process, (uint64_t)op->result, op->call.arg[op->row->size], mapped);
	if (mapped.is_written && mapped.open != ID_NONE &&
	    open_description(op->m, mapped.open)->file != ID_NONE)
		origin_wrote(op->m, open_description(op->m, mapped.open)->file, op->task);
}

void end_unmap(struct op *op)
{
	if (!op->error && !op->is_cancelled)
		mapping_unset(op->m, op->process, op->call.arg[0], op->call.arg[op->row->size],
			      op->call.enter);
}
