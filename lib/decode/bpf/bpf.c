/*
 * bpf: the records that BPF programs write in the kernel.
 *
 * Nothing in a record is trusted: each size is compared with the bytes that are left before it is used. Raw data has no fixed
 * alignment, so records are copied, which costs nothing.
 */
#include "bpf.h"

#include <stddef.h>
#include <sys/sysmacros.h>

enum { PART_ALIGN = 8 };

/* Returns a text that ends at its NUL, or after `size` bytes. */
static struct event_string text_at(const uint8_t *at, size_t size)
{
	return (struct event_string){(const char *)at, (uint32_t)strnlen((const char *)at, size)};
}

/* The name in a record of this type. */
#define NAME_IN(sample, type)                                                                      \
	text_at((sample)->raw + offsetof(struct type, name), sizeof(((struct type *)0)->name))

/* The destination of the parts of a record. */
struct parts {
	struct bpf_text *text;
	struct event_string *path; /* [EVENT_PATHS], or NULL */
	struct event_string *base; /* [EVENT_PATHS], or NULL */
	struct event_file *file;   /* [EVENT_FILES], or NULL */
	struct event *program;     /* EVENT_ARGUMENTS, or NULL */
	const struct arch *arch;   /* the machine whose O_* flags files have; NULL: this machine */
	bool is_fixed;             /* a file may have no descriptor, because it is a fixed file */
};

static bool take_path(const struct parts *to, const struct bpf_part *part, const uint8_t *at)
{
	if (to->path && part->index < EVENT_PATHS && !(part->flags & BPF_PART_TORN))
		to->path[part->index] = text_at(at + sizeof(*part), part->size - sizeof(*part));
	return true;
}

/* No file below a deleted directory has a path. */
static uint16_t directory_flags(const struct bpf_part *part)
{
	return part->flags & BPF_PART_DELETED ? part->flags | BPF_PART_TORN : part->flags;
}

static bool take_file(const struct parts *to, const struct bpf_part *part, const uint8_t *at)
{
	struct bpf_part_file f;
	struct event_file *file;

	bool is_directory = part->kind == BPF_PART_DIRECTORY;

	if (part->size < sizeof(f))
		return false;
	memcpy(&f, at, sizeof(f));
	if (is_directory ? f.fd != -1 : f.fd < (to->is_fixed ? -1 : 0))
		return false;
	if (!to->file || part->index >= EVENT_FILES)
		return true;
	if (is_directory)
		f.part.flags = directory_flags(&f.part);
	file = &to->file[part->index];
	file->fd = f.fd;
	file->flags = to->arch ? arch_open_flags(to->arch, f.flags) : f.flags;
	file->mode = f.mode;
	file->position = f.position;
	file->dev = makedev(f.major, f.minor);
	file->ino = f.ino;
	file->mnt_id = f.mnt_id;
	file->is_deleted = part->flags & (BPF_PART_DELETED | BPF_PART_SPECIAL | BPF_PART_DETACHED);
	return bpf_file_name(to->text->name[part->index], &f, (const char *)at + sizeof(f),
			     part->size - sizeof(f), &file->name);
}

static bool take_arguments(const struct parts *to, const struct bpf_part *part, const uint8_t *at)
{
	if (!to->program)
		return true;
	to->program->arguments.words = (struct event_string){(const char *)at + sizeof(*part),
							     (uint32_t)(part->size -
									sizeof(*part))};
	to->program->arguments.is_cut = part->flags & BPF_PART_TORN;
	return true;
}

static bool take_base(const struct parts *to, const struct bpf_part *part, const uint8_t *at)
{
	struct bpf_part_file f;

	if (part->size < sizeof(f))
		return false;
	memcpy(&f, at, sizeof(f));
	if (!to->base || part->index >= EVENT_PATHS)
		return true;
	f.part.flags = directory_flags(&f.part);
	return bpf_file_name(to->text->base[part->index], &f, (const char *)at + sizeof(f),
			     part->size - sizeof(f), &to->base[part->index]);
}

