/*
 * collect: see collect.h. While events arrive, it only counts.
 *
 * A call is counted when it leaves: once in its class, once for its resource, once for its process, and once in the total, so
 * that classes, resources and processes each add up to the total.
 */
#include "collect.h"

#include "collect_resource.h"

#include <iotrace/errname.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_name[CLASSES] = {
	[CLASS_READ] = "read",   [CLASS_WRITE] = "write", [CLASS_COPY] = "copy",
	[CLASS_SYNC] = "sync",   [CLASS_OPEN] = "open",   [CLASS_CLOSE] = "close",
	[CLASS_FAULT] = "fault", [CLASS_META] = "meta",   [CLASS_DIR] = "dir",
	[CLASS_OTHER] = "other", [CLASS_ASYNC] = "async",
};

const char *collect_class_name(enum collect_class id)
{
	return class_name[id];
}

/* Returns the row of a file, with its resource, or NULL. */
static struct collect_file *file_of(struct collect *collect, file_id id)
{
	if (id == ID_NONE || id >= trace_files(collect->trace))
		return NULL;
	if (id >= collect->files) {
		COLD_GROW(&collect->file_area, collect->file, collect->files_cap, id + 1);
		collect->files = id + 1;
	}
	struct collect_file *file = &collect->file[id];

	/* The resource is fixed at the first use, so that the rows of files add up to those of resources. */
	if (!file->processes && !file->share) {
		file->share = ID_NONE;
		file->resource = collect_resource_of_file(collect->trace, id);
	}
	return file;
}

static void resource_of(struct collect *collect, handle_id id, struct collect_frame *frame)
{
	const struct trace_handle *handle;

	if (id == ID_NONE || id >= trace_handles(collect->trace))
		return;
	handle = trace_handle(collect->trace, id);
	frame->file = handle->file;
	frame->name = handle->name;
	if (frame->resource == RESOURCE_LOCKS || frame->resource == RESOURCE_ASYNC)
		return;
	struct collect_file *file = file_of(collect, handle->file);

	frame->resource = file ? file->resource
			       : collect_resource_of_handle(collect->trace, handle);
}

static struct collect_thread *thread_of(struct collect *collect, thread_id id)
{
	if (id == ID_NONE || id >= trace_threads(collect->trace))
		return NULL;
	if (id >= collect->threads) {
		MEM_GROW(collect->thread, collect->threads_cap, id + 1);
		collect->threads = id + 1;
	}
	return &collect->thread[id];
}

/* Returns the process of the event's thread, which thread_of() has found. */
static process_id process_of(const struct collect *collect, const struct io_event *event)
{
	return trace_thread(collect->trace, event->thread)->process;
}

static struct collect_process *process_row(struct collect *collect, process_id id)
{
	MEM_GROW(collect->process, collect->processes_cap, id + 1);
	if (id >= collect->processes)
		collect->processes = id + 1;
	return &collect->process[id];
}

static struct collect_share *share_new(struct collect *collect, struct collect_file *file,
				       process_id process)
{
	uint32_t index = collect->shares++;

	COLD_GROW(&collect->share_area, collect->share, collect->shares_cap, collect->shares);
	collect->share[index] = (struct collect_share){.process = process, .next = ID_NONE};
	if (file->processes++) {
		struct collect_share *first = &collect->share[file->share];

		collect->share[index].next = first->next;
		first->next = index;
	} else {
		file->share = index;
	}
	return &collect->share[index];
}

/* Most files are used by one process, which needs no look-up in the map. */
static struct collect_share *share_of(struct collect *collect, file_id id, process_id process)
{
	struct collect_file *file = &collect->file[id];
	uint64_t key = map_key(id, process);
	uint32_t index;

	if (!file->processes)
		return share_new(collect, file, process);
	if (collect->share[file->share].process == process)
		return &collect->share[file->share];
	index = map_get(&collect->share_of, key);
	if (index != MAP_NONE)
		return &collect->share[index];
	map_set(&collect->share_of, key, collect->shares);
	return share_new(collect, file, process);
}

