/*
 * workload_tasks: threads and processes that share, inherit and replace descriptors.
 *
 * Each way in which a descriptor table comes about: threads, fork, vfork, a process that shares the
 * table of another, one that stops sharing it, execve by the first thread and by another, a first
 * thread that ends early. `workload_tasks again FD` is what the program executes.
 */
#include "ledger.h"

#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

enum { THREADS = 3, ROUNDS = 50, STACK = 256 * 1024 };

static char buffer[4096];
static char self[4096];
static int shared_fd;

static int opened(const char *path, int flags)
{
	int fd = (int)WORKS(on_open(path, flags, CALL(openat, AT_FDCWD, path, flags, 0600)));

	nap();
	return fd;
}

static void shut(const char *path, int fd)
{
	WORKS(on_close(path, CALL(close, fd)));
}

/*
 * Threads have stacks of ours, so that the library maps no memory, which would be a call to be
 * recorded.
 */
static pthread_t started(void *(*work)(void *), void *arg, int slot)
{
	static char stack[THREADS + 1][STACK] __attribute__((aligned(4096)));
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack[slot], STACK);
	if (pthread_create(&thread, &attributes, work, arg))
		ledger_die("pthread_create");
	ledger_note("clone", 0);
	pthread_attr_destroy(&attributes);
	return thread;
}

static void *thread_work(void *arg)
{
	static const char *const name[] = {"thread-0", "thread-1", "thread-2"};
	const char *own = in(name[(intptr_t)arg]), *shared = in("shared");
	char bytes[512] = "";
	int fd = opened(own, O_RDWR | O_CREAT);

	for (int i = 0; i < ROUNDS; i++) {
		GIVES(100, on_write(own, 100 * i, CALL(write, fd, bytes, 100)));
		GIVES(10, on_read(shared, 10 * i, CALL(pread64, shared_fd, bytes, 10, 10 * i)));
		GIVES(1, on_write(shared, ANY_OFFSET, CALL(write, shared_fd, bytes, 1)));
		FAILS(EBADF, CALL(read, 900 + (intptr_t)arg, bytes, 1));
	}
	return (void *)(intptr_t)fd;
}

static void test_threads(void)
{
	const char *shared = in("shared");
	pthread_t thread[THREADS];

	shared_fd = opened(shared, O_RDWR | O_CREAT);
	GIVES(4096, on_write(shared, 0, CALL(write, shared_fd, buffer, 4096)));
	for (intptr_t i = 0; i < THREADS; i++)
		thread[i] = started(thread_work, (void *)i, (int)i);
	for (intptr_t i = 0; i < THREADS; i++) {
		void *fd;

		pthread_join(thread[i], &fd);
		shut(i == 0   ? in("thread-0")
		     : i == 1 ? in("thread-1")
			      : in("thread-2"),
		     (int)(intptr_t)fd);
	}
	shut(shared, shared_fd);
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "workload: a child ended with %#x\n", (unsigned)status);
		_exit(96);
	}
}

/*
 * Parent and child read on where the other stopped; what the child closes stays open in the parent.
 */
static void test_fork(void)
{
	const char *a = in("fork-a"), *b = in("fork-b");
	int fd = opened(a, O_RDWR | O_CREAT);
	pid_t pid;

	GIVES(1000, on_write(a, 0, CALL(write, fd, buffer, 1000)));
	GIVES(0, on_seek(a, CALL(lseek, fd, 0, SEEK_SET)));
	pid = (pid_t)WORKS(CALL(fork));
	if (!pid) {
		ledger_child();
		GIVES(10, on_read(a, 0, CALL(read, fd, buffer, 10)));
		shut(a, fd);
		GIVES(fd, opened(b, O_RDWR | O_CREAT));
		GIVES(20, on_write(b, 0, CALL(write, fd, buffer, 20)));
		ledger_close();
		_exit(0);
	}
	wait_for(pid);
	GIVES(10, on_read(a, 10, CALL(read, fd, buffer, 10)));
	shut(a, fd);
}

/* A process with a table of its parent's: what it opens is the parent's to read. */
static void test_shared_table(void)
{
	const char *a = in("table-a");
	pid_t pid = (pid_t)CALL(clone, CLONE_FILES | SIGCHLD);

	if (!pid) {
		ledger_child();
		int fd = opened(a, O_RDWR | O_CREAT);

		GIVES(500, on_dup(a, CALL(dup2, fd, 500)));
		shut(a, fd);
		GIVES(30, on_write(a, 0, CALL(write, 500, buffer, 30)));
		ledger_close();
		_exit(0);
	}
	wait_for(pid);
	GIVES(30, on_read(a, 0, CALL(pread64, 500, buffer, 100, 0)));
	GIVES(5, on_write(a, 30, CALL(write, 500, buffer, 5)));
	shut(a, 500);
}

