#include "sight.h"

#include <iotrace/errname.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS_MOST = 16, ANSWER_MS = 300 };

/* A call, an asynchronous operation or a block request in flight. */
struct deed {
	uint64_t begin; /* 0: none */
	const char *op;
	file_id file;
	const char *path;  /* that a failed call named, or NULL */
	uint32_t device;   /* of a block request; ID_NONE: it is none */
	str_id process;    /* its name; 0: unknown */
	uint32_t pid, tid; /* tid: 0: not known */
	bool is_of_file;   /* it should not take long */
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

/* A reader of a terminal waits for its user, and a FUSE file system for requests. */
static bool waits_for_others(const char *path)
{
	static const char *const prefix[] = {"/dev/tty",    "/dev/pts/", "/dev/console",
					     "/dev/input/", "/dev/fuse", "/dev/kmsg"};

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (!strncmp(path, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

/* Whether it is a file, and not a pipe, a socket or a terminal. */
static bool is_file(const struct trace *trace, file_id id)
{
	const struct trace_file *file = id < trace_files(trace) ? trace_file(trace, id) : NULL;

	return file && file->kind != FILE_FIFO && !waits_for_others(trace_text(trace, file->path));
}

static bool is_told(const struct sight_told *told, const struct deed *deed)
{
	for (uint32_t i = 0; i < told->count && i < SIGHT_TOLD; i++)
		if (told->hang[i].begin == deed->begin && told->hang[i].pid == deed->pid)
			return true;
	return false;
}

void sight_tell(struct sight_told *told, uint64_t begin, uint32_t pid)
{
	uint32_t at = told->count++ % SIGHT_TOLD;

	told->hang[at].begin = begin;
	told->hang[at].pid = pid;
}

/* Returns the path that a call in flight was given, lent until the next question; NULL: it is not known. */
static const char *path_in_flight(struct sight *sight, const struct deed *deed)
{
	struct watch_task *task = &sight->task;

	if (!sight->watch || !deed->tid || sight->asked == ASKS_MOST)
		return NULL;
	sight->asked++;
	if (!watch_ask(sight->watch, deed->pid, deed->tid))
		return NULL;
	while (watch_answer(sight->watch, task, ANSWER_MS))
		if (task->pid == deed->pid && task->tid == deed->tid)
			return *task->file && !strcmp(task->call, deed->op) ? task->file : NULL;
	return NULL;
}

static bool is_below(const char *path, const char *mount)
{
	size_t length = strlen(mount);

	return !strncmp(path, mount, length) &&
	       (!path[length] || path[length] == '/' || (length && mount[length - 1] == '/'));
}

/* Returns the mount point of the innermost mount that the path leads to, or NULL. */
static const char *mount_of_path(const struct trace *trace, const char *path)
{
	const char *best = NULL;

	for (uint32_t i = 0; i < trace_mounts(trace); i++) {
		const char *mount = trace_text(trace, trace_mount(trace, i)->mount_point);

		if (is_below(path, mount) && (!best || strlen(mount) >= strlen(best)))
			best = mount;
	}
	return best;
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

/* If a call names its file by a path, the kernel gives the file only when the call ends. */
static void find_path(const struct sink *sink, const struct deed *deed,
		      const char *name[TRIGGER_VIEWS])
{
	if (!name[VIEW_FILE])
		name[VIEW_FILE] = path_in_flight(sink->sight, deed);
	if (name[VIEW_FILE] && !name[VIEW_FS])
		name[VIEW_FS] = mount_of_path(sink->trace, name[VIEW_FILE]);
}

/* Once there is a trigger, only further hangs matter: they have no archives of their own. */
static bool matters(const struct sink *sink, const struct trigger *trigger, const struct deed *deed)
{
	const struct sight *sight = sink->sight;

	return trigger->kind == TRIGGER_HANG ? !is_told(sight->told, deed) : !sight->trigger;
}

static void judge(struct sink *sink, const struct deed *deed, const struct outcome *outcome)
{
	struct sight *sight = sink->sight;
	const char *name[TRIGGER_VIEWS] = {NULL};

	if (!outcome->is_cut && outcome->end < sight->from)
		return;
	for (uint32_t i = 0; i < sight->triggers->count; i++) {
		const struct trigger *trigger = &sight->triggers->item[i];

		if (!is_met(sink, trigger, deed, outcome) || !matters(sink, trigger, deed))
			continue;
		set_names(sink, deed, name);
		if (trigger->kind == TRIGGER_HANG)
			find_path(sink, deed, name);
		if (!trigger_wants(trigger, name))
			continue;
		if (trigger->kind == TRIGGER_HANG)
			sight_tell(&sight->hangs, deed->begin, deed->pid);
		if (sight->trigger)
			return;
		sight->trigger = trigger;
		sight->time = outcome->is_cut ? sight->until : outcome->end;
		say(sight, deed, outcome, name);
		return;
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
			    .pid = process->pid,
			    .tid = trace_thread(trace, event->thread)->tid};

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

	if (event->thread == ID_NONE)
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
