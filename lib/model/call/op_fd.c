/* op_fd: calls that create, copy and close descriptors, or change their properties. */
#include "op_end.h"

#include "aio/aio_in.h"
#include "call_trait.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "fd/identity.h"
#include "fd/position.h"
#include "file/file.h"
#include "map/mapping.h"
#include "op_emit.h"
#include "thread_table.h"

#include <fcntl.h>
#include <iotrace/ioctl.h>
#include <sched.h>
#include <sys/mman.h>

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum { FAMILY_UNIX = 1 }; /* AF_UNIX on every machine */

/* Empties the slot if the stream lacks its close. */
static void replace(struct op *op, uint64_t fd)
{
	uint32_t old = table_take(op->m, task_table(op->m, op->task), fd);

	if (old == ID_NONE)
		return;
	op_destroy(op->m, op->task, op->time, old);
	open_drop(op->m, old);
}

/* Returns the file that the kernel had at the number when the call ended, if the call created it; or NULL. */
static const struct event_file *file_of(const struct op *op, int fd)
{
	uint32_t table = task_table(op->m, op->task);

	for (int i = 0; op->file && i < EVENT_FILES; i++)
		if (op->file[i].fd >= 0 && op->file[i].fd == fd)
			return table_is_own(op->m, table, (uint64_t)fd, op->call.enter)
				       ? &op->file[i]
				       : NULL;
	return NULL;
}

static void create_open(struct op *op, uint32_t open, int fd, enum cloexec cloexec)
{
	struct model *m = op->m;
	struct io_event event = {.kind = IO_CREATE_HANDLE, .time = op->time};

	event.create.flags = open_description(m, open)->flags;
	replace(op, (uint64_t)fd);
	table_set(m, task_table(m, op->task), (uint64_t)fd, open, cloexec);
	m->open[open].is_coming = false;
	op_emit(op, &event, open);
	open_drop(m, open);
}

static void create(struct op *op, uint32_t description, int fd, enum cloexec cloexec)
{
	create_open(op, op_open(op, description), fd, cloexec);
}

/* Returns the flags of an open. They are an argument, implied (creat), or in memory (openat2) and so unknown. */
static uint32_t open_flags(const struct op *op)
{
	if (op->row->flags != CALL_NO_ARG)
		return (uint32_t)op->call.arg[op->row->flags];
	return op->row->traits & CALL_TRUNCATES ? O_CREAT | O_WRONLY | O_TRUNC : UINT32_MAX;
}

/* The kernel's information about the new descriptor is more reliable than what the program requested. */
static enum cloexec made_cloexec(const struct op *op, const struct event_file *file)
{
	const struct call_row *row = op->row;

	if (file)
		return cloexec_of(file->flags);
	switch (row->cloexec) {
	case CALL_CLOEXEC_ALWAYS:
		return CLOEXEC_YES;
	case CALL_CLOEXEC_UNSAID:
		return CLOEXEC_UNKNOWN;
	case CALL_CLOEXEC_IF:
		return op->call.arg[row->cloexec_arg] & row->cloexec_bit ? CLOEXEC_YES : CLOEXEC_NO;
	case CALL_CLOEXEC_NEVER:
		break;
	}
	return CLOEXEC_NO;
}

/*
 * Whether the path names the file. With O_TMPFILE, it is the path of the directory. The flags of openat2 are in memory: they may
 * contain O_TMPFILE, or RESOLVE_IN_ROOT, with which the path starts elsewhere.
 */
static bool is_named_by_text(const struct op *op, const struct description *d)
{
	return op->call.path[0] && d->flags != UINT32_MAX && !description_is_nameless(d);
}

static void name_by_text(struct model *m, struct description *d, str_id path)
{
	d->state = NAME_TEXT;
	d->name = path;
	d->file = file_add(m, path, d->flags & O_DIRECTORY ? FILE_DIRECTORY : FILE_REGULAR);
}

void op_make(struct op *op)
{
	struct model *m = op->m;
	const struct event_file *file = file_of(op, (int)op->result);
	uint32_t description = description_new(m, open_flags(op));
	struct description *d = &m->description[description];

	d->is_file = true;
	if (file)
		identity_describe(m, description, file);
	else if (is_named_by_text(op, d))
		name_by_text(m, d, op->call.path[0]);
	op->made = op_open(op, description);
	m->open[op->made].is_coming = true;
}

void end_open(struct op *op)
{
	if (op->made == ID_NONE)
		return;
	int fd = (int)op->result;

	create_open(op, op->made, fd, made_cloexec(op, file_of(op, fd)));
}

