/*
 * workload_files: every call that makes, uses, moves or ends a descriptor of a file, one process,
 * one thread.
 *
 * Short reads, ends of files and errors are among them. What must be in the archive is noted with
 * each call.
 */
#include "ledger.h"

#include <linux/close_range.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static char buffer[4096];
#define BAD_ADDRESS ((void *)8)
enum { BAD_FD = 987 };

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

static int openat_flags(const char *path, int flags)
{
	return opened(path, flags, CALL(openat, AT_FDCWD, path, flags, 0600));
}

static void test_open(void)
{
	const char *a = in("open-a"), *b = in("open-b"), *dir = in("directory");
	struct open_how how = {.flags = O_RDWR | O_CREAT,
			       .mode = 0600,
			       .resolve = RESOLVE_NO_MAGICLINKS};
	int fd = opened(a, O_CREAT | O_WRONLY | O_TRUNC, CALL(creat, a, 0600)), dirfd;

	GIVES(100, on_write(a, 0, CALL(write, fd, buffer, 100)));
	FAILS(EBADF, on_read(a, 100, CALL(read, fd, buffer, 1))); /* opened for writing */
	shut(a, fd);
	fd = opened(a, O_RDONLY, CALL(open, "open-a", O_RDONLY));
	GIVES(40, on_read(a, 0, CALL(read, fd, buffer, 40)));
	FAILS(EFAULT, on_read(a, 40, CALL(read, fd, BAD_ADDRESS, 40)));
	GIVES(60, on_read(a, 40, CALL(read, fd, buffer, 4000)));
	GIVES(0, on_read(a, 100, CALL(read, fd, buffer, 4000)));
	FAILS(EBADF, on_write(a, 100, CALL(write, fd, buffer, 1)));
	shut(a, fd);

	WORKS(CALL(mkdir, dir, 0700));
	dirfd = opened(dir, O_DIRECTORY | O_CLOEXEC,
		       CALL(open, "./directory/.", O_DIRECTORY | O_CLOEXEC));
	/* That it was to be created stood in memory; how it is open can be seen. */
	fd = opened(b, O_RDWR, CALL(openat2, dirfd, "../open-b", &how, sizeof(how)));
	GIVES(7, on_write(b, 0, CALL(write, fd, buffer, 7)));
	shut(b, fd);
	WORKS(CALL(symlink, "../open-b", "directory/link"));
	fd = opened(b, O_RDONLY, CALL(openat, dirfd, "link", O_RDONLY));
	GIVES(7, on_read(b, 0, CALL(read, fd, buffer, 100)));
	shut(b, fd);
	fd = opened(b, O_PATH, CALL(open, b, O_PATH));
	FAILS(EBADF, on_read(b, 0, CALL(read, fd, buffer, 1)));
	shut(b, fd);
	fd = opened(OTHER, O_TMPFILE | O_RDWR, CALL(open, dir, O_TMPFILE | O_RDWR, 0600));
	GIVES(5, on_write(OTHER, 0, CALL(write, fd, buffer, 5)));
	shut(OTHER, fd);
	FAILS(EISDIR, on_read(dir, NO_OFFSET, CALL(read, dirfd, buffer, 10)));
	shut(dir, dirfd);
}

/* What an open was asked for is in the archive, bit by bit. */
static void test_open_flags(void)
{
	static const int flags[] = {
		O_RDWR | O_CREAT | O_EXCL,
		O_WRONLY | O_APPEND,
		O_RDONLY | O_NONBLOCK | O_CLOEXEC,
		O_WRONLY | O_TRUNC | O_NOCTTY,
		O_RDWR | O_SYNC,
		O_RDWR | O_DSYNC,
		O_RDONLY | O_NOFOLLOW | O_NOATIME,
		O_RDONLY | O_PATH | O_NOFOLLOW,
		O_RDWR | O_ASYNC,
		O_RDWR | O_LARGEFILE,
	};
	const char *f = in("open-flags");

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		shut(f, openat_flags(f, flags[i]));
}

