#include "sight.h"

#include <iotrace/errname.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static file_id file_of(const struct sink *sink, const struct call *call)
{
	return call->handle != ID_NONE ? trace_handle(sink->trace, call->handle)->file : call->file;
}

/* Whether the call should not take long: it concerns a file, and not a pipe, a socket or a terminal. */
static bool is_of_file(const struct sink *sink, const struct io_event *leave,
		       const struct call *call)
{
	const struct trace_region *region = trace_region(sink->trace, leave->region.id);
	file_id id = file_of(sink, call);
	const struct trace_file *file = id == ID_NONE ? NULL : trace_file(sink->trace, id);

	if (!file)
		return call->handle == ID_NONE && region->has_path;
	return file->kind != FILE_FIFO && !is_terminal(trace_text(sink->trace, file->path));
}

/* Sets the names that are known. */
static void set_names(const struct sink *sink, const struct io_event *leave,
		      const struct call *call, const char *name[TRIGGER_VIEWS])
{
	const struct trace *trace = sink->trace;
	const struct trace_process *process =
		trace_process(trace, trace_thread(trace, leave->thread)->process);
	file_id file = file_of(sink, call);
	uint32_t mount = file == ID_NONE ? ID_NONE : trace_file(trace, file)->mount;

	name[VIEW_OP] = trace_text(trace, trace_region(trace, leave->region.id)->name);
	name[VIEW_PROCESS] = process->name ? trace_text(trace, process->name) : NULL;
	name[VIEW_FILE] = file != ID_NONE      ? trace_text(trace, trace_file(trace, file)->path)
			  : leave->region.path ? trace_text(trace, leave->region.path)
					       : NULL;
	name[VIEW_FS] = mount < trace_mounts(trace)
				? trace_text(trace, trace_mount(trace, mount)->mount_point)
				: NULL;
}

static bool is_met(const struct sink *sink, const struct trigger *trigger,
		   const struct io_event *leave, const struct call *call)
{
	uint64_t took = leave->time - call->begin;

	switch (trigger->kind) {
	case TRIGGER_SLOW:
		return !leave->region.is_cut && took >= trigger->ns &&
		       is_of_file(sink, leave, call);
	case TRIGGER_HANG:
		return leave->region.is_cut && sink->sight->until - call->begin >= trigger->ns &&
		       is_of_file(sink, leave, call);
	case TRIGGER_ERROR:
		return leave->region.error == trigger->error;
	default:
		return false;
	}
}

/* Describes the call for the marker. Names may have any bytes. */
static void say(struct sight *sight, const struct io_event *leave, const struct call *call,
		const char *const name[TRIGGER_VIEWS], uint32_t pid)
{
	double s = (double)(sight->time - call->begin) / 1e9;
	char how[64];

	if (sight->trigger->kind == TRIGGER_ERROR)
		snprintf(how, sizeof(how), "failed: %s", errname_text(leave->region.error));
	else
		snprintf(how, sizeof(how),
			 sight->trigger->kind == TRIGGER_SLOW ? "took %.3f s"
							      : "has hung for %.1f s",
			 s);
	snprintf(sight->text, sizeof(sight->text), "%s%s%.300s by %s (process %u) %s",
		 name[VIEW_OP], name[VIEW_FILE] ? " of " : "",
		 name[VIEW_FILE] ? name[VIEW_FILE] : "",
		 name[VIEW_PROCESS] ? name[VIEW_PROCESS] : "a process", pid, how);
}

static void judge(struct sink *sink, const struct io_event *leave, const struct call *call)
{
	struct sight *sight = sink->sight;
	const char *name[TRIGGER_VIEWS] = {NULL};
	const struct trace *trace = sink->trace;

	for (uint32_t i = 0; i < sight->triggers->count && !sight->trigger; i++) {
		const struct trigger *trigger = &sight->triggers->item[i];

		if (!is_met(sink, trigger, leave, call))
			continue;
		set_names(sink, leave, call, name);
		if (!trigger_wants(trigger, name))
			continue;
		sight->trigger = trigger;
		sight->time = leave->region.is_cut ? sight->until : leave->time;
		say(sight, leave, call, name,
		    trace_process(trace, trace_thread(trace, leave->thread)->process)->pid);
	}
}

static void leave(struct sink *sink, const struct io_event *event)
{
	struct call *call = call_of(sink, event->thread);

	if (call->begin && (event->region.is_cut || event->time >= sink->sight->from))
		judge(sink, event, call);
	call->begin = 0;
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
	case IO_OP_BEGIN:
		if (call->begin && call->handle == ID_NONE)
			call->handle = event->handle;
		break;
	default:
		break;
	}
}

static int close_sight(struct sink *sink, struct error *err)
{
	(void)err;
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
