/*
 * summary: the sink that adds up. It only counts while events come; what people read is made in close().
 *
 * A call is booked when it leaves: once in its class, once at its place (a file, or pipes, sockets ...), and once in
 * the total, so that classes and places each add up to the total.
 */
#include "summary.h"
#include "sinks.h"

#include <errno.h>
#include <iotrace/errname.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/model.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sink {
	struct summary summary;
};

static const char *const class_name[SUMMARY_CLASSES] = {
	[SUMMARY_READ] = "read",   [SUMMARY_WRITE] = "write", [SUMMARY_COPY] = "copy",
	[SUMMARY_SYNC] = "sync",   [SUMMARY_OPEN] = "open",   [SUMMARY_CLOSE] = "close",
	[SUMMARY_OTHER] = "other", [SUMMARY_ASYNC] = "async",
};

static const char *const place_name[SUMMARY_PLACES] = {
	[SUMMARY_FILES] = "files",     [SUMMARY_PIPES] = "pipes", [SUMMARY_SOCKETS] = "sockets",
	[SUMMARY_UNNAMED] = "unnamed", [SUMMARY_REST] = "other",
};

const char *summary_class_name(enum summary_class id)
{
	return class_name[id];
}

const char *summary_place_name(enum summary_place place)
{
	return place_name[place];
}

static enum summary_class class_of(const struct call_row *row)
{
	if (row->group == GROUP_DIR)
		return SUMMARY_OTHER;
	switch (row->kind) {
	case CALL_READ:
		return SUMMARY_READ;
	case CALL_WRITE:
		return SUMMARY_WRITE;
	case CALL_COPY:
		return SUMMARY_COPY;
	case CALL_SYNC:
	case CALL_SYNC_ALL:
		return SUMMARY_SYNC;
	case CALL_OPEN:
		return SUMMARY_OPEN;
	case CALL_CLOSE:
	case CALL_CLOSE_RANGE:
		return SUMMARY_CLOSE;
	default:
		return SUMMARY_OTHER;
	}
}

static void place_of(const struct summary *summary, handle_id id, struct summary_frame *frame)
{
	const struct model *model = summary->options->model;
	const struct model_handle *handle;
	const char *name;

	if (id == ID_NONE || id >= model_handles(model))
		return;
	handle = model_handle(model, id);
	frame->file = handle->file;
	if (handle->file != ID_NONE) {
		frame->place = SUMMARY_FILES;
		return;
	}
	name = model_text(model, handle->name);
	if (!*name)
		frame->place = handle->is_all_proxy ? SUMMARY_REST : SUMMARY_UNNAMED;
	else if (!strncmp(name, "pipe:", 5))
		frame->place = SUMMARY_PIPES;
	else if (!strncmp(name, "socket:", 7))
		frame->place = SUMMARY_SOCKETS;
	else
		frame->place = SUMMARY_REST;
}

static struct summary_row *file_row(struct summary *summary, file_id file)
{
	if (file == ID_NONE || file >= model_files(summary->options->model))
		return NULL;
	if (file >= summary->files) {
		MEM_GROW(summary->file, summary->files_cap, file + 1);
		summary->files = file + 1;
	}
	return &summary->file[file];
}

static struct summary_thread *thread_of(struct summary *summary, thread_id id)
{
	if (id == ID_NONE || id >= model_threads(summary->options->model))
		return NULL;
	if (id >= summary->threads) {
		MEM_GROW(summary->thread, summary->threads_cap, id + 1);
		summary->threads = id + 1;
	}
	return &summary->thread[id];
}

/* Returns the open call of a thread, or NULL. */
static struct summary_frame *open_frame(struct summary_thread *thread)
{
	uint32_t depth = thread->depth < SUMMARY_DEPTH ? thread->depth : SUMMARY_DEPTH;

	return depth ? &thread->frame[depth - 1] : NULL;
}

static void enter(struct summary *summary, struct summary_thread *thread,
		  const struct io_event *event)
{
	struct summary_frame *frame;

	if (thread->depth++ >= SUMMARY_DEPTH)
		return;
	frame = &thread->frame[thread->depth - 1];
	*frame = (struct summary_frame){event->region.call, event->time, event->region.file,
					SUMMARY_REST};
	if (frame->file != ID_NONE)
		frame->place = SUMMARY_FILES;
	place_of(summary, event->handle, frame);
}