static void test_open_errors(void)
{
	struct open_how bad = {.flags = ~0ull};

	FAILS(ENOENT, CALL(open, in("none"), O_RDONLY));
	FAILS(EFAULT, CALL(open, BAD_ADDRESS, O_RDONLY));
	FAILS(ENOTDIR, CALL(open, in("open-a/below"), O_RDONLY));
	FAILS(EEXIST, CALL(openat, AT_FDCWD, "open-a", O_CREAT | O_EXCL, 0600));
	FAILS(EBADF, CALL(openat, BAD_FD, "open-a", O_RDONLY));
	FAILS(EINVAL, CALL(openat2, AT_FDCWD, "open-a", &bad, sizeof(bad)));
	FAILS(EISDIR, CALL(creat, in("directory"), 0600));
	FAILS(EBADF, CALL(close, BAD_FD));
	FAILS(EBADF, CALL(close, -1));
	FAILS(EBADF, CALL(read, BAD_FD, buffer, 1));
	FAILS(EBADF, CALL(write, -1, buffer, 1));
	FAILS(EBADF, CALL(lseek, BAD_FD, 0, SEEK_SET));
	FAILS(EBADF, CALL(dup, BAD_FD));
	FAILS(EBADF, CALL(dup2, BAD_FD, 5));
	FAILS(EBADF, CALL(fsync, BAD_FD));
	FAILS(EBADF, CALL(fcntl, BAD_FD, F_GETFL));
	FAILS(EBADF, CALL(flock, BAD_FD, LOCK_SH));
	FAILS(EINVAL, CALL(close_range, 9, 3, 0));
}

static void test_vectors(void)
{
	const char *v = in("vectors");
	struct iovec iov[3] = {{buffer, 10}, {buffer + 100, 20}, {buffer + 200, 30}};
	int fd = openat_flags(v, O_RDWR | O_CREAT);

	GIVES(60, on_write(v, 0, CALL(writev, fd, iov, 3)));
	GIVES(60, on_write(v, 1000, CALL(pwritev, fd, iov, 3, 1000, 0)));
	GIVES(30, on_write(v, 2000, CALL(pwritev2, fd, iov, 2, 2000, 0, 0)));
	GIVES(10, on_write(v, 60, CALL(pwritev2, fd, iov, 1, -1, -1, 0)));
	GIVES(50, on_write(v, 3000, CALL(pwrite64, fd, buffer, 50, 3000)));
	GIVES(60, on_read(v, 2990, CALL(preadv, fd, iov, 3, 2990, 0)));
	GIVES(50, on_read(v, 3000, CALL(preadv2, fd, iov, 3, 3000, 0, 0)));
	GIVES(0, on_read(v, 4000, CALL(preadv2, fd, iov, 3, 4000, 0, RWF_HIPRI)));
	GIVES(60, on_read(v, 70, CALL(preadv2, fd, iov, 3, -1, -1, 0)));
	GIVES(60, on_read(v, 130, CALL(readv, fd, iov, 3)));
	GIVES(17, on_read(v, 3033, CALL(pread64, fd, buffer, 100, 3033)));
	FAILS(EFAULT, on_read(v, 0, CALL(pread64, fd, BAD_ADDRESS, 100, 0)));
	FAILS(EINVAL, on_read(v, 190, CALL(readv, fd, iov, -1)));
	shut(v, fd);
}

static void test_seek(void)
{
	const char *s = in("seek");
	int fd = openat_flags(s, O_RDWR | O_CREAT | O_TRUNC), fds[2];

	GIVES(1000, on_write(s, 0, CALL(write, fd, buffer, 1000)));
	GIVES(0, on_seek(s, CALL(lseek, fd, 0, SEEK_SET)));
	GIVES(10, on_read(s, 0, CALL(read, fd, buffer, 10)));
	GIVES(30, on_seek(s, CALL(lseek, fd, 20, SEEK_CUR)));
	GIVES(10, on_read(s, 30, CALL(read, fd, buffer, 10)));
	GIVES(995, on_seek(s, CALL(lseek, fd, -5, SEEK_END)));
	GIVES(5, on_read(s, 995, CALL(read, fd, buffer, 10)));
	GIVES(100, on_seek(s, CALL(lseek, fd, 100, SEEK_DATA)));
	GIVES(1000, on_seek(s, CALL(lseek, fd, 100, SEEK_HOLE)));
	GIVES(5, on_write(s, 1000, CALL(write, fd, buffer, 5)));
	FAILS(EINVAL, CALL(lseek, fd, -1, SEEK_SET));
	FAILS(ENXIO, CALL(lseek, fd, 5000, SEEK_DATA));
	FAILS(EINVAL, CALL(lseek, fd, 0, 77));
	GIVES(10,
	      on_write(s, 1005, CALL(write, fd, buffer, 10))); /* the failed ones moved nothing */
	GIVES(1L << 40, on_seek(s, CALL(lseek, fd, 1L << 40, SEEK_SET)));
	GIVES(0, on_read(s, 1L << 40, CALL(read, fd, buffer, 10)));
	shut(s, fd);
	WORKS(CALL(pipe2, fds, 0));
	FAILS(ESPIPE, CALL(lseek, fds[0], 0, SEEK_CUR));
	WORKS(CALL(close, fds[0]));
	WORKS(CALL(close, fds[1]));
}

