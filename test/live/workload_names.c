/*
 * workload_names: every call that works on names, modes and directories; and those that a
 * descriptor without a name comes from. One process and one child, which changes its directory and
 * its root.
 */
#include "ledger.h"

#include <limits.h>
#include <linux/aio_abi.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#endif

static char buffer[4096];
#define BAD_ADDRESS ((void *)8)

static int opened(const char *path, int flags, long fd)
{
	on_open(path, flags, works(fd, path));
	nap();
	return (int)fd;
}

static void shut(const char *path, int fd)
{
	WORKS(on_close(path, CALL(close, fd)));
}

static void make(const char *name)
{
	const char *path = in(name);
	int fd = opened(path, O_CREAT | O_WRONLY, CALL(open, path, O_CREAT | O_WRONLY, 0600));

	shut(path, fd);
}

static void test_stat(int dir)
{
	const char *a = in("dir/a");
	int fd = opened(a, O_RDONLY, CALL(openat, dir, "a", O_RDONLY));
	struct statfs statfs;
	struct statx statx;
	struct stat st;

	WORKS(CALL(stat, "dir/a", &st));
	WORKS(CALL(lstat, "dir/a", &st));
	WORKS(on_touch(a, CALL(fstat, fd, &st)));
	WORKS(CALL(newfstatat, dir, "a", &st, 0));
	WORKS(CALL(newfstatat, 0, "", &st, AT_EMPTY_PATH));
	WORKS(CALL(statx, dir, "a", 0, STATX_BASIC_STATS, &statx));
	WORKS(CALL(statfs, "dir", &statfs));
	WORKS(on_touch(a, CALL(fstatfs, fd, &statfs)));
	WORKS(CALL(access, "dir/a", R_OK));
	WORKS(CALL(faccessat, dir, "a", R_OK));
	WORKS(CALL(faccessat2, dir, "a", R_OK, AT_EACCESS));
	FAILS(ENOENT, CALL(stat, "none", &st));
	FAILS(EFAULT, CALL(stat, "dir/a", BAD_ADDRESS));
	FAILS(ENOTDIR, CALL(lstat, "dir/a/b", &st));
	FAILS(ENOENT, CALL(newfstatat, dir, "none", &st, 0));
	FAILS(EBADF, CALL(fstat, 987, &st));
	FAILS(ENOENT, CALL(access, "none", F_OK));
	FAILS(EINVAL, CALL(faccessat, dir, "a", 99));
	shut(a, fd);
}

static void test_links(int dir)
{
	WORKS(CALL(symlink, "dir/a", "soft"));
	WORKS(CALL(symlinkat, "a", dir, "soft"));
	GIVES(5, CALL(readlink, "soft", buffer, sizeof(buffer)));
	GIVES(1, CALL(readlinkat, dir, "soft", buffer, sizeof(buffer)));
	FAILS(EINVAL, CALL(readlink, "dir/a", buffer, sizeof(buffer)));
	WORKS(CALL(link, "dir/a", "hard"));
	WORKS(CALL(linkat, dir, "a", dir, "hard", 0));
	FAILS(EEXIST, CALL(link, "dir/a", "hard"));
	FAILS(EEXIST, CALL(symlink, "x", "soft"));
	WORKS(CALL(symlink, "loop", "loop"));
	FAILS(ELOOP, CALL(open, "loop", O_RDONLY));
	WORKS(on_delete(in("loop"), CALL(unlink, "loop")));
	WORKS(CALL(rename, "hard", "renamed"));
	WORKS(CALL(renameat, dir, "hard", AT_FDCWD, "renamed"));
	WORKS(CALL(renameat2, AT_FDCWD, "soft", dir, "soft", RENAME_EXCHANGE));
	FAILS(EEXIST, CALL(renameat2, AT_FDCWD, "soft", dir, "soft", RENAME_NOREPLACE));
	FAILS(ENOENT, CALL(rename, "none", "other"));
	WORKS(on_delete(in("dir/soft"), CALL(unlinkat, dir, "soft", 0)));
	WORKS(on_delete(in("soft"), CALL(unlink, "soft")));
	FAILS(ENOENT, CALL(unlink, "soft"));
}

/* A rename onto a file deletes that one; a failed one, or one to a free name, none. */
static void test_replace(int dir)
{
	make("one");
	make("two");
	make("dir/two");
	WORKS(on_delete(in("two"), CALL(rename, "one", "two")));
	WORKS(on_delete(in("two"), CALL(renameat, dir, "two", AT_FDCWD, "two")));
	FAILS(ENOENT, CALL(rename, "one", "two"));
	WORKS(CALL(renameat2, AT_FDCWD, "two", AT_FDCWD, "three", 0));
}

