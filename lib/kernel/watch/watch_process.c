/*
 * watch_process: looks at tasks in /proc, and starts the command.
 *
 * It reads nothing that takes the lock of a task's memory (cmdline, environ, maps), which a hanging task may hold. Only threads of
 * watch_memory.c do.
 */
#include "watch_process.h"

#include "rights/descriptors.h"
#include "watch_call.h"
#include "watch_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/place.h>
#include <iotrace/users.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 64, STATUS_NOT_RUN = 127, LINKS_OF_ONE = 3 };

struct search {
	uint32_t id;
	char *name; /* of WATCH_USER bytes; "": not found */
};

/* The first name of an id counts. */
static void take_name_of(void *context, uint32_t id, const char *name)
{
	const struct search *search = context;

	if (id == search->id && !*search->name)
		snprintf(search->name, WATCH_USER, "%s", name);
}

static void name_owner(struct watch_task *task)
{
	struct search user = {task->uid, task->user}, group = {task->gid, task->group};

	users_each(take_name_of, &user);
	user_groups_each(take_name_of, &group);
	if (!*task->user)
		snprintf(task->user, sizeof(task->user), "%u", task->uid);
	if (!*task->group)
		snprintf(task->group, sizeof(task->group), "%u", task->gid);
}

/* The directory has an entry for each thread, and two others. */
static bool has_one_thread(uint32_t pid)
{
	char path[PATH_SIZE];
	struct stat about;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !stat(path, &about) && about.st_nlink == LINKS_OF_ONE;
}

static void look_at_thread(struct watch_task *task, struct watch_memory *memory)
{
	watch_read(task, "wchan", task->wchan, sizeof(task->wchan));
	if (!strcmp(task->wchan, "0"))
		*task->wchan = '\0';
	watch_read(task, "stack", task->stack, sizeof(task->stack));
	watch_find_call(task, memory);
}

/* If it is not known which thread of a process waits, it is the only one. */
static void look(struct watch_task *task, struct watch_memory *memory)
{
	bool is_thread = task->tid || has_one_thread(task->pid);
	char path[PATH_SIZE];
	struct stat about;

	if (!task->tid)
		task->tid = task->pid;
	snprintf(path, sizeof(path), "/proc/%u/task/%u", task->pid, task->tid);
	task->is_there = !stat(path, &about);
	if (!task->is_there)
		return;
	task->uid = about.st_uid;
	task->gid = about.st_gid;
	name_owner(task);
	watch_read(task, "comm", task->comm, sizeof(task->comm));
	task->comm[strcspn(task->comm, "\n")] = '\0';
	if (is_thread)
		look_at_thread(task, memory);
}

static void set_environment(char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			putenv(line);
}

static void __attribute__((noreturn)) execute(const char *command, int input, char *environment)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	set_environment(environment);
	dup2(input, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(STATUS_NOT_RUN);
}

/* The input fits into a pipe, so the write does not wait. */
static void run(const char *command, struct watch_request *request, size_t size)
{
	char *environment = request->text;
	size_t room = size - WATCH_HEAD, first = strnlen(environment, room) + 1;
	const char *input = environment + first;
	int ends[2];

	if (!command || first >= room || memchr(input, '\0', room - first) == NULL ||
	    pipe2(ends, O_CLOEXEC))
		return;
	if (!fork())
		execute(command, ends[0], environment);
	close(ends[0]);
	place_write_all(ends[1], input, strlen(input)); /* the command may not read it */
	close(ends[1]);
}

static ssize_t receive(int socket, struct watch_request *request)
{
	struct iovec part = {request, sizeof(*request)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t size;

	do
		size = recvmsg(socket, &header, 0);
	while (size < 0 && errno == EINTR);
	return size;
}

static void answer(int socket, struct watch_memory *memory, const struct watch_request *request)
{
	struct watch_task task = {.pid = request->pid, .tid = request->tid};
	struct iovec part = {&task, sizeof(task)};
	const struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

	look(&task, memory);
	task.tid = request->tid;
	if (sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
		_exit(0);
}

/* A recording of all tasks excludes threads with this name. */
static void take_name(void)
{
	char name[16];

	snprintf(name, sizeof(name), "iotrace:%d", (int)getppid());
	prctl(PR_SET_NAME, name);
}

/* Others may wait until these descriptors are closed, for example the reader of --ready-fd. */
static void close_others(int socket)
{
	descriptors_close(STDERR_FILENO + 1, socket);
	descriptors_close(socket + 1, INT_MAX);
}

void watch_main(int socket, const char *command)
{
	static struct watch_request request;
	struct watch_memory *memory;
	ssize_t size;

	take_name();
	close_others(socket);
	confine_child();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN); /* so that ended commands leave no zombies */
	memory = watch_memory_new();
	while ((size = receive(socket, &request)) >= WATCH_HEAD) {
		if (request.pid)
			answer(socket, memory, &request);
		else
			run(command, &request, (size_t)size);
	}
	_exit(0);
}
