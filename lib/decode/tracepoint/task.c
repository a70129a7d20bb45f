/*
 * task: records and tracepoints about the begin and end of tasks, and about losses.
 *
 * Normally these are the records FORK, EXIT and COMM of perf. In captures that lack these records, the scheduler's tracepoints
 * replace them; they have thread ids only.
 */
#include "task.h"

#include <iotrace/bytes.h>
#include <iotrace/decode.h>

enum {
	COMM_MAX = 15,
	MMAP2_MORE = 32, /* device and inode or build id, protection, flags */
};

static enum decoded record_fork(struct bytes *body, struct event *event)
{
	event->kind = EVENT_FORK;
	event->fork.child_pid = bytes_u32(body);
	event->pid = bytes_u32(body);
	event->fork.child_tid = bytes_u32(body);
	event->tid = bytes_u32(body);
	return DECODED_EVENT;
}

static enum decoded record_exit(struct bytes *body, struct event *event)
{
	event->kind = EVENT_EXIT;
	event->pid = bytes_u32(body);
	bytes_u32(body); /* the parent */
	event->tid = bytes_u32(body);
	return DECODED_EVENT;
}

static enum decoded record_comm(struct bytes *body, const struct sample *sample,
				struct event *event)
{
	event->kind = EVENT_COMM;
	event->pid = bytes_u32(body);
	event->tid = bytes_u32(body);
	event->comm.is_exec = sample->misc & PERF_RECORD_MISC_COMM_EXEC;
	event->comm.name.at = (const char *)body->at;
	event->comm.name.length = body->bad ? 0
					    : (uint32_t)strnlen((const char *)body->at, body->left);
	return DECODED_EVENT;
}

/*
 * Each exec maps [vdso], in a 32-bit program within the first 4 GiB. So the address shows which table of calls the program uses,
 * at the moment of the exec. Programs of 32-bit ARM have [sigpage] there instead if the kernel was built without a [vdso] for
 * them. Other mappings are skipped.
 */
static bool is_of_exec(const struct bytes *name)
{
	static const char *const mapped[] = {"[vdso]", "[sigpage]"};

	for (size_t i = 0; i < sizeof(mapped) / sizeof(*mapped); i++)
		if (name->left > strlen(mapped[i]) && !strcmp((const char *)name->at, mapped[i]))
			return true;
	return false;
}

static enum decoded record_map(struct bytes *body, const struct sample *sample, struct event *event)
{
	uint64_t address;

	event->kind = EVENT_PROGRAM;
	event->pid = bytes_u32(body);
	event->tid = bytes_u32(body);
	address = bytes_u64(body);
	event->program.is_foreign = address <= UINT32_MAX;
	bytes_take(body, 2 * sizeof(uint64_t)); /* length and offset */
	if (sample->type == PERF_RECORD_MMAP2)
		bytes_take(body, MMAP2_MORE);
	return is_of_exec(body) ? DECODED_EVENT : DECODED_IGNORED;
}

bool decode_mapping(const struct sample *sample, struct decode_mapping *mapping)
{
	struct bytes body = bytes_of(sample->body, sample->body_size);

	if ((sample->type != PERF_RECORD_MMAP && sample->type != PERF_RECORD_MMAP2) ||
	    sample->misc & PERF_RECORD_MISC_MMAP_DATA)
		return false;
	mapping->pid = bytes_u32(&body);
	bytes_u32(&body);
	mapping->begin = bytes_u64(&body);
	mapping->length = bytes_u64(&body);
	mapping->offset = bytes_u64(&body);
	if (sample->type == PERF_RECORD_MMAP2)
		bytes_take(&body, MMAP2_MORE);
	mapping->file.at = (const char *)body.at;
	mapping->file.length = body.bad ? 0 : (uint32_t)strnlen((const char *)body.at, body.left);
	return !body.bad;
}

enum decoded task_record(const struct sample *sample, struct event *event)
{
	struct bytes body = bytes_of(sample->body, sample->body_size);
	enum decoded decoded = DECODED_IGNORED;

	switch (sample->type) {
	case PERF_RECORD_FORK:
		decoded = record_fork(&body, event);
		break;
	case PERF_RECORD_EXIT:
		decoded = record_exit(&body, event);
		break;
	case PERF_RECORD_COMM:
		decoded = record_comm(&body, sample, event);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		decoded = record_map(&body, sample, event);
		break;
	case PERF_RECORD_LOST:
		bytes_u64(&body); /* the id of any event of the ring */
		__attribute__((fallthrough));
	case PERF_RECORD_LOST_SAMPLES:
		event->kind = EVENT_LOST;
		event->lost.is_of_counter = sample->type == PERF_RECORD_LOST_SAMPLES;
		event->lost.count = bytes_u64(&body);
		event->lost.until = sample->until;
		decoded = DECODED_EVENT;
		break;
	default:
		break;
	}
	return body.bad ? DECODED_MALFORMED : decoded;
}

/* The tracepoint does not contain the process of the child: it may be a thread. */
enum decoded decode_sched_fork(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event)
{
	event->kind = EVENT_FORK;
	event->tid = (uint32_t)field_value(&tp->field[0], sample->raw);
	event->fork.child_pid = 0;
	event->fork.child_tid = (uint32_t)field_value(&tp->field[1], sample->raw);
	return DECODED_EVENT;
}

/* A task's name is the last component of the program's path, cut to 15 bytes. */
enum decoded decode_sched_exec(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event)
{
	struct event_string path;
	const char *slash;

	if (!field_string(&tp->field[0], sample, &path))
		return DECODED_MALFORMED;
	slash = (const char *)memrchr(path.at, '/', path.length);
	if (slash) {
		path.length -= (uint32_t)(slash + 1 - path.at);
		path.at = slash + 1;
	}
	event->kind = EVENT_COMM;
	event->comm.is_exec = true;
	event->comm.name.at = path.at;
	event->comm.name.length = path.length < COMM_MAX ? path.length : COMM_MAX;
	return DECODED_EVENT;
}

enum decoded decode_sched_exit(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event)
{
	event->kind = EVENT_EXIT;
	event->tid = (uint32_t)field_value(&tp->field[0], sample->raw);
	return DECODED_EVENT;
}

enum decoded decode_newtask(const struct tracepoint *tp, const struct sample *sample,
			    struct event *event)
{
	event->kind = EVENT_CLONE_FLAGS;
	event->clone_flags.flags = (uint64_t)field_value(&tp->field[0], sample->raw);
	return DECODED_EVENT;
}

enum decoded decode_setlk(const struct tracepoint *tp, const struct sample *sample,
			  struct event *event)
{
	event->kind = EVENT_LOCK;
	event->lock_type = (uint32_t)field_value(&tp->field[0], sample->raw);
	return DECODED_EVENT;
}