/* The record is malformed if a part is not inside it. */
static enum decoded take_parts(const struct parts *to, const struct sample *sample,
			       const struct bpf_record_head *head)
{
	static bool (*const take[BPF_PART_KINDS])(const struct parts *, const struct bpf_part *,
						  const uint8_t *) = {
		[BPF_PART_PATH] = take_path,      [BPF_PART_FILE] = take_file,
		[BPF_PART_DIRECTORY] = take_file, [BPF_PART_ARGUMENTS] = take_arguments,
		[BPF_PART_BASE] = take_base,
	};
	const uint8_t *at = sample->raw + head->size;
	size_t left = sample->raw_size - head->size, step;
	struct bpf_part part;
	uint32_t i;

	for (i = 0; i < head->parts; i++) {
		if (left < sizeof(part))
			return DECODED_MALFORMED;
		memcpy(&part, at, sizeof(part));
		if (part.size < sizeof(part) || part.size > left)
			return DECODED_MALFORMED;
		if (part.kind < BPF_PART_KINDS && take[part.kind] &&
		    !take[part.kind](to, &part, at))
			return DECODED_MALFORMED;
		/* The padding of the last part may be missing. */
		step = ((size_t)part.size + PART_ALIGN - 1) & ~(size_t)(PART_ALIGN - 1);
		step = step < left ? step : left;
		at += step;
		left -= step;
	}
	return DECODED_EVENT;
}

static enum decoded take_enter(struct bpf_text *text, const struct sample *sample,
			       const struct arch *arch, const struct bpf_record_call *record,
			       struct event *event)
{
	struct parts parts = {text, event->enter.path, event->enter.base, NULL, NULL, arch, false};

	event->kind = EVENT_SYSCALL_ENTER;
	memcpy(event->enter.arg, record->arg, sizeof(event->enter.arg));
	arch_arguments(arch, event->enter.call, event->enter.arg);
	memset(event->enter.path, 0, sizeof(event->enter.path));
	memset(event->enter.base, 0, sizeof(event->enter.base));
	return take_parts(&parts, sample, &record->head);
}

static enum decoded take_exit(struct bpf_text *text, const struct sample *sample,
			      const struct bpf_record_call *record, struct event *event)
{
	struct parts parts = {.text = text};

	event->kind = EVENT_SYSCALL_EXIT;
	event->exit.result = record->result;
	event->exit.counters = 0;
	return take_parts(&parts, sample, &record->head);
}

static enum decoded take_pair(struct bpf_text *text, const struct sample *sample,
			      const struct arch *arch, const struct bpf_record_call *record,
			      struct event *event)
{
	struct parts parts = {
		text, event->pair.path, event->pair.base, event->pair.file, NULL, arch, false};
	uint32_t i;

	event->kind = EVENT_CALL;
	event->pair.is_in_flight = record->head.kind == BPF_RECORD_IN_FLIGHT;
	event->pair.begin = record->begin;
	/* Copies in the same pieces as they were written: otherwise the processor waits. */
	memcpy(event->pair.arg, sample->raw + offsetof(struct bpf_record_call, arg),
	       sizeof(event->pair.arg));
	arch_arguments(arch, event->pair.call, event->pair.arg);
	event->pair.result = record->result;
	event->pair.position = record->position;
	memset(event->pair.path, 0, sizeof(event->pair.path));
	memset(event->pair.base, 0, sizeof(event->pair.base));
	for (i = 0; i < EVENT_FILES; i++) {
		event->pair.file[i].fd = -1;
		event->pair.file[i].name.at = NULL;
	}
	if (record->begin > sample->time)
		return DECODED_MALFORMED;
	if (!record->head.parts)
		return DECODED_EVENT;
	return take_parts(&parts, sample, &record->head);
}

/* Copies the fixed part of a record. Returns false if it is incomplete. */
static inline bool take_fixed(const struct sample *sample, void *record, size_t size)
{
	struct bpf_record_head head;

	if (sample->raw_size < size)
		return false;
	memcpy(record, sample->raw, size);
	memcpy(&head, sample->raw, sizeof(head));
	return head.size >= size;
}

static enum decoded take_call(struct bpf_text *text, const struct sample *sample,
			      const struct arch *arch, struct event *event)
{
	struct bpf_record_call record;
	call_id call;

	if (!take_fixed(sample, &record, sizeof(record)))
		return DECODED_MALFORMED;
	call = arch ? arch_call(arch, record.number) : CALL_ID_NONE;
	if (call == CALL_ID_NONE)
		return DECODED_IGNORED;
	switch (record.head.kind) {
	case BPF_RECORD_ENTER:
		event->enter.call = call;
		return take_enter(text, sample, arch, &record, event);
	case BPF_RECORD_EXIT:
		event->exit.call = call;
		return take_exit(text, sample, &record, event);
	default:
		event->pair.call = call;
		return take_pair(text, sample, arch, &record, event);
	}
}

/* Writes rwbs like the kernel's blk_fill_rwbs(). */
static struct event_string rwbs(struct bpf_text *text, enum request_kind type, uint32_t letters)
{
	static const char letter_of[REQUEST_KINDS] = {
		[REQUEST_READ] = 'R',    [REQUEST_WRITE] = 'W',  [REQUEST_FLUSH] = 'F',
		[REQUEST_DISCARD] = 'D', [REQUEST_ZEROES] = 'N', [REQUEST_OTHER] = 'N',
	};
	static const struct {
		uint32_t letter;
		char text;
	} after[] = {
		{BPF_REQUEST_SECURE, 'E'}, {BPF_REQUEST_FUA, 'F'},  {BPF_REQUEST_AHEAD, 'A'},
		{BPF_REQUEST_SYNC, 'S'},   {BPF_REQUEST_META, 'M'},
	};
	uint32_t length = 0, i;

