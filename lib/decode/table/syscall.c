/*
 * syscall: the table of syscalls.def, by row, by number and by name.
 *
 * A call that this machine does not have keeps its row, because a capture of another machine may contain it; arch.c has its
 * numbers.
 */
#include <iotrace/arch.h>
#include <iotrace/syscall.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "arch_here.h"
#include "call_rows.h"

/* Bits that the headers may lack, or that belong to other layers. */
#define FAN_CLOEXEC          1
#define FSOPEN_CLOEXEC       1
#define FSMOUNT_CLOEXEC      1
#define FSPICK_CLOEXEC       1
#define PERF_FLAG_FD_CLOEXEC 8

#define _ (-1)
enum {
#define CALL_NUMBER(NR, ...) NUMBER_##NR = HERE_OF(__VA_ARGS__),
#include <iotrace/call_numbers.def>
#undef CALL_NUMBER
};
#undef _

/* The values of the column `returns`: result, cloexec, cloexec_arg, cloexec_bit. */
#define RETURNS_ZERO                   RESULT_ZERO, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_BYTES                  RESULT_BYTES, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_OFFSET                 RESULT_OFFSET, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_OTHER                  RESULT_OTHER, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_FD                     RESULT_FD, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_FD_ALWAYS              RESULT_FD, CALL_CLOEXEC_ALWAYS, 0, 0
#define RETURNS_FD_UNSAID              RESULT_FD, CALL_CLOEXEC_UNSAID, 0, 0
#define RETURNS_FD_IF(argument, bit)   RESULT_FD, CALL_CLOEXEC_IF, argument, bit
#define RETURNS_PAIR                   RESULT_ZERO, CALL_CLOEXEC_NEVER, 0, 0
#define RETURNS_PAIR_IF(argument, bit) RESULT_ZERO, CALL_CLOEXEC_IF, argument, bit

/* The values of the last column. */
#define TRAITS__                 0
#define TRAITS_ASKS              CALL_ASKS
#define TRAITS_ASKS_LINK         CALL_ASKS | CALL_OF_LINK
#define TRAITS_ASKS_ATTRIBUTE    CALL_ASKS | CALL_OF_ATTRIBUTE
#define TRAITS_ATTRIBUTE         CALL_OF_ATTRIBUTE
#define TRAITS_ADVICE            CALL_GIVES_ADVICE
#define TRAITS_MAKES_DIRECTORY   CALL_MAKES_DIRECTORY
#define TRAITS_REMOVES_DIRECTORY CALL_REMOVES_DIRECTORY
#define TRAITS_TRUNCATES         CALL_TRUNCATES
#define TRAITS_SOCKET            CALL_MAKES_SOCKET
#define TRAITS_NEW_SOCKET        CALL_MAKES_SOCKET | CALL_SAYS_FAMILY
#define TRAITS_SEEKABLE          CALL_MAKES_SEEKABLE
#define TRAITS_TAKES             CALL_TAKES_DESCRIPTOR
#define TRAITS_MOVES_ROOTS       CALL_MOVES_ROOTS
#define TRAITS_PATH_IS_OPTIONAL  CALL_PATH_IS_OPTIONAL
#define TRAITS_URING             CALL_OF_URING

#define _ CALL_NO_ARG
static const struct call_row row_table[ROWS] = {
#define SYSCALL(name, NR, kind, group, fd, path, fd2, path2, size, offset, flags, returns, traits) \
	{#name, CALL_##kind,       GROUP_##group,   fd,         path, fd2, path2, size, offset,    \
	 flags, RETURNS_##returns, TRAITS_##traits, NUMBER_##NR},
#include <iotrace/syscalls.def>
#undef SYSCALL
};
#undef _

uint32_t call_count(void)
{
	return ROWS;
}

const struct call_row *call_row(call_id id)
{
	return id < ROWS ? &row_table[id] : NULL;
}

bool call_is_passing(call_id id)
{
	const struct call_row *row = call_row(id);

	if (!row)
		return false;
	switch (row->kind) {
	case CALL_READ:
	case CALL_WRITE:
	case CALL_COPY:
	case CALL_SEEK:
		return row->group == GROUP_DATA;
	case CALL_SYNC:
	case CALL_SYNC_ALL:
		return true;
	case CALL_META:
		return row->traits & CALL_ASKS;
	default:
		return false;
	}
}

call_id call_by_number(long number)
{
	return arch_call(arch_here(), number);
}

/* A tracepoint has the name of the kernel's function, which differs from that of the call on some architectures. */
static const struct {
	const char *name, *function;
} renamed[] = {{"fadvise64", "fadvise64_64"}}; /* arm64, riscv64 */

const char *call_function(const struct call_row *row)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (!strcmp(row->name, renamed[i].name))
			return renamed[i].function;
	return NULL;
}

static bool is_name_of(const struct call_row *row, const char *name, size_t length)
{
	const char *function = call_function(row);

	return (strlen(row->name) == length && !memcmp(row->name, name, length)) ||
	       (function && strlen(function) == length && !memcmp(function, name, length));
}

/* For set-up, where a linear search is fast enough. */
call_id call_by_name(const char *name, size_t length)
{
	call_id id;

	for (id = 0; id < ROWS; id++)
		if (is_name_of(&row_table[id], name, length))
			return id;
	return CALL_ID_NONE;
}

static const struct {
	const char *name;
	bool is_default;
	const char *help;
} group_table[GROUP_COUNT] = {
	[GROUP_DATA] =
		{"data", true,
		 "calls that move data or the file position, such as read, pwrite64, sendfile, lseek"},
	[GROUP_SYNC] = {"sync", true, "calls that wait for the disk, such as fsync"},
	[GROUP_OPEN] =
		{"open", true,
		 "calls that make, change or close descriptors, and calls that change how paths "
		 "are resolved; always recorded"},
	[GROUP_META] =
		{"meta", true,
		 "calls on names and attributes, such as stat, unlink, rename, mkdir, chmod"},
	[GROUP_DIR] = {"dir", true, "calls that read directories"},
	[GROUP_LOCK] = {"lock", true, "locks: flock; with it the locks of fcntl are recorded"},
	[GROUP_NET] = {"net", true, "calls on sockets, such as connect, accept, sendto, recvfrom"},
	[GROUP_MAP] = {"mmap", false,
		       "mappings of files, together with 'fault' and 'writeback'; not a default, "
		       "because every program maps its libraries"},
	[GROUP_AIO] = {"aio", true,
		       "calls of io_uring and asynchronous I/O; with BPF, also their requests as "
		       "operations"},
	[GROUP_URING] = {"uring", false,
			 "without BPF: requests of io_uring as operations, from tracepoints, "
			 "without offsets and sizes; not a default, because the kernel takes "
			 "0.2 s to close these tracepoints"},
	[GROUP_FAULT] =
		{"fault", false,
		 "with BPF: page faults that read mapped files; not part of 'all', because they "
		 "are not calls"},
	[GROUP_WRITEBACK] =
		{"writeback", false,
		 "with BPF: writeback of mapped files by the kernel; not part of 'all', because "
		 "it is not a call"},
	[GROUP_TASK] = {"task", true,
			"calls that create tasks or execute programs; always recorded"},
};

const char *call_group_name(enum call_group group)
{
	return (unsigned int)group < GROUP_COUNT ? group_table[group].name : NULL;
}

const char *call_group_help(enum call_group group)
{
	return (unsigned int)group < GROUP_COUNT ? group_table[group].help : NULL;
}

bool call_group_is_default(enum call_group group)
{
	return (unsigned int)group < GROUP_COUNT && group_table[group].is_default;
}