/*
 * A process that stops sharing the table before it closes; close_range can do both at once. A copy of the table has a copy
 * of each descriptor.
 */
static void test_unshared_table(bool is_range)
{
	const char *a = is_range ? in("table-c") : in("table-b");
	int fd = opened(a, O_RDWR | O_CREAT);
	pid_t pid = (pid_t)CALL(clone, CLONE_FILES | SIGCHLD);

	if (!pid) {
		ledger_child();
		if (is_range) {
			WORKS(on_close(a,
				       on_dup(a, CALL(close_range, fd, fd, CLOSE_RANGE_UNSHARE))));
		} else {
			WORKS(on_dup(a, CALL(unshare, CLONE_FILES)));
			shut(a, fd);
		}
		FAILS(EBADF, CALL(write, fd, buffer, 5));
		ledger_close();
		_exit(0);
	}
	wait_for(pid);
	GIVES(5, on_write(a, 0, CALL(write, fd, buffer, 5)));
	shut(a, fd);
}

/*
 * What was open stays, what was to be closed on exec is gone, and its number is free for another
 * file.
 */
static int again(int kept)
{
	const char *a = in("exec-kept"), *b = in("exec-new");
	int fd;

	ledger_open();
	GIVES(10, on_read(a, 0, CALL(read, kept, buffer, 10)));
	FAILS(EBADF, CALL(read, 600, buffer, 10));
	fd = opened(b, O_RDWR | O_CREAT);
	GIVES(600, on_dup(b, CALL(dup2, fd, 600)));
	GIVES(11, on_write(b, 0, CALL(pwrite64, 600, buffer, 11, 0)));
	ledger_close();
	return 0;
}

static void *execute(void *arg)
{
	char number[16], *argv[] = {self, "again", number, NULL};

	snprintf(number, sizeof(number), "%d", (int)(intptr_t)arg);
	syscall(SYS_execve, self, argv, environ);
	_exit(95);
}

static int prepared(void)
{
	const char *a = in("exec-kept"), *closed = in("exec-closed");
	int fd = opened(a, O_RDWR | O_CREAT | O_TRUNC), other = opened(closed, O_RDWR | O_CREAT);

	GIVES(10, on_write(a, 0, CALL(pwrite64, fd, buffer, 10, 0)));
	GIVES(600, on_dup(closed, CALL(dup3, other, 600, O_CLOEXEC)));
	shut(closed, other);
	return fd;
}

static void test_exec(int how)
{
	int fd = prepared();
	pid_t pid;

	ledger_note(how == 2 ? "vfork" : "clone", 0);
	pid = how == 2 ? vfork() : fork();
	if (!pid) {
		ledger_mark();
		if (how != 1)
			execute((void *)(intptr_t)fd);
		pthread_join(started(execute, (void *)(intptr_t)fd, THREADS), NULL);
		_exit(94);
	}
	wait_for(pid);
	WORKS(on_close(in("exec-closed"), CALL(close, 600)));
	shut(in("exec-kept"), fd);
}

/* The process lives on in its second thread. */
static void *survivor(void *arg)
{
	const char *a = in("survivor");
	int fd;

	(void)arg;
	nap();
	fd = opened(a, O_RDWR | O_CREAT);
	GIVES(13, on_write(a, 0, CALL(write, fd, buffer, 13)));
	shut(a, fd);
	ledger_close();
	_exit(0);
}

static void test_leader(void)
{
	pid_t pid = fork();

	ledger_note("clone", 0);
	if (!pid) {
		ledger_child();
		started(survivor, NULL, 0);
		syscall(SYS_exit, 0);
	}
	wait_for(pid);
}

/* Its calls up to the signal count, and what was open is closed by its death. */
static void test_killed(void)
{
	const char *a = in("killed");
	int status;
	pid_t pid = (pid_t)WORKS(CALL(fork));

	if (!pid) {
		int fd;

		ledger_child();
		fd = opened(a, O_RDWR | O_CREAT);
		GIVES(14, on_write(a, 0, CALL(write, fd, buffer, 14)));
		ledger_close();
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	GIVES(SIGKILL, status);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return again(atoi(argv[2]));
	GIVES(1, readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	ledger_open();
	test_threads();
	test_fork();
	test_shared_table();
	test_unshared_table(false);
	test_unshared_table(true);
	for (int how = 0; how < 3; how++)
		test_exec(how);
	test_leader();
	test_killed();
	ledger_close();
	return 0;
}