static void test_dup(void)
{
	const char *a = in("dup-a"), *b = in("dup-b");
	int x = openat_flags(a, O_RDWR | O_CREAT), y = openat_flags(b, O_RDWR | O_CREAT), z;

	GIVES(200, on_write(a, 0, CALL(write, x, buffer, 200)));
	GIVES(0, on_seek(a, CALL(lseek, x, 0, SEEK_SET)));
	z = (int)WORKS(on_dup(a, CALL(dup, x)));
	GIVES(10, on_read(a, 0, CALL(read, x, buffer, 10)));
	GIVES(10, on_read(a, 10, CALL(read, z, buffer, 10))); /* one position for both */
	GIVES(y, on_dup(a, CALL(dup2, x, y)));
	ledger_add(b, SUM_CLOSES, 1);
	GIVES(10, on_read(a, 20, CALL(read, y, buffer, 10)));
	if (SYS_dup2 >= 0) /* dup3 refuses it */
		GIVES(y, CALL(dup2, y, y));
	GIVES(300, on_dup(a, CALL(dup3, y, 300, O_CLOEXEC)));
	FAILS(EINVAL, CALL(dup3, y, y, 0));
	GIVES(400, on_dup(a, CALL(fcntl, 300, F_DUPFD, 400)));
	GIVES(401, on_dup(a, CALL(fcntl, 300, F_DUPFD_CLOEXEC, 400)));
	ledger_add(a, SUM_TOUCHES, 2);
	shut(a, x);
	GIVES(10, on_read(a, 30, CALL(read, 401, buffer, 10)));
	GIVES(50, on_seek(a, CALL(lseek, 400, 50, SEEK_SET)));
	GIVES(10, on_read(a, 50, CALL(read, 300, buffer, 10)));
	GIVES(x, on_open(b, O_RDONLY,
			 CALL(open, b, O_RDONLY))); /* the number again, for another file */
	nap();
	GIVES(0, on_read(b, 0, CALL(read, x, buffer, 10)));
	shut(b, x);
	for (int i = 0; i < 5; i++)
		shut(a, ((int[]){y, z, 300, 400, 401})[i]);
}

static void test_fcntl(void)
{
	const char *f = in("fcntl");
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
	int fd = openat_flags(f, O_RDWR | O_CREAT);

	GIVES(100, on_write(f, 0, CALL(write, fd, buffer, 100)));
	GIVES(0, on_touch(f, CALL(fcntl, fd, F_GETFD)));
	GIVES(0, on_touch(f, CALL(fcntl, fd, F_SETFD, FD_CLOEXEC)));
	WORKS(on_touch(f, CALL(fcntl, fd, F_GETFL)));
	WORKS(on_success(f, SUM_FLAG_CHANGES, on_touch(f, CALL(fcntl, fd, F_SETFL, O_APPEND))));
	GIVES(0, on_seek(f, CALL(lseek, fd, 0, SEEK_SET)));
	GIVES(10, on_write(f, in_the_kernel(100), CALL(write, fd, buffer, 10)));
	WORKS(on_success(f, SUM_FLAG_CHANGES, on_touch(f, CALL(fcntl, fd, F_SETFL, 0))));
	GIVES(20, on_seek(f, CALL(lseek, fd, 20, SEEK_SET)));
	GIVES(10, on_write(f, 20, CALL(write, fd, buffer, 10)));
	WORKS(on_lock(f, on_touch(f, CALL(fcntl, fd, F_SETLK, &lock))));
	WORKS(on_lock(f, on_touch(f, CALL(fcntl, fd, F_SETLKW, &lock))));
	WORKS(on_touch(f, CALL(fcntl, fd, F_GETLK, &lock)));
	lock.l_type = F_UNLCK;
	lock.l_pid = 0;
	WORKS(on_unlock(f, on_touch(f, CALL(fcntl, fd, F_OFD_SETLK, &lock))));
	FAILS(EFAULT, on_touch(f, CALL(fcntl, fd, F_SETLK, BAD_ADDRESS)));
	FAILS(EINVAL, on_touch(f, CALL(fcntl, fd, 4711, 0)));
	shut(f, fd);
}