/* Only AF_UNIX sockets can pass descriptors. accept() returns a socket of the listening socket's family. */
static bool is_network(const struct op *op)
{
	if (op->row->traits & CALL_SAYS_FAMILY)
		return op->call.arg[0] != FAMILY_UNIX;
	return op->call.open != ID_NONE && open_description(op->m, op->call.open)->is_network;
}

/* Creates an open for something without a path. */
static void create_labelled(struct op *op, enum cloexec cloexec)
{
	const char *label = op->row->traits & CALL_MAKES_SOCKET ? "socket" : op->row->name;
	struct model *m = op->m;
	const struct event_file *file = file_of(op, (int)op->result);
	uint32_t description = description_new(m, O_RDWR);

	m->description[description].name = strtab_add_text(m->trace.strings, label);
	m->description[description].is_stream = !(op->row->traits & CALL_MAKES_SEEKABLE);
	m->description[description].is_network = is_network(op);
	if (file)
		identity_describe(m, description, file);
	create(op, description, (int)op->result, cloexec);
}

/* Creates an open for something unknown. It may be a file whose position somebody else has moved. flags: of open(2), or UINT32_MAX. */
static void create_unknown(struct op *op, uint32_t flags, enum cloexec cloexec)
{
	struct model *m = op->m;
	const struct event_file *file = file_of(op, (int)op->result);
	uint32_t description = description_new(m, flags);

	m->description[description].position = IO_OFFSET_UNKNOWN;
	position_share(m, &m->description[description]);
	if (file)
		identity_describe(m, description, file);
	create(op, description, (int)op->result, cloexec);
}

void end_create_fd(struct op *op)
{
	if (op->error || op->is_cancelled || op->result == call_fd(&op->call, op->row->fd))
		return;
	enum cloexec cloexec = made_cloexec(op, file_of(op, (int)op->result));

	if (op->row->traits & CALL_TAKES_DESCRIPTOR) {
		position_share_all(op->m); /* the record does not say whose descriptor it was */
		create_unknown(op, UINT32_MAX, cloexec);
	} else {
		create_labelled(op, cloexec);
	}
}

/* The numbers are in memory. If the kernel does not report them, look-ups and later uses will show them. */
void end_create_pair(struct op *op)
{
	struct model *m = op->m;

	if (op->error || op->is_cancelled || !op->file)
		return;
	for (int i = 0; i < EVENT_FILES; i++) {
		const struct event_file *file = file_of(op, op->file[i].fd);

		if (!file)
			continue;
		uint32_t description = description_new(m, file->flags);

		identity_describe(m, description, file);
		m->description[description].is_stream = true;
		create(op, description, file->fd, made_cloexec(op, file));
	}
}

void end_close(struct op *op)
{
	if (op->call.open != ID_NONE)
		op_destroy(op->m, op->task, op->time, op->call.open);
}

/* Closes the slots, except those that another thread opened since the call began. */
static void close_slots(struct op *op, uint64_t first, uint64_t last)
{
	uint32_t table = task_table(op->m, op->task);

	op->m->table[table].emptied = op->m->now;
	for (uint64_t fd = first; fd <= last && fd < op->m->table[table].capacity; fd++) {
		const struct slot *slot = table_slot(op->m, table, fd);

		if (slot->open != ID_NONE && slot->changed <= op->call.enter)
			replace(op, fd);
	}
}

static void close_on_exec(struct op *op)
{
	uint32_t table = task_table(op->m, op->task);

	op->m->table[table].emptied = op->m->now;
	for (uint32_t fd = 0; fd < op->m->table[table].capacity; fd++) {
		struct slot *slot = table_slot(op->m, table, fd);

		if (slot->cloexec == CLOEXEC_YES)
			replace(op, fd);
		else if (slot->cloexec == CLOEXEC_UNKNOWN)
			slot_doubt(op->m, slot, DOUBT_EXEC);
	}
}

void end_close_range(struct op *op)
{
	struct model *m = op->m;
	uint64_t first = (uint32_t)op->call.arg[0], last = (uint32_t)op->call.arg[1];
	uint64_t flags = op->call.arg[2];

	if (op->error || op->is_cancelled)
		return;
	if (flags & CLOSE_RANGE_UNSHARE)
		thread_table_unshare(op);
	if (!(flags & CLOSE_RANGE_CLOEXEC)) {
		close_slots(op, first, last);
		return;
	}
	struct table *t = &m->table[task_table(m, op->task)];

	for (uint64_t fd = first; fd <= last && fd < t->capacity; fd++)
		t->slot[fd].cloexec = CLOEXEC_YES;
}