static void add_row(struct collect_row *to, const struct collect_row *row)
{
	to->calls += row->calls;
	to->read += row->read;
	to->written += row->written;
	to->time += row->time;
	to->asyncs += row->asyncs;
	to->async_time += row->async_time;
}

/* Adds the row of one call or operation to its class, resource, process and total. */
static void book(struct collect *collect, enum collect_class class,
		 const struct collect_frame *where, process_id process,
		 const struct collect_row *row)
{
	struct collect_process *of_process = process_row(collect, process);
	struct collect_file *file = file_of(collect, where->file);

	add_row(&collect->classes[class].row, row);
	add_row(&collect->resource[where->resource], row);
	add_row(&collect->total, row);
	add_row(&of_process->total, row);
	if (where->resource == RESOURCE_FILES)
		add_row(&of_process->files, row);
	if (collect_is_wait(where->resource))
		of_process->wait += row->time;
	if (!file)
		return;
	add_row(&file->row, row);
	struct collect_share *share = share_of(collect, where->file, process);

	share->bytes += row->read + row->written;
	share->time += row->time + row->async_time;
}

/* Returns the open call of a thread, or NULL. */
static struct collect_frame *open_frame(struct collect_thread *thread)
{
	uint32_t depth = thread->depth < COLLECT_DEPTH ? thread->depth : COLLECT_DEPTH;

	return depth ? &thread->frame[depth - 1] : NULL;
}

/* Returns the region; NULL if it is not defined, or a function of a program that does no I/O itself. */
static const struct trace_region *region_of(const struct collect *collect, region_id id)
{
	const struct trace_region *region;

	if (id >= trace_regions(collect->trace))
		return NULL;
	region = trace_region(collect->trace, id);
	return region->source != REGION_CALL && region->group == GROUP_TASK ? NULL : region;
}

static void enter(struct collect *collect, struct collect_thread *thread,
		  const struct io_event *event)
{
	const struct trace_region *region = region_of(collect, event->region.id);
	struct collect_frame *frame;
	struct collect_file *file;

	if (!region || thread->depth++ >= COLLECT_DEPTH)
		return;
	frame = &thread->frame[thread->depth - 1];
	*frame = (struct collect_frame){.region = event->region.id,
					.call_class = collect_class_of(region),
					.enter = event->time,
					.file = event->region.file,
					.resource = collect_resource_of_region(region)};
	file = file_of(collect, frame->file);
	if (file && frame->resource == RESOURCE_FILES)
		frame->resource = file->resource;
	resource_of(collect, event->handle, frame);
}

/* Returns the path or handle name of the call. If the call has two paths, it is unknown which one failed. */
static str_id name_of(const struct collect *collect, const struct collect_frame *frame,
		      const struct io_event *event)
{
	if (trace_region(collect->trace, frame->region)->has_two_paths)
		return 0;
	if (event->region.path || frame->name || frame->file == ID_NONE)
		return event->region.path ? event->region.path : frame->name;
	return trace_file(collect->trace, frame->file)->path;
}

static void fail(struct collect *collect, struct collect_call_class *class,
		 const struct collect_frame *frame, const struct io_event *event)
{
	int error = event->region.error;

	if (error <= 0)
		return;
	collect_faults_add(&collect->faults,
			   &(struct collect_named_fault){.fault = {error, frame->region, 1,
								   FAULT_FAILED},
							 .name = name_of(collect, frame, event),
							 .last = event->time});
	if (errname_is_interrupted(error))
		return;
	class->failed++;
	collect->failed++;
}

