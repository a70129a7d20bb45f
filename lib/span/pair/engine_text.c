/* engine_text: groups, keys and names as text. */
#include "engine.h"
#include "spec/number_name.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/nearest.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { KERNEL_MINOR_BITS = 20 };

static const char *const by_word[SPAN_BYS] = {
	[SPAN_BY_GROUP] = "group",     [SPAN_BY_NONE] = "none",
	[SPAN_BY_PROCESS] = "process", [SPAN_BY_THREAD] = "thread",
	[SPAN_BY_FILE] = "file",       [SPAN_BY_CALL] = "call",
	[SPAN_BY_MODE] = "mode",       [SPAN_BY_DEVICE] = "device",
	[SPAN_BY_USER] = "user",       [SPAN_BY_CGROUP] = "cgroup",
	[SPAN_BY_FS] = "fs",           [SPAN_BY_CONNECTION] = "connection",
};

static bool group_by(struct engine_span *span, enum span_by by)
{
	if (span->span->source != SPAN_OF_TRACEPOINTS)
		return engine_io_group(span, by);
	span->by = by;
	span->kind = by == SPAN_BY_PROCESS  ? GROUP_IS_PID
		     : by == SPAN_BY_THREAD ? GROUP_IS_TID
		     : by == SPAN_BY_USER   ? GROUP_IS_USER
		     : by == SPAN_BY_CGROUP ? GROUP_IS_CGROUP
					    : GROUP_IS_NOTHING;
	if (by == SPAN_BY_CONNECTION) {
		span->kind = GROUP_IS_CONNECTION;
		return !strcmp(span->span->side[SPAN_BEGIN].key[0], "connection");
	}
	return by <= SPAN_BY_THREAD || by == SPAN_BY_USER || by == SPAN_BY_CGROUP;
}

int span_engine_group_by(struct span_engine *engine, const char *word, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, word);
	for (int by = 0; by < SPAN_BYS; by++) {
		nearest_try(&nearest, by_word[by]);
		if (strcmp(by_word[by], word) != 0)
			continue;
		for (uint32_t i = 0; i < engine->spans; i++)
			if (!group_by(&engine->span[i], (enum span_by)by))
				return error_say(err, EINVAL, "--by %s: spans '%s' have no %s",
						 word, engine->span[i].span->name, word);
		return 0;
	}
	return error_say(
		err, EINVAL,
		"cannot group by '%s'%s%s%s; there are group, none, process, thread, file, "
		"call, mode, device and fs",
		word, nearest.best ? " (did you mean '" : "", nearest.best ? nearest.best : "",
		nearest.best ? "'?)" : "");
}

/* The default group of a span of the model: see engine_io_group(). */
static const char *model_group(enum span_source source)
{
	switch (source) {
	case SPAN_OF_CALLS:
		return "call";
	case SPAN_OF_REQUESTS:
	case SPAN_OF_QUEUE:
	case SPAN_OF_SERVICE:
		return "device and kind";
	case SPAN_OF_ARCHIVE:
		return "group";
	default:
		return "file";
	}
}

static size_t put(char *text, size_t size, const char *bytes, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(text, bytes, length);
	text[length] = '\0';
	return length;
}

static size_t put_trace_text(const struct span_engine *engine, str_id id, char *text, size_t size)
{
	return put(text, size, trace_text(engine->trace, id),
		   strtab_length(trace_strings(engine->trace), id));
}

static const char *mode_name(uint64_t value)
{
	static const char *const name[] = {"read",  "write",   "flush",  "read", "write",
					   "flush", "discard", "zeroes", "other"};

	return value < sizeof(name) / sizeof(*name) ? name[value] : "other";
}