/* The file keeps the name that it had when it was opened. */
static void test_gone(void)
{
	const char *gone = in("gone");
	int fd = opened(gone, O_CREAT | O_RDWR, CALL(open, gone, O_CREAT | O_RDWR, 0600));

	WORKS(CALL(rename, "gone", "gone-elsewhere"));
	GIVES(8, on_write(gone, 0, CALL(write, fd, buffer, 8)));
	WORKS(on_delete(in("gone-elsewhere"), CALL(unlink, "gone-elsewhere")));
	GIVES(8, on_read(gone, 0, CALL(pread64, fd, buffer, 80, 0)));
	shut(gone, fd);
}

static void test_directories(int dir)
{
	const char *path = in("dir");
	long got, sum = 0;

	WORKS(CALL(mkdirat, dir, "sub", 0700));
	FAILS(EEXIST, CALL(mkdir, "dir/sub", 0700));
	FAILS(ENOTEMPTY, CALL(rmdir, "dir"));
	while ((got = on_read(path, NO_OFFSET, CALL(getdents64, dir, buffer, 120))) > 0)
		sum += got;
	GIVES(1, sum > 0);
	GIVES(0, on_seek(path, CALL(lseek, dir, 0, SEEK_SET)));
	GIVES(1, on_read(path, NO_OFFSET, CALL(getdents, dir, buffer, sizeof(buffer))) > 0);
	GIVES(0, on_read(path, NO_OFFSET, CALL(getdents64, dir, buffer, 3)));
	WORKS(on_delete(in("dir/sub"), CALL(rmdir, "dir/sub")));
	WORKS(CALL(mkdir, "dir/sub", 0700));
	WORKS(on_delete(in("dir/sub"), CALL(unlinkat, dir, "sub", AT_REMOVEDIR)));
	FAILS(ENOENT, CALL(rmdir, "dir/sub"));
	FAILS(ENOTDIR, CALL(rmdir, "dir/a"));
	FAILS(EISDIR, CALL(unlink, "dir"));
	WORKS(CALL(mknod, "fifo", S_IFIFO | 0600, 0));
	WORKS(CALL(mknodat, dir, "fifo", S_IFIFO | 0600, 0));
	WORKS(on_delete(in("dir/fifo"), CALL(unlinkat, dir, "fifo", 0)));
	WORKS(on_delete(in("fifo"), CALL(unlink, "fifo")));
}

static void test_modes(int dir)
{
	const char *a = in("dir/a");
	int fd = opened(a, O_RDWR, CALL(open, a, O_RDWR));
	struct timespec times[2] = {{1, 0}, {2, 0}};

	WORKS(CALL(chmod, "dir/a", 0640));
	WORKS(on_touch(a, CALL(fchmod, fd, 0600)));
	WORKS(CALL(fchmodat, dir, "a", 0640));
	if (CALL(fchmodat2, dir, "a", 0600, 0)) /* since Linux 6.6 */
		FAILS(ENOSYS, -1);
	WORKS(CALL(chown, "dir/a", -1, -1));
	WORKS(CALL(lchown, "dir/a", -1, -1));
	WORKS(on_touch(a, CALL(fchown, fd, -1, -1)));
	WORKS(CALL(fchownat, dir, "a", -1, -1, AT_SYMLINK_NOFOLLOW));
	WORKS(CALL(utime, "dir/a", NULL));
	WORKS(CALL(utimes, "dir/a", NULL));
	WORKS(CALL(utimensat, dir, "a", times, 0));
	WORKS(CALL(truncate, "dir/a", 77));
	WORKS(on_touch(a, CALL(ftruncate, fd, 5)));
	FAILS(EISDIR, CALL(truncate, "dir", 0));
	FAILS(EINVAL, on_touch(a, CALL(ftruncate, fd, -1)));
	FAILS(EINVAL, on_touch(a, CALL(fallocate, fd, 0, 0, 0)));
	FAILS(ENOENT, CALL(chmod, "none", 0600));
	FAILS(ENOENT, CALL(chown, "none", -1, -1));
	FAILS(ENOENT, CALL(utimensat, dir, "none", times, 0));
	WORKS(CALL(setxattr, "dir/a", "user.x", "1", 1, 0));
	GIVES(1, CALL(getxattr, "dir/a", "user.x", buffer, 10));
	GIVES(1, on_touch(a, CALL(fgetxattr, fd, "user.x", buffer, 10)));
	GIVES(7, CALL(listxattr, "dir/a", buffer, 100));
	WORKS(CALL(removexattr, "dir/a", "user.x"));
	FAILS(ENODATA, CALL(lgetxattr, "dir/a", "user.x", buffer, 10));
	shut(a, fd);
}