static void count_fault(struct summary *summary, int error, call_id call)
{
	uint64_t key = map_key((uint32_t)error, call);
	uint32_t index = map_get(&summary->fault_of, key);

	if (index == MAP_NONE) {
		index = summary->faults++;
		MEM_GROW(summary->fault, summary->faults_cap, summary->faults);
		summary->fault[index] = (struct summary_fault){error, call, 0};
		map_set(&summary->fault_of, key, index);
	}
	summary->fault[index].count++;
}

static void add_call(struct summary_row *row, uint64_t time)
{
	row->ops++;
	row->time += time;
}

static void leave(struct summary *summary, struct summary_thread *thread,
		  const struct io_event *event)
{
	struct summary_frame *frame = open_frame(thread);
	struct summary_call_class *class;
	struct summary_row *file;
	uint64_t time;

	if (!thread->depth || thread->depth-- > SUMMARY_DEPTH)
		return;
	if (frame->call >= call_count() || call_row(frame->call)->group == GROUP_TASK)
		return;
	time = event->time > frame->enter ? event->time - frame->enter : 0;
	class = &summary->classes[class_of(call_row(frame->call))];
	histogram_add(&class->latency, time);
	/* A call inside another one is part of that one's time already. */
	if (thread->depth)
		time = 0;
	add_call(&class->row, time);
	add_call(&summary->place[frame->place], time);
	add_call(&summary->total, time);
	file = file_row(summary, frame->file);
	if (file)
		add_call(file, time);
	if (event->region.error <= 0)
		return;
	count_fault(summary, event->region.error, frame->call);
	if (errname_is_interrupted(event->region.error))
		return;
	class->failed++;
	summary->failed++;
}

static void add_bytes(struct summary_row *row, enum io_mode mode, uint64_t bytes)
{
	if (!row)
		return;
	if (mode == IO_MODE_READ)
		row->read += bytes;
	else if (mode == IO_MODE_WRITE)
		row->written += bytes;
}

static void begin_async(struct summary *summary, const struct io_event *event)
{
	uint32_t slot = summary->free_async;

	if (slot == ID_NONE) {
		slot = summary->asyncs++;
		MEM_GROW(summary->async, summary->asyncs_cap, summary->asyncs);
	} else {
		summary->free_async = summary->async[slot].next_free;
	}
	summary->async[slot].begin = event->time;
	map_set(&summary->issued, event->op.id, slot);
}

/* Returns whether the operation was an asynchronous one, and books it. */
static bool end_async(struct summary *summary, const struct io_event *event)
{
	struct summary_call_class *class = &summary->classes[SUMMARY_ASYNC];
	uint32_t slot = summary->issued.count ? map_remove(&summary->issued, event->op.id)
					      : MAP_NONE;
	uint64_t time;

	if (slot == MAP_NONE)
		return false;
	time = event->time > summary->async[slot].begin ? event->time - summary->async[slot].begin
							: 0;
	summary->async[slot].next_free = summary->free_async;
	summary->free_async = slot;
	histogram_add(&class->latency, time);
	add_call(&class->row, time);
	return true;
}

static void complete(struct summary *summary, struct summary_thread *thread,
		     const struct io_event *event)
{
	struct summary_frame where = {CALL_ID_NONE, 0, ID_NONE, SUMMARY_REST};
	struct summary_frame *frame = open_frame(thread);
	enum summary_class class = SUMMARY_OTHER;

	if (end_async(summary, event))
		class = SUMMARY_ASYNC;
	else if (frame && frame->call < call_count())
		class = class_of(call_row(frame->call));
	if (event->op.bytes == IO_BYTES_UNDEFINED)
		return;
	place_of(summary, event->handle, &where);
	add_bytes(&summary->classes[class].row, event->op.mode, event->op.bytes);
	add_bytes(&summary->place[where.place], event->op.mode, event->op.bytes);
	add_bytes(&summary->total, event->op.mode, event->op.bytes);
	add_bytes(file_row(summary, where.file), event->op.mode, event->op.bytes);
}