static void duplicate(struct op *op, enum cloexec cloexec)
{
	struct model *m = op->m;
	uint32_t from = op->call.open;

	if (op->error || op->is_cancelled || from == ID_NONE ||
	    op->result == call_fd(&op->call, op->row->fd))
		return;
	const struct event_file *file = file_of(op, (int)op->result);

	if (file && open_description(m, from)->state == NAME_AWAITED)
		identity_describe(m, m->open[from].description, file);
	if (op_is_gone(op)) { /* only the copy is left */
		create(op, m->open[from].description, (int)op->result, cloexec);
		return;
	}
	uint32_t open = op_open(op, m->open[from].description);

	replace(op, (uint64_t)op->result);
	table_set(m, task_table(m, op->task), (uint64_t)op->result, open, cloexec);
	op_emit_duplicate(op, from, open, cloexec == CLOEXEC_YES);
	open_drop(m, open);
}

void end_dup(struct op *op)
{
	duplicate(op, made_cloexec(op, NULL));
}

static void set_status_flags(struct op *op)
{
	struct io_event event = {.kind = IO_CHANGE_STATUS_FLAGS, .time = op->time};
	uint32_t flags = op->is_cancelled ? UINT32_MAX : (uint32_t)op->call.arg[2];

	if (op->error)
		return;
	position_set_flags(op->m, op->call.open, flags);
	if (op->is_cancelled || op->call.open == ID_NONE)
		return;
	event.create.flags = (uint32_t)op->call.arg[2];
	op_emit_use(op, &event);
}

static void set_cloexec(struct op *op, bool is_set)
{
	uint64_t fd = (uint64_t)call_fd(&op->call, op->row->fd);
	struct slot *slot = table_slot(op->m, task_table(op->m, op->task), fd);

	if (slot)
		slot->cloexec = is_set ? CLOEXEC_YES : CLOEXEC_NO;
}

void end_fcntl(struct op *op)
{
	switch ((int)op->call.arg[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		duplicate(op, (int)op->call.arg[1] == F_DUPFD_CLOEXEC ? CLOEXEC_YES : CLOEXEC_NO);
		break;
	case F_SETFL:
		set_status_flags(op);
		break;
	case F_SETFD:
		if (!op->error && !op->is_cancelled)
			set_cloexec(op, op->call.arg[2] & FD_CLOEXEC);
		break;
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		end_record_lock(op);
		break;
	default:
		break;
	}
}

/* The record does not say which process it was. */
static void doubt_everywhere(struct model *m, uint64_t fd)
{
	for (uint32_t table = 0; table < m->tables.count; table++)
		if (fd < m->table[table].capacity)
			slot_doubt(m, &m->table[table].slot[fd], DOUBT_PUT);
}

static enum cloexec ioctl_cloexec(const struct op *op, const struct ioctl_row *row)
{
	bool is_closed = row->cloexec == CALL_CLOEXEC_ALWAYS ||
			 (row->cloexec == CALL_CLOEXEC_IF && op->call.arg[2] & O_CLOEXEC);

	return is_closed ? CLOEXEC_YES : CLOEXEC_NO;
}

void end_ioctl(struct op *op)
{
	const struct ioctl_row *row = ioctl_row(op->call.arg[1]);

	if (!row || op->error || op->is_cancelled)
		return;
	switch (row->effect) {
	case IOCTL_FLAGS:
	case IOCTL_UNFLAGS:
		set_cloexec(op, row->effect == IOCTL_FLAGS);
		break;
	case IOCTL_MAKES:
		create_unknown(op,
			       row->cloexec == CALL_CLOEXEC_IF ? (uint32_t)op->call.arg[2]
							       : UINT32_MAX,
			       ioctl_cloexec(op, row));
		break;
	case IOCTL_PUTS:
		doubt_everywhere(op->m, (uint64_t)op->result);
		break;
	}
}

static void left_behind(struct model *m, uint32_t open, void *context)
{
	const struct op *op = context;

	op_destroy(m, op->task, op->time, open);
}

void end_exec(struct op *op)
{
	if (op->error || op->is_cancelled)
		return;
	aio_process_end(op->m, op->process);
	mapping_clear(op->m, op->process);
	thread_table_exec(op, left_behind);
	close_on_exec(op);
}

void end_unshare(struct op *op)
{
	if (op->error || op->is_cancelled)
		return;
	if (op->call.arg[0] & CLONE_FILES)
		thread_table_unshare(op);
	if (op->call.arg[0] & CLONE_NEWNS)
		fs_forget_namespace(op->m, op->process);
}
