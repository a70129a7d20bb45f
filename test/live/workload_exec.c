/*
 * A process that becomes another program, which the kernel may follow less: set-uid, or not to be read.
 *
 *   workload_exec begin DIRECTORY PROGRAM [wait]   writes DIRECTORY/kept, says "ready" and waits for SIGUSR1 if asked to,
 *                                                  executes PROGRAM go DIRECTORY FD
 *   workload_exec go DIRECTORY FD                  writes on, after a while; a child writes and executes the same program
 *   workload_exec last DIRECTORY FD                the child's
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE = 10, AFTER = 100, PAUSE_US = 400000 };

static void put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		_exit(9);
}

static int made(const char *directory, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0666);
	if (fd < 0)
		_exit(8);
	return fd;
}

static void become(const char *program, const char *what, const char *directory, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	execl(program, program, what, directory, number, (char *)NULL);
	_exit(7);
}

static void begin(const char *directory, const char *program, int waits)
{
	int fd = made(directory, "kept"), signal_number;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (waits) {
		put(STDOUT_FILENO, "ready\n");
		sigwait(&set, &signal_number);
	}
	for (int i = 0; i < BEFORE; i++)
		put(fd, "0123456789");
	become(program, "go", directory, fd);
}

static void go(const char *program, const char *directory, int fd)
{
	int status = 0, new;
	pid_t child;

	usleep(PAUSE_US); /* a recorder that follows it may need a moment to find it again */
	for (int i = 0; i < AFTER; i++)
		put(fd, "0123456");
	new = made(directory, "new");
	put(new, "abc");
	child = fork();
	if (!child) {
		put(new, "child");
		become(program, "last", directory, new);
	}
	if (waitpid(child, &status, 0) != child || status)
		_exit(6);
	close(new);
	put(fd, "end");
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	if (!strcmp(what, "begin")) {
		begin(argv[2], argv[3], argc > 4);
	} else if (!strcmp(what, "go")) {
		go(argv[0], argv[2], atoi(argv[3]));
	} else if (!strcmp(what, "last")) {
		usleep(PAUSE_US);
		put(atoi(argv[3]), "last!!");
	} else {
		return 2;
	}
	return 0;
}
