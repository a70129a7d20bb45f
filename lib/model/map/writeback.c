#include "writeback.h"

#include "fault.h"
#include "file/file.h"
#include "mapping.h"
#include "out/outbox.h"
#include "task/location.h"
#include "task/task.h"

static bool is_of(const struct model *m, uint32_t task, uint32_t process)
{
	return task != MAP_NONE && m->task[task].process == process;
}

/* Returns the thread for the writeback, or MAP_NONE. */
static uint32_t find_task(const struct model *m, uint32_t process, uint32_t tid)
{
	uint32_t task = task_find(m, tid);

	if (!is_of(m, task, process))
		task = task_find(m, m->process[process].pid);
	for (uint32_t i = 0; !is_of(m, task, process) && i < m->tasks.count; i++)
		task = i;
	return is_of(m, task, process) ? task : MAP_NONE;
}

static void emit(struct model *m, const struct event *event, thread_id location, uint32_t open)
{
	const struct event_string *name = &event->writeback.name;
	struct io_event step = {.kind = IO_OP_BEGIN,
				.thread = location,
				.time = out_earliest(m, location, event->writeback.begin),
				.handle = ID_NONE};

	step.op.id = m->next_op++;
	step.op.mode = IO_MODE_FLUSH;
	step.op.bytes = IO_BYTES_UNDEFINED;
	step.op.offset = IO_OFFSET_UNKNOWN;
	step.op.is_non_blocking = true;
	step.op.file = ID_NONE;
	step.op.name = model_string(m, name->at, name->length);
	out_emit_beside(m, &step, open, ID_NONE);
	step.kind = IO_OP_ISSUED;
	out_emit_beside(m, &step, open, ID_NONE);
	step.kind = IO_OP_COMPLETE;
	step.time = step.time > event->time ? step.time : event->time;
	step.op.bytes = event->writeback.bytes;
	out_emit_beside(m, &step, open, ID_NONE);
}

void writeback_in(struct model *m, const struct event *event)
{
	file_id file = file_by_inode(m, event->writeback.dev, event->writeback.ino);
	uint32_t process = ID_NONE, task;
	const struct mapping *mapping = file == ID_NONE ? NULL : mapping_of_file(m, file, &process);

	if (mapping)
		mapping_written(m, file);
	if (!mapping || !process_is_recorded(m, process))
		return;
	task = find_task(m, process, mapping->tid);
	if (task == MAP_NONE)
		return;
	thread_id location = task_location(m, task, event->writeback.begin);

	emit(m, event, location, fault_open(m, m->trace.thread[location].process, file));
}
