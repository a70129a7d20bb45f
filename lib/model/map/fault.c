#include "fault.h"

#include "fd/fdtable.h"
#include "file/file.h"
#include "file/name_filter.h"
#include "out/outbox.h"
#include "task/location.h"
#include "task/task.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

static uint32_t open_named(struct model *m, process_id process, file_id file, str_id name)
{
	struct description known = {.file = file,
				    .name = name,
				    .state = NAME_SURE,
				    .flags = O_RDONLY};

	return open_lasting(m, &known, process);
}

uint32_t fault_open(struct model *m, process_id process, file_id file)
{
	return open_named(m, process, file, m->trace.file[file].path);
}

/* A file whose opening was not seen (the program itself, earlier mappings) is identified by its inode. */
static uint32_t open_of(struct model *m, process_id process, uint64_t dev, uint64_t ino)
{
	file_id file = file_by_inode(m, dev, ino);
	char name[64];

	if (file != ID_NONE)
		return fault_open(m, process, file);
	snprintf(name, sizeof(name), "inode:[%u:%u %" PRIu64 "]", major(dev), minor(dev), ino);
	return open_named(m, process, ID_NONE, name_add(m, name, strlen(name)));
}

static void emit(struct model *m, const struct io_event *event, uint32_t open)
{
	struct io_event copy = *event;

	copy.handle = ID_NONE;
	copy.op.mode = IO_MODE_READ;
	copy.op.file = ID_NONE;
	out_emit_beside(m, &copy, open, ID_NONE);
}

void fault_in(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	uint64_t begin = event->fault.begin;
	uint64_t end = event->fault.end ? event->fault.end : event->time;

	if (!process_is_recorded(m, m->task[task].process))
		return;
	thread_id location = task_location(m, task, begin);
	uint32_t open = open_of(m, m->trace.thread[location].process, event->fault.dev,
				event->fault.ino);
	struct io_event step = {.kind = IO_OP_BEGIN,
				.thread = location,
				.time = out_earliest(m, location, begin)};

	step.op.id = m->next_op++;
	step.op.bytes = event->fault.bytes;
	step.op.offset = event->fault.offset;
	emit(m, &step, open);
	step.kind = IO_OP_COMPLETE;
	step.time = step.time > end ? step.time : end;
	emit(m, &step, open);
}