	if (letters & BPF_REQUEST_PREFLUSH)
		text->rwbs[length++] = 'F';
	text->rwbs[length++] = letter_of[type];
	for (i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		if (letters & after[i].letter)
			text->rwbs[length++] = after[i].text;
	}
	return (struct event_string){text->rwbs, length};
}

static enum decoded take_request(struct bpf_text *text, const struct sample *sample,
				 struct event *event)
{
	struct bpf_record_request r;

	if (!take_fixed(sample, &r, sizeof(r)) || r.step >= REQUEST_STEPS ||
	    r.type >= REQUEST_KINDS || r.error < 0)
		return DECODED_MALFORMED;
	event->kind = EVENT_REQUEST;
	event->request = (struct request){
		.step = (enum request_step)r.step,
		.type = (enum request_kind)r.type,
		.dev = (uint32_t)makedev(r.major, r.minor),
		.old_dev = (uint32_t)makedev(r.old_major, r.old_minor),
		.sector = r.sector,
		.old_sector = r.old_sector,
		.sectors = r.sectors,
		.bytes = r.bytes,
		.error = r.error,
		.key = r.key,
		.inode = r.inode,
		.inode_dev = makedev(r.inode_major, r.inode_minor),
		.cgroup = r.cgroup,
		.rwbs = rwbs(text, (enum request_kind)r.type, r.letters),
		.name = NAME_IN(sample, bpf_record_request),
	};
	return DECODED_EVENT;
}

static enum decoded take_aio(struct bpf_text *text, const struct sample *sample,
			     const struct arch *arch, struct event *event)
{
	struct event_file file[EVENT_FILES] = {{.fd = -1}, {.fd = -1}};
	struct parts parts = {text, NULL, NULL, file, NULL, arch, false};
	struct bpf_record_aio r = {0};

	if (!take_fixed(sample, &r, sizeof(r)) &&
	    !take_fixed(sample, &r, offsetof(struct bpf_record_aio, file)))
		return DECODED_MALFORMED;
	if (r.head.size < sizeof(r))
		r.file = 0;
	parts.is_fixed = r.file;
	if (r.step >= AIO_STEPS || r.api >= AIO_APIS)
		return DECODED_MALFORMED;
	event->kind = EVENT_AIO;
	event->aio.step = (struct aio){
		.step = (enum aio_step)r.step,
		.api = (enum aio_api)r.api,
		.opcode = r.opcode,
		.flags = r.flags,
		.fd = r.fd,
		.index = r.index,
		.queue = r.queue,
		.key = r.key,
		.user_data = r.user_data,
		.offset = r.offset,
		.bytes = r.bytes,
		.result = r.result,
		.file = r.file,
	};
	event->aio.step.action = aio_action(event->aio.step.api, r.opcode, &event->aio.step.flags);
	if (take_parts(&parts, sample, &r.head) != DECODED_EVENT)
		return DECODED_MALFORMED;
	event->aio.file = file[0];
	return DECODED_EVENT;
}

static enum decoded take_fault(const struct sample *sample, struct event *event)
{
	const size_t old_size = offsetof(struct bpf_record_fault, end);
	struct bpf_record_fault r = {0};

	if (!take_fixed(sample, &r, sizeof(r)) && !take_fixed(sample, &r, old_size))
		return DECODED_MALFORMED;
	if (r.head.size < sizeof(r))
		r.end = 0;
	if (r.begin > sample->time || r.end > sample->time || (r.end && r.end < r.begin))
		return DECODED_MALFORMED;
	event->kind = EVENT_FAULT;
	event->fault.begin = r.begin;
	event->fault.end = r.end;
	event->fault.dev = makedev(r.major, r.minor);
	event->fault.ino = r.ino;
	event->fault.offset = r.offset;
	event->fault.bytes = r.bytes;
	return DECODED_EVENT;
}

static enum decoded take_writeback(const struct sample *sample, struct event *event)
{
	struct bpf_record_writeback r;

	if (!take_fixed(sample, &r, sizeof(r)) || r.begin > sample->time)
		return DECODED_MALFORMED;
	event->kind = EVENT_WRITEBACK;
	event->writeback.begin = r.begin;
	event->writeback.dev = makedev(r.major, r.minor);
	event->writeback.ino = r.ino;
	event->writeback.bytes = r.bytes;
	event->writeback.name = NAME_IN(sample, bpf_record_writeback);
	return DECODED_EVENT;
}

