/*
 * syscall: the table of syscalls.def, by row, by number and by name.
 *
 * Everything is constant and laid out by the compiler: a look-up by number is one load. The
 * numbers come from the machine's own <asm/unistd.h>; a call that the machine does not have keeps
 * its row, since a capture of another machine may name it, with the number -1.
 */
#include <iotrace/syscall.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Bits that the headers may be too old to know, or that other layers own. */
#define FAN_CLOEXEC          1
#define FSOPEN_CLOEXEC       1
#define FSMOUNT_CLOEXEC      1
#define FSPICK_CLOEXEC       1
#define PERF_FLAG_FD_CLOEXEC 8

/* Calls that younger architectures were never given. */
#define ABSENT (-1)
#ifndef __NR_open
#define __NR_open ABSENT
#endif
#ifndef __NR_creat
#define __NR_creat ABSENT
#endif
#ifndef __NR_dup2
#define __NR_dup2 ABSENT
#endif
#ifndef __NR_pipe
#define __NR_pipe ABSENT
#endif
#ifndef __NR_eventfd
#define __NR_eventfd ABSENT
#endif
#ifndef __NR_epoll_create
#define __NR_epoll_create ABSENT
#endif
#ifndef __NR_signalfd
#define __NR_signalfd ABSENT
#endif
#ifndef __NR_inotify_init
#define __NR_inotify_init ABSENT
#endif
#ifndef __NR_stat
#define __NR_stat ABSENT
#endif
#ifndef __NR_lstat
#define __NR_lstat ABSENT
#endif
#ifndef __NR_fstat
#define __NR_fstat ABSENT
#endif
#ifndef __NR_newfstatat
#define __NR_newfstatat ABSENT
#endif
#ifndef __NR_access
#define __NR_access ABSENT
#endif
#ifndef __NR_readlink
#define __NR_readlink ABSENT
#endif
#ifndef __NR_unlink
#define __NR_unlink ABSENT
#endif
#ifndef __NR_rmdir
#define __NR_rmdir ABSENT
#endif
#ifndef __NR_rename
#define __NR_rename ABSENT
#endif
#ifndef __NR_renameat
#define __NR_renameat ABSENT
#endif
#ifndef __NR_mkdir
#define __NR_mkdir ABSENT
#endif
#ifndef __NR_link
#define __NR_link ABSENT
#endif
#ifndef __NR_symlink
#define __NR_symlink ABSENT
#endif
#ifndef __NR_mknod
#define __NR_mknod ABSENT
#endif
#ifndef __NR_chmod
#define __NR_chmod ABSENT
#endif
#ifndef __NR_chown
#define __NR_chown ABSENT
#endif
#ifndef __NR_lchown
#define __NR_lchown ABSENT
#endif
#ifndef __NR_utime
#define __NR_utime ABSENT
#endif
#ifndef __NR_utimes
#define __NR_utimes ABSENT
#endif
#ifndef __NR_futimesat
#define __NR_futimesat ABSENT
#endif
#ifndef __NR_getdents
#define __NR_getdents ABSENT
#endif
#ifndef __NR_accept
#define __NR_accept ABSENT
#endif
#ifndef __NR_sync_file_range
#define __NR_sync_file_range ABSENT
#endif
#ifndef __NR_fork
#define __NR_fork ABSENT
#endif
#ifndef __NR_vfork
#define __NR_vfork ABSENT
#endif
#ifndef __NR_memfd_secret
#define __NR_memfd_secret ABSENT
#endif

/*
 * Calls that the headers may be too old to know; since 424 a number is the same on every
 * architecture but one.
 */
#ifdef __alpha__
#define SHARED(number) ((number) + 110)
#else
#define SHARED(number) (number)
#endif
#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup SHARED(425)
#endif
#ifndef __NR_io_uring_enter
#define __NR_io_uring_enter SHARED(426)
#endif
#ifndef __NR_io_uring_register
#define __NR_io_uring_register SHARED(427)
#endif
#ifndef __NR_open_tree
#define __NR_open_tree SHARED(428)
#endif
#ifndef __NR_fsopen
#define __NR_fsopen SHARED(430)
#endif
#ifndef __NR_fsmount
#define __NR_fsmount SHARED(432)
#endif
#ifndef __NR_fspick
#define __NR_fspick SHARED(433)
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open SHARED(434)
#endif
#ifndef __NR_clone3
#define __NR_clone3 SHARED(435)
#endif
#ifndef __NR_close_range
#define __NR_close_range SHARED(436)
#endif
#ifndef __NR_openat2
#define __NR_openat2 SHARED(437)
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd SHARED(438)
#endif
#ifndef __NR_faccessat2
#define __NR_faccessat2 SHARED(439)
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 SHARED(452)
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat SHARED(463)
#endif
#ifndef __NR_getxattrat
#define __NR_getxattrat SHARED(464)
#endif
#ifndef __NR_listxattrat
#define __NR_listxattrat SHARED(465)
#endif
#ifndef __NR_removexattrat
#define __NR_removexattrat SHARED(466)
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr SHARED(467)
#endif

enum {
#define SYSCALL(name, ...) ROW_##name,
#include <iotrace/syscalls.def>
#undef SYSCALL
	ROWS
};

/* What the last column stands for: result, cloexec, cloexec_arg, cloexec_bit. */
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

#define _ CALL_NO_ARG
static const struct call_row row_table[ROWS] = {
#define SYSCALL(name, NR, kind, group, fd, path, fd2, path2, size, offset, flags, returns)         \
	{#name,  CALL_##kind, GROUP_##group,     fd,       path, fd2, path2, size,                 \
	 offset, flags,       RETURNS_##returns, __NR_##NR},
#include <iotrace/syscalls.def>
#undef SYSCALL
};
#undef _

enum { NUMBERS = 1024 };

#define SYSCALL(name, NR, ...)                                                                     \
	_Static_assert(__NR_##NR < NUMBERS, "the table by number is too small for " #name);
#include <iotrace/syscalls.def>
#undef SYSCALL

/*
 * Row + 1 at each number, 0: none. Rows without a number get a place of their own behind the last.
 */
static const call_id row_of_number[NUMBERS + ROWS] = {
#define SYSCALL(name, NR, ...) [__NR_##NR < 0 ? NUMBERS + ROW_##name : __NR_##NR] = ROW_##name + 1,
#include <iotrace/syscalls.def>
#undef SYSCALL
};

uint32_t call_count(void)
{
	return ROWS;
}

const struct call_row *call_row(call_id id)
{
	return id < ROWS ? &row_table[id] : NULL;
}

call_id call_by_number(long number)
{
	call_id row = 0;

	if ((unsigned long)number < NUMBERS)
		row = row_of_number[number];
	return row ? (call_id)(row - 1) : CALL_ID_NONE;
}

/* For set-up: a search from the front is quick enough there. */
call_id call_by_name(const char *name, size_t length)
{
	call_id id;

	for (id = 0; id < ROWS; id++) {
		if (strlen(row_table[id].name) == length &&
		    !memcmp(row_table[id].name, name, length))
			return id;
	}
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