static void test_flock(void)
{
	const char *f = in("flock");
	int x = openat_flags(f, O_RDWR | O_CREAT), y = openat_flags(f, O_RDWR);

	WORKS(on_lock(f, CALL(flock, x, LOCK_SH)));
	WORKS(on_lock(f, CALL(flock, y, LOCK_SH | LOCK_NB)));
	WORKS(on_unlock(f, CALL(flock, y, LOCK_UN)));
	WORKS(on_lock(f, CALL(flock, x, LOCK_EX)));
	FAILS(EWOULDBLOCK, CALL(flock, y, LOCK_EX | LOCK_NB));
	ledger_add(f, SUM_LOCKS_TRIED, 1);
	WORKS(on_unlock(f, CALL(flock, x, LOCK_UN)));
	FAILS(EINVAL, CALL(flock, x, 0));
	shut(f, x);
	shut(f, y);
}

/* Descriptors from 200 upwards, so that nothing else is in the range. */
static void test_close_range(void)
{
	const char *c = in("close-range");
	int fd = openat_flags(c, O_RDWR | O_CREAT);

	for (int i = 200; i < 206; i++)
		GIVES(i, on_dup(c, CALL(dup2, fd, i)));
	WORKS(CALL(close_range, 200, 202, 0));
	ledger_add(c, SUM_CLOSES, 3);
	if (CALL(close_range, 203, ~0u, CLOSE_RANGE_CLOEXEC)) /* since Linux 5.11 */
		FAILS(EINVAL, -1);
	GIVES(9, on_write(c, 0, CALL(write, 204, buffer, 9)));
	WORKS(CALL(close_range, 203, ~0u, CLOSE_RANGE_UNSHARE));
	ledger_add(c, SUM_CLOSES, 3);
	FAILS(EBADF, CALL(write, 204, buffer, 9));
	GIVES(9, on_write(c, 9, CALL(write, fd, buffer, 9)));
	shut(c, fd);
}

static void test_sync(void)
{
	const char *s = in("sync");
	int fd = openat_flags(s, O_RDWR | O_CREAT), fds[2];

	GIVES(4096, on_write(s, 0, CALL(write, fd, buffer, 4096)));
	WORKS(on_flush(s, CALL(fsync, fd)));
	WORKS(on_flush(s, CALL(fdatasync, fd)));
#ifdef SYS_sync_file_range
	WORKS(on_flush(s, CALL(sync_file_range, fd, 0, 4096, SYNC_FILE_RANGE_WRITE)));
	FAILS(EINVAL, on_flush(s, CALL(sync_file_range, fd, -1, -1, 0)));
#else /* ppc64 */
	WORKS(on_flush(s, CALL(sync_file_range2, fd, SYNC_FILE_RANGE_WRITE, 0, 4096)));
	FAILS(EINVAL, on_flush(s, CALL(sync_file_range2, fd, 0, -1, -1)));
#endif
	WORKS(on_flush(s, CALL(syncfs, fd)));
	WORKS(on_flush(EVERY, CALL(sync)));
	WORKS(on_touch(s, CALL(ftruncate, fd, 10)));
	WORKS(on_touch(s, CALL(fallocate, fd, 0, 0, 100)));
	WORKS(on_touch(s, CALL(fadvise64, fd, 0, 0, POSIX_FADV_RANDOM)));
	WORKS(on_touch(s, CALL(readahead, fd, 0, 100)));
	shut(s, fd);
	WORKS(CALL(pipe2, fds, 0));
	FAILS(EINVAL, on_flush(OTHER, CALL(fsync, fds[0])));
	WORKS(on_close(OTHER, CALL(close, fds[0])));
	WORKS(CALL(close, fds[1]));
}