static size_t put_task(char *text, size_t size, const char *name, uint32_t number)
{
	int length = number ? snprintf(text, size, "%s(%u)", name, number)
			    : snprintf(text, size, "%s", name);

	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static const char *comm_text(const struct span_engine *engine, uint64_t tid)
{
	uint32_t comm = map_get(&engine->comm, tid);

	return strtab_text(engine->strings, comm == MAP_NONE ? 0 : comm);
}

/* A thread's number and its name. */
static size_t put_thread(const struct span_engine *engine, uint64_t id, char *text, size_t size)
{
	const struct trace_thread *thread = trace_thread(engine->trace, (uint32_t)id);

	return put_task(text, size, trace_text(engine->trace, thread->name), thread->tid);
}

static size_t put_process(const struct span_engine *engine, uint64_t id, char *text, size_t size)
{
	const struct trace_process *process = trace_process(engine->trace, (uint32_t)id);

	return put_task(text, size, trace_text(engine->trace, process->name), process->pid);
}

static size_t put_device(const struct span_engine *engine, uint32_t device, const char *kind,
			 char *text, size_t size)
{
	size_t length = put_trace_text(engine, trace_device(engine->trace, device)->name, text,
				       size);

	if (kind)
		length += (size_t)snprintf(text + length, size - length, " %s", kind);
	return length < size ? length : size - 1;
}

static size_t put_mount(const struct span_engine *engine, uint32_t mount, char *text, size_t size)
{
	static const char none[] = "(no mount)"; /* pipes, sockets, files without a name */
	static const char by_path[] = "(by path)";
	static const char other[] = "(no file system)";

	if (mount == GROUP_BY_PATH)
		return put(text, size, by_path, strlen(by_path));
	if (mount == GROUP_NO_FILE_SYSTEM)
		return put(text, size, other, strlen(other));
	if (mount >= trace_mounts(engine->trace))
		return put(text, size, none, strlen(none));
	return put_trace_text(engine, trace_mount(engine->trace, mount)->mount_point, text, size);
}

/* Writes the name of a number, or the number in this form. */
static size_t put_named(const struct span_engine *engine, const struct map *names, uint64_t number,
			const char *form, char *text, size_t size)
{
	uint32_t name = map_get(names, number);
	int length;

	if (name != MAP_NONE)
		return put(text, size, strtab_text(engine->strings, name),
			   strtab_length(engine->strings, name));
	length = snprintf(text, size, form, (unsigned long long)number);
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

/* A device that came after the recording had begun has no name. */
static size_t put_device_number(const struct span_engine *engine, uint32_t number, const char *kind,
				char *text, size_t size)
{
	unsigned major_number = number >> KERNEL_MINOR_BITS;
	unsigned minor_number = number & ((1U << KERNEL_MINOR_BITS) - 1);
	int length;

	for (uint32_t i = 0; i < trace_devices(engine->trace); i++)
		if (trace_device(engine->trace, i)->dev == makedev(major_number, minor_number))
			return put_device(engine, i, kind, text, size);
	length = snprintf(text, size, kind ? "%u:%u %s" : "%u:%u", major_number, minor_number,
			  kind);
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static size_t put_number(const struct span_engine *engine, const struct engine_span *span,
			 uint64_t value, char *text, size_t size)
{
	const char *name = span->group_fields
				   ? decode_symbol(span->group_fields, span->group_index, value)
				   : NULL;
	const char *format = span->kind == GROUP_IS_SIGNED ? "%lld"
			     : span->kind == GROUP_IS_HEX  ? "0x%llx"
							   : "%llu";
	struct arch_name room;
	char number[24];
	int length;

	if (!name && (span->by == SPAN_BY_GROUP || span->by == SPAN_BY_CONNECTION) &&
	    span->span->group_name)
		name = number_name(span->span->group_name, value, engine_arch(engine), &room);
	snprintf(number, sizeof(number), format, (unsigned long long)value);
	length = name ? snprintf(text, size, "%s(%s)", name, number)
		      : snprintf(text, size, "%s", number);
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

size_t span_engine_group(const struct span_engine *engine, uint32_t span, uint64_t group,
			 char *text, size_t size)
{
	const struct engine_span *what = &engine->span[span];

	*text = '\0';
	switch (what->kind) {
	case GROUP_IS_NOTHING:
		return 0;
	case GROUP_IS_NUMBER:
	case GROUP_IS_SIGNED:
	case GROUP_IS_HEX:
		return put_number(engine, what, group, text, size);
	case GROUP_IS_TEXT:
		return put(text, size, strtab_text(engine->strings, (str_id)group),
			   strtab_length(engine->strings, (str_id)group));
	case GROUP_IS_TRACE_TEXT:
		return put_trace_text(engine, (str_id)group, text, size);
	case GROUP_IS_PROCESS:
		return put_process(engine, group, text, size);
	case GROUP_IS_THREAD:
		return put_thread(engine, group, text, size);
	case GROUP_IS_PID:
	case GROUP_IS_TID:
		return put_task(text, size, comm_text(engine, group), (uint32_t)group);
	case GROUP_IS_MODE:
		return put(text, size, mode_name(group), strlen(mode_name(group)));
	case GROUP_IS_KIND:
		return put(text, size, mode_name(IO_MODES + group),
			   strlen(mode_name(IO_MODES + group)));
	case GROUP_IS_REQUEST:
		return put_device(engine, (uint32_t)(group >> 32),
				  mode_name(IO_MODES + (uint32_t)group), text, size);
	case GROUP_IS_REQUEST_NUMBER:
		return put_device_number(engine, (uint32_t)(group >> 32),
					 mode_name(IO_MODES + (uint32_t)group), text, size);
	case GROUP_IS_DEVICE:
		return put_device(engine, (uint32_t)group, NULL, text, size);
	case GROUP_IS_DEVICE_NUMBER:
		return put_device_number(engine, (uint32_t)group, NULL, text, size);
	case GROUP_IS_USER:
		return put_named(engine, &engine->user, group, "%llu", text, size);
	case GROUP_IS_CGROUP:
		return put_named(engine, &engine->cgroup, group, "cgroup:[%llu]", text, size);
	case GROUP_IS_MOUNT:
		return put_mount(engine, (uint32_t)group, text, size);
	case GROUP_IS_CONNECTION:
		return put_number(engine, what, (uint32_t)group, text, size);
	case GROUP_IS_OWNER:
		return put_task(text, size, trace_text(engine->trace, (uint32_t)group),
				(uint32_t)(group >> 32));
	}
	return 0;
}

size_t span_engine_key(const struct span_engine *engine, const struct span_seen *seen, char *text,
		       size_t size)
{
	const struct span *span = engine->span[seen->span].span;
	const struct span_point *begin = &span->side[SPAN_BEGIN];
	size_t length = 0;

	*text = '\0';
	for (uint32_t i = 0; i < begin->keys && length < size; i++) {
		const char *blank = i ? " " : "";
		const char *name = begin->key_text[i] ? begin->key_text[i] : begin->key[i];
		uint64_t value = seen->key[i];

		if (engine->span[seen->span].is_text_key[i])
			length += (size_t)snprintf(text + length, size - length, "%s%s=%s", blank,
						   name,
						   strtab_text(engine->strings, (str_id)value));
		else
			length += (size_t)snprintf(text + length, size - length,
						   strstr(name, ":x") ? "%s%s=0x%llx" : "%s%s=%llu",
						   blank, name, (unsigned long long)value);
	}
	return length < size ? length : size - 1;
}

const char *span_engine_group_name(const struct span_engine *engine, uint32_t span)
{
	const struct engine_span *what = &engine->span[span];

	if (what->by == SPAN_BY_NONE)
		return "";
	if (what->by != SPAN_BY_GROUP)
		return by_word[what->by];
	if (what->span->source != SPAN_OF_TRACEPOINTS)
		return model_group(what->span->source);
	return what->span->group_name ? what->span->group_name
	       : what->span->group    ? what->span->group
				      : "";
}

bool span_engine_is_group_of_end(const struct span_engine *engine, uint32_t span)
{
	return engine->span[span].is_group_of_end;
}

const char *span_engine_key_text(const struct span_engine *engine, const struct span_seen *seen,
				 uint32_t key)
{
	return engine->span[seen->span].is_text_key[key]
		       ? strtab_text(engine->strings, (str_id)seen->key[key])
		       : NULL;
}

void span_engine_use_counted(struct span_engine *engine, uint32_t span)
{
	enum group_kind *kind = &engine->span[span].kind;

	switch ((int)*kind) {
	case GROUP_IS_TRACE_TEXT:
		*kind = GROUP_IS_TEXT;
		break;
	case GROUP_IS_PROCESS:
		*kind = GROUP_IS_PID;
		break;
	case GROUP_IS_THREAD:
		*kind = GROUP_IS_TID;
		break;
	case GROUP_IS_DEVICE:
		*kind = GROUP_IS_DEVICE_NUMBER;
		break;
	case GROUP_IS_REQUEST:
		*kind = GROUP_IS_REQUEST_NUMBER;
		break;
	case GROUP_IS_MODE:
		if (span_is_of_requests(engine->span[span].span))
			*kind = GROUP_IS_KIND;
		break;
	default:
		break;
	}
}

void span_engine_choose_calls(struct span_engine *engine, uint32_t groups)
{
	engine->call_groups = groups;
}

str_id span_engine_thread(const struct span_engine *engine, uint32_t tid)
{
	return engine_comm(engine, tid);
}

void span_engine_name_thread(struct span_engine *engine, uint32_t tid, const char *name)
{
	if (map_get(&engine->comm, tid) == MAP_NONE && *name)
		map_set(&engine->comm, tid,
			strtab_add(engine->strings, name, (uint32_t)strlen(name)));
}

str_id span_engine_text(struct span_engine *engine, const char *text)
{
	return strtab_add(engine->strings, text, (uint32_t)strlen(text));
}

void span_engine_choose_names(struct span_engine *engine, uint32_t span, uint64_t chooser)
{
	const struct engine_span *what = &engine->span[span];

	if (what->group_fields)
		decode_choose(what->group_fields, what->group_index, chooser);
}

/* The first name of a number counts. */
void span_engine_name_user(struct span_engine *engine, uint32_t uid, const char *name)
{
	if (map_get(&engine->user, uid) == MAP_NONE)
		map_set(&engine->user, uid,
			strtab_add(engine->strings, name, (uint32_t)strlen(name)));
}

const char *span_engine_comm(const struct span_engine *engine, const struct span_seen *seen)
{
	if (engine->span[seen->span].span->source == SPAN_OF_TRACEPOINTS)
		return strtab_text(engine->strings, seen->comm);
	return trace_text(engine->trace, seen->comm);
}

const char *span_engine_about(const struct span_engine *engine, const struct span_seen *seen)
{
	return seen->about ? trace_text(engine->trace, seen->about) : "";
}