static enum event_kind mapped_as(uint16_t kind)
{
	return kind == BPF_RECORD_STORES  ? EVENT_STORES
	       : kind == BPF_RECORD_LOADS ? EVENT_LOADS
					  : EVENT_CODE;
}

static enum decoded take_detail(const struct sample *sample, struct event *event)
{
	struct bpf_record_detail r;

	if (!take_fixed(sample, &r, sizeof(r)))
		return DECODED_MALFORMED;
	switch (r.head.kind) {
	case BPF_RECORD_CLONE:
		event->kind = EVENT_CLONE_FLAGS;
		event->clone_flags.flags = r.value;
		break;
	case BPF_RECORD_FOREIGN:
		event->kind = EVENT_FOREIGN;
		break;
	case BPF_RECORD_STORES:
	case BPF_RECORD_LOADS:
	case BPF_RECORD_CODE:
		event->kind = mapped_as(r.head.kind);
		event->mapped = (int32_t)r.value;
		break;
	case BPF_RECORD_STATUS:
		event->kind = EVENT_STATUS;
		event->status = (int32_t)(r.value & INT32_MAX);
		break;
	default:
		event->kind = EVENT_LOCK;
		event->lock_type = (uint32_t)r.value;
		break;
	}
	return DECODED_EVENT;
}

static enum decoded take_task(const struct sample *sample, struct event *event)
{
	struct bpf_record_task r;

	if (!take_fixed(sample, &r, sizeof(r)))
		return DECODED_MALFORMED;
	switch (r.head.kind) {
	case BPF_RECORD_FORK:
		event->kind = EVENT_FORK;
		event->fork.child_pid = r.pid;
		event->fork.child_tid = r.tid;
		break;
	case BPF_RECORD_COMM:
		event->kind = EVENT_COMM;
		event->comm.is_exec = true;
		event->comm.name = NAME_IN(sample, bpf_record_task);
		break;
	default:
		event->kind = EVENT_EXIT;
		break;
	}
	return DECODED_EVENT;
}

static enum decoded take_program(const struct sample *sample, const struct bpf_record_head *head,
				 struct event *event)
{
	struct parts parts = {.program = event};

	event->kind = EVENT_ARGUMENTS;
	event->arguments.words.at = NULL;
	if (take_parts(&parts, sample, head) != DECODED_EVENT || !event->arguments.words.at)
		return DECODED_MALFORMED;
	return DECODED_EVENT;
}

static enum event_choice choice_of(const struct bpf_record_head *head)
{
	if (head->flags & BPF_RECORD_CHOSEN)
		return CHOICE_IN;
	return head->flags & BPF_RECORD_NOT_CHOSEN ? CHOICE_OUT : CHOICE_UNKNOWN;
}

enum decoded bpf_decode(struct bpf_text *text, const struct sample *sample, const struct arch *arch,
			struct event *event)
{
	struct bpf_record_head head;

	if (sample->raw_size < sizeof(head))
		return DECODED_MALFORMED;
	memcpy(&head, sample->raw, sizeof(head));
	if (head.size < sizeof(head) || head.size > sample->raw_size || head.size % PART_ALIGN)
		return DECODED_MALFORMED;
	event->choice = choice_of(&head);
	switch (head.kind) {
	case BPF_RECORD_NONE:
		return DECODED_MALFORMED;
	case BPF_RECORD_ENTER:
	case BPF_RECORD_EXIT:
	case BPF_RECORD_CALL:
	case BPF_RECORD_IN_FLIGHT:
		return take_call(text, sample, arch, event);
	case BPF_RECORD_REQUEST:
		return take_request(text, sample, event);
	case BPF_RECORD_AIO:
		return take_aio(text, sample, arch, event);
	case BPF_RECORD_FAULT:
		return take_fault(sample, event);
	case BPF_RECORD_WRITEBACK:
		return take_writeback(sample, event);
	case BPF_RECORD_CLONE:
	case BPF_RECORD_LOCK:
	case BPF_RECORD_STATUS:
	case BPF_RECORD_STORES:
	case BPF_RECORD_LOADS:
	case BPF_RECORD_CODE:
	case BPF_RECORD_FOREIGN:
		return take_detail(sample, event);
	case BPF_RECORD_FORK:
	case BPF_RECORD_COMM:
	case BPF_RECORD_END:
		return take_task(sample, event);
	case BPF_RECORD_PROGRAM:
		return take_program(sample, &head, event);
	default:
		return DECODED_IGNORED; /* a kind of a later version */
	}
}