static uint64_t since(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

static void leave(struct collect *collect, struct collect_thread *thread,
		  const struct io_event *event)
{
	struct collect_frame *frame = open_frame(thread);
	struct collect_row row = {.calls = 1};
	const struct trace_region *region = region_of(collect, event->region.id);
	enum collect_class class;

	if (!region || !thread->depth || thread->depth-- > COLLECT_DEPTH)
		return;
	if (region->group == GROUP_TASK)
		return;
	row.time = since(frame->enter, event->time);
	class = frame->call_class;
	histogram_add(&collect->classes[class].latency, row.time);
	/* The time of a nested call is already part of the outer one. */
	if (thread->depth)
		row.time = 0;
	book(collect, class, frame, process_of(collect, event), &row);
	fail(collect, &collect->classes[class], frame, event);
}

static void begin_async(struct collect *collect, const struct io_event *event)
{
	uint32_t slot = collect->free_async;

	if (slot == ID_NONE) {
		slot = collect->asyncs++;
		MEM_GROW(collect->async, collect->asyncs_cap, collect->asyncs);
	} else {
		collect->free_async = collect->async[slot].next_free;
	}
	collect->async[slot].begin = event->time;
	map_set(&collect->issued, event->op.id, slot);
}

/* Nobody knows when the operation ended, so it has no duration. */
static bool has_unknown_end(const struct io_event *event)
{
	return event->kind == IO_OP_CANCELLED &&
	       (event->op.end == IO_END_UNREPORTED || event->op.end == IO_END_LOST);
}

/* Ends an asynchronous operation, and puts its count and time into row. Returns false if it was not asynchronous. */
static bool end_async(struct collect *collect, const struct io_event *event,
		      struct collect_row *row)
{
	uint32_t slot = collect->issued.count ? map_remove(&collect->issued, event->op.id)
					      : MAP_NONE;

	if (slot == MAP_NONE)
		return false;
	row->asyncs = 1;
	collect->async[slot].next_free = collect->free_async;
	collect->free_async = slot;
	if (has_unknown_end(event))
		return true;
	row->async_time = since(collect->async[slot].begin, event->time);
	histogram_add(&collect->classes[CLASS_ASYNC].latency, row->async_time);
	return true;
}

/* Returns the class of an operation that has ended. Adds its count and time if it is not part of a call. */
static enum collect_class class_of_end(struct collect *collect, struct collect_thread *thread,
				       const struct io_event *event, struct collect_row *row)
{
	const struct collect_frame *frame = open_frame(thread);

	if (end_async(collect, event, row)) {
		collect->classes[CLASS_ASYNC].failed += event->op.error != 0;
		collect->failed += event->op.error != 0;
		return CLASS_ASYNC;
	}
	if (frame)
		return frame->call_class;
	if (!thread->begin)
		return CLASS_OTHER;
	row->calls = 1;
	row->time = since(thread->begin, event->time);
	thread->begin = 0;
	histogram_add(&collect->classes[CLASS_FAULT].latency, row->time);
	return CLASS_FAULT;
}

static void complete(struct collect *collect, struct collect_thread *thread,
		     const struct io_event *event)
{
	struct collect_frame where = {.region = ID_NONE,
				      .file = ID_NONE,
				      .resource = RESOURCE_OTHER};
	struct collect_row row = {0};
	enum collect_class class = class_of_end(collect, thread, event, &row);

	/* If one I/O layer calls another, only the outer one counts, because it has what the program requested. */
	if (thread->depth > 1 || event->op.bytes == IO_BYTES_UNDEFINED)
		row.read = row.written = 0;
	else if (event->op.mode == IO_MODE_READ)
		row.read = event->op.bytes;
	else if (event->op.mode == IO_MODE_WRITE)
		row.written = event->op.bytes;
	resource_of(collect, event->handle, &where);
	book(collect, class, &where, process_of(collect, event), &row);
}

static void begin(struct collect *collect, struct collect_thread *thread,
		  const struct io_event *event)
{
	static const enum collect_class class[] = {
		[IO_MODE_READ] = CLASS_READ,
		[IO_MODE_WRITE] = CLASS_WRITE,
		[IO_MODE_FLUSH] = CLASS_SYNC,
	};
	struct collect_frame *frame = open_frame(thread);

	/* The class of a region of another program follows from its operation. */
	if (frame && frame->call_class == CLASS_OTHER &&
	    trace_region(collect->trace, frame->region)->source == REGION_OTHER)
		frame->call_class = class[event->op.mode];
	if (event->op.is_non_blocking)
		begin_async(collect, event);
	else if (!thread->depth)
		thread->begin = event->time;
}

static void cancel(struct collect *collect, struct collect_thread *thread,
		   const struct io_event *event)
{
	struct collect_frame where = {.region = ID_NONE,
				      .file = ID_NONE,
				      .resource = RESOURCE_OTHER};
	struct collect_row row = {0};

	if (!end_async(collect, event, &row)) {
		thread->begin = 0;
		return;
	}
	resource_of(collect, event->handle, &where);
	book(collect, CLASS_ASYNC, &where, process_of(collect, event), &row);
}

/* Finds the class of a call from what it does: it creates a descriptor, or uses a lock. */
static void learn(struct collect *collect, struct collect_thread *thread,
		  const struct io_event *event)
{
	struct collect_frame *frame = open_frame(thread);

	if (!frame)
		return;
	if (event->kind == IO_CREATE_HANDLE)
		resource_of(collect, event->handle, frame);
	else
		frame->resource = RESOURCE_LOCKS;
}

/* Spans stand beside what programs do with files. */
static bool is_of_span(const struct collect *collect, const struct io_event *event)
{
	bool is_op = event->kind >= IO_OP_BEGIN && event->kind <= IO_OP_CANCELLED;

	return is_op && event->handle < trace_handles(collect->trace) &&
	       trace_handle(collect->trace, event->handle)->is_span;
}

/* Requests of devices are not calls, so they are counted separately here. Returns whether the event is of a program. */
static bool is_of_program(struct collect *collect, const struct io_event *event)
{
	const struct trace_thread *location = trace_thread(collect->trace, event->thread);

	if (location->kind == LOCATION_DEVICE)
		collect_device_event(collect,
				     trace_process(collect->trace, location->process)->device,
				     event);
	return location->kind == LOCATION_THREAD && !is_of_span(collect, event);
}

void collect_event(struct collect *collect, const struct io_event *event)
{
	struct collect_thread *thread = thread_of(collect, event->thread);

	if (!thread || !is_of_program(collect, event))
		return;
	switch (event->kind) {
	case IO_ENTER:
		enter(collect, thread, event);
		break;
	case IO_LEAVE:
		leave(collect, thread, event);
		break;
	case IO_CREATE_HANDLE:
	case IO_ACQUIRE_LOCK:
	case IO_RELEASE_LOCK:
	case IO_TRY_LOCK:
		learn(collect, thread, event);
		break;
	case IO_OP_BEGIN:
		begin(collect, thread, event);
		break;
	case IO_OP_COMPLETE:
		complete(collect, thread, event);
		break;
	case IO_OP_CANCELLED:
		cancel(collect, thread, event);
		break;
	case IO_METRIC:
		collect_counter_event(&collect->counters, collect->trace, event);
		break;
	case IO_PROGRAM_BEGIN:
	case IO_PROGRAM_END:
	case IO_THREAD_BEGIN:
	case IO_THREAD_END:
	case IO_DESTROY_HANDLE:
	case IO_DUPLICATE_HANDLE:
	case IO_SEEK:
	case IO_CHANGE_STATUS_FLAGS:
	case IO_DELETE_FILE:
	case IO_OP_ISSUED:
	case IO_PARAMETER:
	case IO_LOST:
	case IO_MARK:
	case IO_EVENT_KINDS:
		break;
	}
}

void collect_init(struct collect *collect, const struct trace *trace)
{
	memset(collect, 0, sizeof(*collect));
	collect->trace = trace;
	collect->free_async = ID_NONE;
	cold_area_init(&collect->file_area, trace_cold(trace));
	cold_area_init(&collect->share_area, trace_cold(trace));
	collect_faults_init(&collect->faults, trace);
	for (int i = 0; i < CLASSES; i++)
		histogram_init(&collect->classes[i].latency);
}

void collect_release(struct collect *collect)
{
	cold_area_release(&collect->file_area, collect->file);
	cold_area_release(&collect->share_area, collect->share);
	free(collect->process);
	free(collect->thread);
	for (int i = 0; i < CLASSES; i++)
		histogram_release(&collect->classes[i].latency);
	collect_faults_release(&collect->faults);
	free(collect->async);
	collect_device_release(collect);
	free(collect->counters.last);
	map_release(&collect->share_of);
	map_release(&collect->issued);
}
