/*
 * old_calls: calls that younger architectures were never given, made as the C library makes them there.
 *
 * Their numbers are made up. ledger_call() makes and notes the call that does the same.
 */
#ifndef OLD_CALLS_H
#define OLD_CALLS_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

/*
 * OLD_CALL(name, new name, arguments of the new one, flags): a to d: those of the old one; @: the current directory; 0: zero;
 * +: the flags.
 */
#define OLD_CALLS                                                                                  \
	OLD_CALL(open, openat, "@abc", 0)                                                          \
	OLD_CALL(creat, openat, "@a+b", O_CREAT | O_WRONLY | O_TRUNC)                              \
	OLD_CALL(mkdir, mkdirat, "@ab", 0)                                                         \
	OLD_CALL(rmdir, unlinkat, "@a+", AT_REMOVEDIR)                                             \
	OLD_CALL(unlink, unlinkat, "@a0", 0)                                                       \
	OLD_CALL(rename, renameat2, "@a@b0", 0)                                                    \
	OLD_CALL(renameat, renameat2, "abcd0", 0)                                                  \
	OLD_CALL(link, linkat, "@a@b0", 0)                                                         \
	OLD_CALL(symlink, symlinkat, "a@b", 0)                                                     \
	OLD_CALL(readlink, readlinkat, "@abc", 0)                                                  \
	OLD_CALL(mknod, mknodat, "@abc", 0)                                                        \
	OLD_CALL(chmod, fchmodat, "@ab", 0)                                                        \
	OLD_CALL(chown, fchownat, "@abc0", 0)                                                      \
	OLD_CALL(lchown, fchownat, "@abc+", AT_SYMLINK_NOFOLLOW)                                   \
	OLD_CALL(access, faccessat, "@ab", 0)                                                      \
	OLD_CALL(stat, newfstatat, "@ab0", 0)                                                      \
	OLD_CALL(lstat, newfstatat, "@ab+", AT_SYMLINK_NOFOLLOW)                                   \
	OLD_CALL(utime, utimensat, "@a00", 0)                                                      \
	OLD_CALL(utimes, utimensat, "@a00", 0)                                                     \
	OLD_CALL(getdents, getdents64, "abc", 0)                                                   \
	OLD_CALL(dup2, dup3, "ab0", 0)                                                             \
	OLD_CALL(pipe, pipe2, "a0", 0)                                                             \
	OLD_CALL(eventfd, eventfd2, "a0", 0)                                                       \
	OLD_CALL(epoll_create, epoll_create1, "0", 0)                                              \
	OLD_CALL(signalfd, signalfd4, "abc0", 0)                                                   \
	OLD_CALL(inotify_init, inotify_init1, "0", 0)                                              \
	OLD_CALL(accept, accept4, "abc0", 0)                                                       \
	OLD_CALL(fork, clone, "+0000", SIGCHLD)

enum {
	OLD_BEFORE = -10000, /* no call has such a number */
#define OLD_CALL(name, ...) OLD_##name,
	OLD_CALLS
#undef OLD_CALL
		OLD_BEHIND,
};
#ifndef SYS_open
#define SYS_open OLD_open
#endif
#ifndef SYS_creat
#define SYS_creat OLD_creat
#endif
#ifndef SYS_mkdir
#define SYS_mkdir OLD_mkdir
#endif
#ifndef SYS_rmdir
#define SYS_rmdir OLD_rmdir
#endif
#ifndef SYS_unlink
#define SYS_unlink OLD_unlink
#endif
#ifndef SYS_rename
#define SYS_rename OLD_rename
#endif
#ifndef SYS_renameat
#define SYS_renameat OLD_renameat
#endif
#ifndef SYS_link
#define SYS_link OLD_link
#endif
#ifndef SYS_symlink
#define SYS_symlink OLD_symlink
#endif
#ifndef SYS_readlink
#define SYS_readlink OLD_readlink
#endif
#ifndef SYS_mknod
#define SYS_mknod OLD_mknod
#endif
#ifndef SYS_chmod
#define SYS_chmod OLD_chmod
#endif
#ifndef SYS_chown
#define SYS_chown OLD_chown
#endif
#ifndef SYS_lchown
#define SYS_lchown OLD_lchown
#endif
#ifndef SYS_access
#define SYS_access OLD_access
#endif
#ifndef SYS_stat
#define SYS_stat OLD_stat
#endif
#ifndef SYS_lstat
#define SYS_lstat OLD_lstat
#endif
#ifndef SYS_utime
#define SYS_utime OLD_utime
#endif
#ifndef SYS_utimes
#define SYS_utimes OLD_utimes
#endif
#ifndef SYS_getdents
#define SYS_getdents OLD_getdents
#endif
#ifndef SYS_dup2
#define SYS_dup2 OLD_dup2
#endif
#ifndef SYS_pipe
#define SYS_pipe OLD_pipe
#endif
#ifndef SYS_eventfd
#define SYS_eventfd OLD_eventfd
#endif
#ifndef SYS_epoll_create
#define SYS_epoll_create OLD_epoll_create
#endif
#ifndef SYS_signalfd
#define SYS_signalfd OLD_signalfd
#endif
#ifndef SYS_inotify_init
#define SYS_inotify_init OLD_inotify_init
#endif
#ifndef SYS_accept
#define SYS_accept OLD_accept
#endif
#ifndef SYS_fork
#define SYS_fork OLD_fork
#endif

/* Puts the call that does the same in the place of an old one. Returns its name, or `name` if it is none. */
static inline const char *old_call(const char *name, long *number, long arg[6])
{
	static const struct {
		const char *name;
		long number;
		const char *arguments;
		int flags;
	} table[] = {
#define OLD_CALL(old, new, arguments, flags) {#new, SYS_##new, arguments, flags},
		OLD_CALLS
#undef OLD_CALL
	};
	const long old[] = {arg[0], arg[1], arg[2], arg[3]};
	long row = *number - OLD_BEFORE - 1;

	if (*number <= OLD_BEFORE || *number >= OLD_BEHIND)
		return name;
	*number = table[row].number;
	for (int i = 0; table[row].arguments[i]; i++) {
		char from = table[row].arguments[i];

		arg[i] = from == '@'   ? AT_FDCWD
			 : from == '0' ? 0
			 : from == '+' ? table[row].flags
				       : old[from - 'a'];
	}
	return table[row].name;
}

/* The bits of open() that most architectures have, and which the reader of a ledger takes for all. */
static inline int usual_flags(int flags)
{
	static const int bits[][2] = {{O_DIRECTORY, 0200000},
				      {O_NOFOLLOW, 0400000},
				      {O_DIRECT, 040000}};
	int usual = flags & ~(O_DIRECTORY | O_NOFOLLOW | O_DIRECT);

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (flags & bits[i][0])
			usual |= bits[i][1];
	return usual;
}

#endif