static void test_copy(void)
{
	const char *from = in("copy-from"), *to = in("copy-to");
	int x = openat_flags(from, O_RDWR | O_CREAT), y = openat_flags(to, O_RDWR | O_CREAT);
	off_t at = 100, out = 50;

	GIVES(1000, on_write(from, 0, CALL(write, x, buffer, 1000)));
	GIVES(10, on_seek(from, CALL(lseek, x, 10, SEEK_SET)));
	GIVES(200, on_copy(from, 10, to, 0, CALL(sendfile, y, x, NULL, 200)));
	GIVES(200, on_copy(from, NO_OFFSET, to, 200, CALL(sendfile, y, x, &at, 200)));
	GIVES(790, on_copy(from, 210, to, 400, CALL(sendfile, y, x, NULL, 5000)));
	GIVES(0, on_copy(from, 1000, to, 1190, CALL(sendfile, y, x, NULL, 5000)));
	GIVES(0, on_seek(from, CALL(lseek, x, 0, SEEK_SET)));
	GIVES(64, on_copy(from, 0, to, 1190, CALL(copy_file_range, x, NULL, y, NULL, 64, 0)));
	at = 900;
	GIVES(100, on_copy(from, NO_OFFSET, to, NO_OFFSET,
			   CALL(copy_file_range, x, &at, y, &out, 640, 0)));
	FAILS(EFAULT, on_copy(from, NO_OFFSET, to, 1254, CALL(sendfile, y, x, BAD_ADDRESS, 10)));
	GIVES(64, on_read(from, 64, CALL(read, x, buffer, 64)));
	GIVES(3, on_write(to, 1254, CALL(write, y, buffer, 3)));
	shut(from, x);
	shut(to, y);
}

/* Names of a pipe's ends are nobody's concern, but all of its bytes are. */
static void test_pipes(void)
{
	const char *f = in("splice");
	struct iovec iov[2] = {{buffer, 100}, {buffer + 1000, 50}};
	int fd = openat_flags(f, O_RDWR | O_CREAT), p[2], q[2];

	GIVES(500, on_write(f, 0, CALL(write, fd, buffer, 500)));
	GIVES(0, on_seek(f, CALL(lseek, fd, 0, SEEK_SET)));
	WORKS(CALL(pipe, p));
	WORKS(CALL(pipe2, q, O_NONBLOCK | O_CLOEXEC));
	GIVES(300, on_copy(f, 0, OTHER, NO_OFFSET, CALL(splice, fd, NULL, p[1], NULL, 300, 0)));
	GIVES(300, on_copy(OTHER, NO_OFFSET, OTHER, NO_OFFSET, CALL(tee, p[0], q[1], 1000, 0)));
	GIVES(300, on_copy(OTHER, NO_OFFSET, f, 300, CALL(splice, p[0], NULL, fd, NULL, 300, 0)));
	GIVES(150, on_write(OTHER, NO_OFFSET, CALL(vmsplice, p[1], iov, 2, 0)));
	GIVES(150, on_read(OTHER, NO_OFFSET, CALL(read, p[0], buffer, 4000)));
	GIVES(300, on_read(OTHER, NO_OFFSET, CALL(read, q[0], buffer, 4000)));
	FAILS(EAGAIN, on_read(OTHER, NO_OFFSET, CALL(read, q[0], buffer, 4000)));
	/* Every end has been used and so is known, which its close shows. */
	WORKS(on_close(OTHER, CALL(close, q[0])));
	FAILS(EPIPE, on_write(OTHER, NO_OFFSET, CALL(write, q[1], buffer, 4)));
	WORKS(on_close(OTHER, CALL(close, q[1])));
	WORKS(on_close(OTHER, CALL(close, p[0])));
	WORKS(on_close(OTHER, CALL(close, p[1])));
	shut(f, fd);
}

/* Maps of files count, those of memory do not. A mapping stays when its descriptor is closed. */
static void test_map(void)
{
	const char *m = in("map");
	int fd = openat_flags(m, O_RDWR | O_CREAT);
	void *at, *anonymous;

	GIVES(4096, on_write(m, 0, CALL(write, fd, buffer, 4096)));
	at = (void *)WORKS(
		on_touch(m, CALL(mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)));
	((char *)at)[5] = 1;
	WORKS(on_flush(m, CALL(msync, at, 4096, MS_SYNC)));
	WORKS(on_touch(m, CALL(munmap, at, 4096)));
	anonymous = (void *)WORKS(
		syscall(SYS_mmap, NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	WORKS(syscall(SYS_munmap, anonymous, 8192));
	FAILS(EINVAL, on_touch(m, CALL(mmap, NULL, 0, PROT_READ, MAP_SHARED, fd, 0)));
	at = (void *)WORKS(
		on_touch(m, CALL(mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)));
	shut(m, fd);
	((char *)at)[7] = 1;
	WORKS(on_flush(m, CALL(msync, at, 4096, MS_ASYNC)));
	WORKS(CALL(munmap, at, 4096));
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	ledger_open();
	test_open();
	test_open_flags();
	test_open_errors();
	test_vectors();
	test_seek();
	test_dup();
	test_fcntl();
	test_flock();
	test_close_range();
	test_sync();
	test_copy();
	test_pipes();
	test_map();
	ledger_close();
	return 0;
}
