/* bpf_calls: derives what the programs do with a call from its kind and from the roles of its arguments. */
#include "bpf_calls.h"

#include <iotrace/syscall.h>
#include <string.h>

/* The kinds whose begin takes effect at once, or which create tasks that have records of their own. */
static uint32_t own_begin_flags(const struct call_row *row)
{
	switch (row->kind) {
	case CALL_CLOSE:
	case CALL_CLOSE_RANGE:
		return BPF_CALL_CLOSES;
	case CALL_EXEC:
	case CALL_CLONE:
	case CALL_UNSHARE:
		return BPF_CALL_OWN_BEGIN;
	case CALL_DUP:
		return row->fd2 != CALL_NO_ARG ? BPF_CALL_CLOSES : 0;
	default:
		return 0;
	}
}

/* Returns the argument that points to two descriptors: pipe(fds, ...) and socketpair(..., fds). */
static int8_t pair_argument(const struct call_row *row)
{
	return strcmp(row->name, "socketpair") ? 0 : 3;
}

/* Returns whether the call uses and moves the file position. Calls that have an offset and flags do so if the offset is -1. */
static bool moves(const struct call_row *row)
{
	bool is_data = row->kind == CALL_READ || row->kind == CALL_WRITE || row->kind == CALL_COPY;

	return is_data && row->fd != CALL_NO_ARG &&
	       (row->offset == CALL_NO_ARG || row->flags != CALL_NO_ARG);
}

/* Calls whose iocbs and events are in memory. */
static uint32_t aio_flags(const struct call_row *row)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} call[] = {{"io_submit", BPF_CALL_SUBMITS},
		    {"io_getevents", BPF_CALL_REAPS},
		    {"io_pgetevents", BPF_CALL_REAPS},
		    {"io_destroy", BPF_CALL_ENDS_QUEUE}};

	for (size_t i = 0; row->group == GROUP_AIO && i < sizeof(call) / sizeof(call[0]); i++)
		if (!strcmp(row->name, call[i].name))
			return call[i].flags;
	return 0;
}

/*
 * Calls whose paths need the name of a start directory. Other records already say what a descriptor or the current directory
 * leads to.
 */
static bool has_bases(const struct call_row *row)
{
	return row->path != CALL_NO_ARG && row->result != RESULT_FD && row->kind != CALL_CHDIR &&
	       row->kind != CALL_CHROOT;
}

static struct bpf_call_role role_of(const struct call_row *row)
{
	struct bpf_call_role role = {.flags = BPF_CALL_CHOSEN,
				     .fd = row->fd,
				     .path = {row->path, row->path2},
				     .dir = {row->fd, row->fd2},
				     .pair = CALL_NO_ARG};

	role.flags |= own_begin_flags(row);
	if (row->path != CALL_NO_ARG || row->path2 != CALL_NO_ARG)
		role.flags |= BPF_CALL_PATHS;
	if (has_bases(row))
		role.flags |= BPF_CALL_BASES;
	if (row->kind == CALL_EXEC)
		role.flags |= BPF_CALL_EXEC;
	if (row->kind == CALL_CREATE_PAIR) {
		role.flags |= BPF_CALL_MAKES_PAIR;
		role.pair = pair_argument(row);
	} else if (row->result == RESULT_FD) {
		role.flags |= BPF_CALL_MAKES_FD;
	}
	if (moves(row))
		role.flags |= BPF_CALL_MOVES;
	if (row->kind == CALL_IOCTL)
		role.flags |= BPF_CALL_IOCTL;
	if (row->kind == CALL_CHDIR || row->kind == CALL_CHROOT)
		role.flags |= BPF_CALL_MOVES_DIRECTORY;
	if (row->kind == CALL_CHROOT)
		role.flags |= BPF_CALL_MOVES_ROOT;
	if (CALL_GROUPS_ALWAYS >> row->group & 1)
		role.flags |= BPF_CALL_ALWAYS;
	role.flags |= aio_flags(row);
	return role;
}

/* The flags are stored last, so a program that sees them also sees the other fields. */
static void set_role(struct bpf_call_role *role, const struct call_row *row)
{
	struct bpf_call_role new = role_of(row);
	uint32_t flags = new.flags;

	new.flags = role->flags;
	*role = new;
	__atomic_store_n(&role->flags, flags, __ATOMIC_RELEASE);
}

void bpf_calls_add(struct bpf_call_role role[BPF_CALLS], uint32_t groups)
{
	for (uint32_t i = 0; i < call_count(); i++) {
		const struct call_row *row = call_row((call_id)i);

		if (row->number < 0 || row->number >= BPF_CALLS)
			continue;
		if (groups >> row->group & 1 && !(role[row->number].flags & BPF_CALL_CHOSEN))
			set_role(&role[row->number], row);
	}
}

void bpf_calls_fill(struct bpf_call_role role[BPF_CALLS], uint32_t groups)
{
	memset(role, 0, BPF_CALLS * sizeof(*role));
	for (uint32_t i = 0; i < call_count(); i++) {
		const struct call_row *row = call_row((call_id)i);

		if (row->kind == CALL_MAP && row->number >= 0 && row->number < BPF_CALLS)
			role[row->number].flags = BPF_CALL_MAPS;
	}
	bpf_calls_add(role, groups | CALL_GROUPS_ALWAYS);
}
