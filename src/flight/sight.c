#include "sight.h"

#include <iotrace/errname.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call, an asynchronous operation or a block request in flight. */
struct deed {
	uint64_t begin; /* 0: none */
	const char *op;
	file_id file;
	const char *path; /* that a failed call named, or NULL */
	uint32_t device;  /* of a block request; ID_NONE: it is none */
	str_id process;   /* its name; 0: unknown */
	uint32_t pid;
	bool is_of_file; /* it should not take long */
};

/* How it ended; is_cut: it is in flight at the end of the window. */
struct outcome {
	uint64_t end;
	int error;
	bool is_cut;
};

/* The call that a location is in. */
struct call {
	uint64_t begin; /* 0: none */
	handle_id handle;
	file_id file;
};

struct sink {
	const struct trace *trace;
	struct sight *sight;
	struct call *call; /* by thread_id */
	uint32_t calls;
	struct map of;     /* operations in flight: the index in deed[], by id */
	struct deed *deed; /* a free one has the index + 1 of the next free one as its pid */
	uint32_t deeds, deeds_cap, free;
};

static struct sink *open_sight(const struct sink_options *options, struct error *err)
{
	struct sink *sink = mem_zero(sizeof(*sink));

	(void)err;
	sink->trace = options->trace;
	sink->sight = options->context;
	return sink;
}

static struct call *call_of(struct sink *sink, thread_id thread)
{
	MEM_GROW(sink->call, sink->calls, thread + 1);
	return &sink->call[thread];
}