/*
 * Requests of devices are no calls: what programs asked for and what reached a disk are told apart. Returns whether the
 * event is of a program, and books it if it is of a device.
 */
static bool is_of_program(struct summary *summary, const struct io_event *event)
{
	const struct model *model = summary->options->model;
	const struct model_thread *location = model_thread(model, event->thread);

	if (location->kind == LOCATION_DEVICE)
		summary_device_event(summary, model_process(model, location->process)->device,
				     event);
	return location->kind == LOCATION_THREAD;
}

void summary_event(struct summary *summary, const struct io_event *event)
{
	struct summary_thread *thread = thread_of(summary, event->thread);
	struct summary_frame *frame;

	if (!thread || !is_of_program(summary, event))
		return;
	switch (event->kind) {
	case IO_ENTER:
		enter(summary, thread, event);
		break;
	case IO_LEAVE:
		leave(summary, thread, event);
		break;
	case IO_CREATE_HANDLE:
		frame = open_frame(thread);
		if (frame)
			place_of(summary, event->handle, frame);
		break;
	case IO_OP_BEGIN:
		if (event->op.is_non_blocking)
			begin_async(summary, event);
		break;
	case IO_OP_COMPLETE:
		complete(summary, thread, event);
		break;
	case IO_OP_CANCELLED:
		end_async(summary, event);
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
	case IO_ACQUIRE_LOCK:
	case IO_RELEASE_LOCK:
	case IO_TRY_LOCK:
	case IO_METRIC:
	case IO_PARAMETER:
	case IO_LOST:
	case IO_EVENT_KINDS:
		break;
	}
}

void summary_init(struct summary *summary, const struct sink_options *options)
{
	memset(summary, 0, sizeof(*summary));
	summary->options = options;
	summary->free_async = ID_NONE;
	for (int i = 0; i < SUMMARY_CLASSES; i++)
		histogram_init(&summary->classes[i].latency);
}

void summary_release(struct summary *summary)
{
	free(summary->file);
	free(summary->thread);
	free(summary->fault);
	free(summary->async);
	summary_device_release(summary);
	map_release(&summary->fault_of);
	map_release(&summary->issued);
}

static struct sink *summary_open(const struct sink_options *options, struct error *err)
{
	struct sink *sink;

	(void)err;
	sink = mem_zero(sizeof(*sink));
	summary_init(&sink->summary, options);
	return sink;
}

static void summary_sink_event(struct sink *sink, const struct io_event *event)
{
	summary_event(&sink->summary, event);
}

/* Writes with one call, so that lines of the command do not come in between. */
static int write_all(int fd, const char *at, size_t left)
{
	while (left) {
		ssize_t put = write(fd, at, left);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			at += put;
			left -= (size_t)put;
		}
	}
	return 0;
}

static int summary_put(const struct sink_options *options, const char *text, size_t size,
		       struct error *err)
{
	const char *path = options->path;
	FILE *file;
	int rc;

	if (!path || !strcmp(path, "-"))
		return write_all(STDERR_FILENO, text, size);
	file = fopen(path, "we");
	if (!file)
		return error_set(err, errno, "summary: open %s", path);
	rc = write_all(fileno(file), text, size);
	if (fclose(file) && !rc)
		rc = -errno;
	return rc ? error_set(err, -rc, "summary: write %s", path) : 0;
}

static int summary_close(struct sink *sink, struct error *err)
{
	const struct sink_options *options = sink->summary.options;
	const char *no_color = getenv("NO_COLOR");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (options->is_discarded) {
		fclose(out);
	} else if (!out) {
		rc = error_set(err, errno, "summary");
	} else {
		if (options->is_json)
			summary_json(&sink->summary, out);
		else
			summary_text(&sink->summary,
				     options->columns > 0 && !options->path &&
					     (!no_color || !*no_color),
				     out);
		rc = fclose(out) ? error_set(err, errno, "summary")
				 : summary_put(options, text, size, err);
	}
	free(text);
	summary_release(&sink->summary);
	free(sink);
	return rc;
}

const struct sink_ops sink_summary_ops = {
	.name = "summary",
	.help = "what was done, how long it took, on which files",
	.open = summary_open,
	.event = summary_sink_event,
	.close = summary_close,
};