/* What is no file: two of each are read and written, so that their bytes count. */
static void test_anonymous(void)
{
	int event = (int)WORKS(on_open(OTHER, 0, CALL(eventfd2, 1, EFD_NONBLOCK)));
	int memory = (int)WORKS(on_open(OTHER, 0, CALL(memfd_create, "m", MFD_CLOEXEC)));
	int epoll = (int)WORKS(on_open(OTHER, 0, CALL(epoll_create1, EPOLL_CLOEXEC)));
	int timer = (int)WORKS(
		on_open(OTHER, 0, CALL(timerfd_create, CLOCK_MONOTONIC, TFD_NONBLOCK)));
	int notify = (int)WORKS(on_open(OTHER, 0, CALL(inotify_init1, IN_NONBLOCK)));
	uint64_t one = 1, mask = 0;
	int signals = (int)WORKS(on_open(OTHER, 0, CALL(signalfd4, -1, &mask, 8, SFD_NONBLOCK)));

	GIVES(8, on_write(OTHER, NO_OFFSET, CALL(write, event, &one, 8)));
	GIVES(8, on_read(OTHER, NO_OFFSET, CALL(read, event, &one, 8)));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(read, event, &one, 8)));
	FAILS(EINVAL, on_write(OTHER, NO_OFFSET, CALL(write, event, &one, 3)));
	GIVES(100, on_write(OTHER, 0, CALL(write, memory, buffer, 100)));
	GIVES(60, on_read(OTHER, 40, CALL(pread64, memory, buffer, 100, 40)));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(read, timer, &one, 8)));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(read, notify, buffer, sizeof(buffer))));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(read, signals, buffer, 128)));
	for (int i = 0; i < 6; i++)
		WORKS(on_close(OTHER, CALL(close, ((int[]){event, memory, epoll, timer, notify,
							   signals})[i])));
}

static void test_aio(void)
{
	aio_context_t context = 0;
	struct io_event event;

	WORKS(CALL(io_setup, 4, &context));
	GIVES(0, CALL(io_submit, context, 0, NULL));
	GIVES(0, CALL(io_getevents, context, 0, 1, &event, NULL));
	WORKS(CALL(io_destroy, context));
	FAILS(EINVAL, CALL(io_destroy, context));
}

static int read_one(const char *path, const char *name)
{
	int fd = opened(path, O_RDONLY, CALL(openat, AT_FDCWD, name, O_RDONLY));

	GIVES(5, on_read(path, 0, CALL(read, fd, buffer, 100)));
	shut(path, fd);
	return 0;
}

/*
 * To enter one's own leads to its root. In a chroot that is another one. Returns what the directory is called there.
 */
static const char *enter_namespace(int dir)
{
	static char path[PATH_MAX], b[PATH_MAX + 2];
	char link[64];
	int self = (int)WORKS(on_open(OTHER, 0, CALL(pidfd_open, getpid(), 0)));

	WORKS(CALL(mkdir, in("dir/b"), 0700));
	WORKS(CALL(setns, self, CLONE_NEWNS));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	path[WORKS(CALL(readlink, link, path, sizeof(path) - 1))] = '\0';
	snprintf(b, sizeof(b), "%s/b", path);
	WORKS(on_delete(b, CALL(rmdir, b + 1)));
	FAILS(EBADF, CALL(setns, 987, 0));
	WORKS(on_close(OTHER, CALL(close, self)));
	return path;
}

/*
 * Relative names begin at another directory, absolute ones at another root: the file is the same, but is called as the
 * process sees it.
 */
static void child(int dir)
{
	const char *a = in("dir/a"), *path = in("dir");

	ledger_child();
	WORKS(CALL(chdir, path));
	read_one(a, "a");
	WORKS(CALL(chdir, ".."));
	read_one(a, "dir/../dir/a");
	WORKS(on_touch(path, CALL(fchdir, dir)));
	read_one(a, "a");
	FAILS(ENOENT, CALL(chdir, "none"));
	FAILS(EBADF, CALL(fchdir, 987));
	FAILS(ENOTDIR, CALL(chdir, "a"));
	FAILS(ENOENT, CALL(pivot_root, "none", "none"));
	WORKS(CALL(chdir, enter_namespace(dir)));
	WORKS(CALL(chroot, "."));
	read_one("/a", "/a");
	FAILS(ENOENT, CALL(chroot, "none"));
	ledger_close();
}

int main(void)
{
	int dir, status;
	pid_t pid;

	ledger_open();
	WORKS(CALL(mkdir, in("dir"), 0700));
	dir = opened(in("dir"), O_DIRECTORY, CALL(open, in("dir"), O_DIRECTORY));
	make("dir/a");
	test_stat(dir);
	test_links(dir);
	test_gone();
	test_replace(dir);
	test_directories(dir);
	test_modes(dir);
	test_anonymous();
	test_aio();
	pid = (pid_t)WORKS(CALL(fork));
	if (!pid) {
		child(dir);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	shut(in("dir"), dir);
	ledger_close();
	return status != 0;
}