/* A reader of a terminal waits for its user. */
static bool is_terminal(const char *path)
{
	static const char *const prefix[] = {"/dev/tty", "/dev/pts/", "/dev/console",
					     "/dev/input/"};

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (!strncmp(path, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

/* Whether it is a file, and not a pipe, a socket or a terminal. */
static bool is_file(const struct trace *trace, file_id id)
{
	const struct trace_file *file = id < trace_files(trace) ? trace_file(trace, id) : NULL;

	return file && file->kind != FILE_FIFO && !is_terminal(trace_text(trace, file->path));
}

/* Sets the names that are known. */
static void set_names(const struct sink *sink, const struct deed *deed,
		      const char *name[TRIGGER_VIEWS])
{
	const struct trace *trace = sink->trace;
	bool has_file = deed->file < trace_files(trace);
	uint32_t mount = has_file ? trace_file(trace, deed->file)->mount : ID_NONE;

	name[VIEW_OP] = deed->op;
	name[VIEW_PROCESS] = deed->process ? trace_text(trace, deed->process) : NULL;
	name[VIEW_FILE] = has_file ? trace_text(trace, trace_file(trace, deed->file)->path)
				   : deed->path;
	name[VIEW_FS] = mount < trace_mounts(trace)
				? trace_text(trace, trace_mount(trace, mount)->mount_point)
				: NULL;
	name[VIEW_DEVICE] = deed->device < trace_devices(trace)
				    ? trace_text(trace, trace_device(trace, deed->device)->name)
				    : NULL;
}

static bool is_met(const struct sink *sink, const struct trigger *trigger, const struct deed *deed,
		   const struct outcome *outcome)
{
	switch (trigger->kind) {
	case TRIGGER_SLOW:
		return !outcome->is_cut && outcome->end - deed->begin >= trigger->ns &&
		       deed->is_of_file;
	case TRIGGER_HANG:
		return outcome->is_cut && sink->sight->until - deed->begin >= trigger->ns &&
		       deed->is_of_file;
	case TRIGGER_ERROR:
		return outcome->error == trigger->error;
	default:
		return false;
	}
}

/* Describes it for the marker. Names may have any bytes. */
static void say(struct sight *sight, const struct deed *deed, const struct outcome *outcome,
		const char *const name[TRIGGER_VIEWS])
{
	double s = (double)(sight->time - deed->begin) / 1e9;
	const char *device = name[VIEW_DEVICE], *file = name[VIEW_FILE];
	char how[64];

	if (sight->trigger->kind == TRIGGER_ERROR)
		snprintf(how, sizeof(how), "failed: %s", errname_text(outcome->error));
	else
		snprintf(how, sizeof(how),
			 sight->trigger->kind == TRIGGER_SLOW ? "took %.3f s"
							      : "has hung for %.1f s",
			 s);
	snprintf(sight->text, sizeof(sight->text), "%s%s%.64s%s%.240s by %s (process %u) %s",
		 deed->op, device ? " of device " : "", device ? device : "", file ? " of " : "",
		 file ? file : "", name[VIEW_PROCESS] ? name[VIEW_PROCESS] : "a process", deed->pid,
		 how);
}

static void judge(struct sink *sink, const struct deed *deed, const struct outcome *outcome)
{
	struct sight *sight = sink->sight;
	const char *name[TRIGGER_VIEWS] = {NULL};

	if (!outcome->is_cut && outcome->end < sight->from)
		return;
	for (uint32_t i = 0; i < sight->triggers->count && !sight->trigger; i++) {
		const struct trigger *trigger = &sight->triggers->item[i];

		if (!is_met(sink, trigger, deed, outcome))
			continue;
		set_names(sink, deed, name);
		if (!trigger_wants(trigger, name))
			continue;
		sight->trigger = trigger;
		sight->time = outcome->is_cut ? sight->until : outcome->end;
		say(sight, deed, outcome, name);
	}
}

static const struct trace_process *process_of(const struct sink *sink, thread_id thread)
{
	return trace_process(sink->trace, trace_thread(sink->trace, thread)->process);
}

static file_id file_of_handle(const struct trace *trace, handle_id id)
{
	return id < trace_handles(trace) ? trace_handle(trace, id)->file : ID_NONE;
}

static void leave(struct sink *sink, const struct io_event *event)
{
	struct call *call = call_of(sink, event->thread);
	const struct trace *trace = sink->trace;
	const struct trace_region *region = trace_region(trace, event->region.id);
	const struct trace_process *process = process_of(sink, event->thread);
	const struct outcome outcome = {event->time, event->region.error, event->region.is_cut};
	struct deed deed = {.begin = call->begin,
			    .op = trace_text(trace, region->name),
			    .path = event->region.path ? trace_text(trace, event->region.path)
						       : NULL,
			    .device = ID_NONE,
			    .process = process->name,
			    .pid = process->pid};

	deed.file = call->handle != ID_NONE ? file_of_handle(trace, call->handle) : call->file;
	deed.is_of_file = is_file(trace, deed.file) ||
			  (deed.file == ID_NONE && call->handle == ID_NONE && region->has_path);
	if (call->begin)
		judge(sink, &deed, &outcome);
	call->begin = 0;
}

static struct deed *new_deed(struct sink *sink, uint64_t id)
{
	uint32_t index = sink->free;

	if (index) {
		sink->free = sink->deed[--index].pid;
	} else {
		MEM_GROW(sink->deed, sink->deeds_cap, sink->deeds + 1);
		index = sink->deeds++;
	}
	map_set(&sink->of, id, index);
	return &sink->deed[index];
}

static const char *mode_name(enum io_mode mode)
{
	static const char *const name[] = {
		[IO_MODE_READ] = "read", [IO_MODE_WRITE] = "write", [IO_MODE_FLUSH] = "flush"};

	return name[mode];
}

/* The operations of a call are parts of it. */
static bool is_of_its_own(const struct sink *sink, const struct io_event *event)
{
	return event->op.is_non_blocking ||
	       trace_thread(sink->trace, event->thread)->kind == LOCATION_DEVICE;
}

static void begin(struct sink *sink, const struct io_event *event)
{
	static const char *const kind[REQUEST_KINDS] = {
		[REQUEST_READ] = "read",     [REQUEST_WRITE] = "write",
		[REQUEST_FLUSH] = "flush",   [REQUEST_DISCARD] = "discard",
		[REQUEST_ZEROES] = "zeroes", [REQUEST_OTHER] = "request"};
	const struct trace_process *process = process_of(sink, event->thread);
	bool is_request = trace_thread(sink->trace, event->thread)->kind == LOCATION_DEVICE;
	file_id file = is_request ? event->op.file : file_of_handle(sink->trace, event->handle);
	struct deed deed = {.begin = event->time,
			    .op = is_request ? kind[event->op.type] : mode_name(event->op.mode),
			    .file = file,
			    .device = is_request ? process->device : ID_NONE,
			    .process = is_request ? event->op.name : process->name,
			    .pid = is_request ? event->op.pid : process->pid,
			    .is_of_file = is_request || is_file(sink->trace, file)};

	*new_deed(sink, event->op.id) = deed;
}

static void end(struct sink *sink, const struct io_event *event)
{
	uint32_t index = map_get(&sink->of, event->op.id);
	bool is_cut = event->kind == IO_OP_CANCELLED && event->op.end == IO_END_RECORDING;
	const struct outcome outcome = {.end = event->time,
					.error = is_cut ? 0 : event->op.error,
					.is_cut = is_cut};

	if (index == MAP_NONE)
		return;
	if (is_cut || event->kind == IO_OP_COMPLETE)
		judge(sink, &sink->deed[index], &outcome);
	map_remove(&sink->of, event->op.id);
	sink->deed[index].pid = sink->free;
	sink->free = index + 1;
}

static void take_operation(struct sink *sink, const struct io_event *event)
{
	struct call *call = call_of(sink, event->thread);

	if (!is_of_its_own(sink, event)) {
		if (event->kind == IO_OP_BEGIN && call->begin && call->handle == ID_NONE)
			call->handle = event->handle;
	} else if (event->kind == IO_OP_BEGIN) {
		begin(sink, event);
	} else {
		end(sink, event);
	}
}

static void take_event(struct sink *sink, const struct io_event *event)
{
	struct call *call;

	if (event->thread == ID_NONE || sink->sight->trigger)
		return;
	call = call_of(sink, event->thread);
	switch (event->kind) {
	case IO_ENTER:
		if (trace_region(sink->trace, event->region.id)->source == REGION_CALL)
			*call = (struct call){event->time, event->handle, event->region.file};
		break;
	case IO_LEAVE:
		if (trace_region(sink->trace, event->region.id)->source == REGION_CALL)
			leave(sink, event);
		break;
	case IO_CREATE_HANDLE:
		if (call->begin && call->handle == ID_NONE)
			call->handle = event->handle;
		break;
	case IO_OP_BEGIN:
	case IO_OP_COMPLETE:
	case IO_OP_CANCELLED:
		take_operation(sink, event);
		break;
	default:
		break;
	}
}

static int close_sight(struct sink *sink, struct error *err)
{
	(void)err;
	map_release(&sink->of);
	free(sink->deed);
	free(sink->call);
	free(sink);
	return 0;
}

const struct sink_ops sight_ops = {
	.name = "sight",
	.help = "finds triggers",
	.open = open_sight,
	.event = take_event,
	.close = close_sight,
};
