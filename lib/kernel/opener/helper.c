/*
 * helper: checks each number of a request before it uses it, because the recorder may have been taken over by an attacker.
 */
#include "helper.h"

#include "descent.h"
#include "message/message.h"
#include "rights/descriptors.h"
#include "rights/priority.h"
#include "rights/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVERYBODY = -1, CPUS_MAX = 1 << 14 };

struct helper {
	int socket;
	const struct opener_table *table;
	struct descent descent;
};

static int open_event(const struct perf_event_attr *attr, int pid, uint32_t cpu,
		      unsigned long flags)
{
	struct perf_event_attr copy = *attr;
	int fd = (int)syscall(SYS_perf_event_open, &copy, pid, (int)cpu, -1,
			      PERF_FLAG_FD_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

/* A second check after the open finds numbers that were reused meanwhile. */
static int open_of_task(struct helper *helper, const struct opener_request *request)
{
	const struct opener_event *event = &helper->table->event[request->event];
	int code = request->tid > 0 ? descent_check(&helper->descent, (uint32_t)request->tid)
				    : -EPERM;
	int fd;

	if (code)
		return code;
	fd = open_event(&event->attr, request->tid, request->cpu, 0);
	if (fd < 0)
		return fd;
	code = descent_check(&helper->descent, (uint32_t)request->tid);
	if (!code)
		return fd;
	close(fd);
	return code;
}

static int open_requested(struct helper *helper, const struct opener_request *request)
{
	const struct opener_table *table = helper->table;

	if (request->event >= table->events || request->cpu >= CPUS_MAX)
		return -EINVAL;
	const struct opener_event *event = &table->event[request->event];

	switch (event->kind) {
	case OPENER_OF_TASK:
		return open_of_task(helper, request);
	case OPENER_OF_CPU:
		return open_event(&event->attr, EVERYBODY, request->cpu, 0);
	case OPENER_OF_CGROUP:
		if ((uint32_t)request->tid >= table->cgroups)
			return -EINVAL;
		return open_event(&event->attr, table->cgroup[request->tid], request->cpu,
				  PERF_FLAG_PID_CGROUP);
	}
	return -EINVAL;
}

/* fd: the descriptor for the reply, -1: none. Returns 0 or -errno. */
static int answer(struct helper *helper, const struct opener_request *request, int *fd)
{
	*fd = -1;
	if (request->event == OPENER_NEW_ROOT)
		return request->tid > 0 ? descent_add(&helper->descent, (uint32_t)request->tid)
					: -EPERM;
	*fd = open_requested(helper, request);
	return *fd < 0 ? *fd : 0;
}

static void serve(struct helper *helper)
{
	struct opener_request request;
	int code = 0;

	while (!code) {
		struct opener_reply reply;
		int fd;

		code = message_receive(helper->socket, &request, sizeof(request), &fd);
		if (fd >= 0)
			close(fd);
		if (code)
			break;
		reply.code = answer(helper, &request, &fd);
		code = message_send(helper->socket, &reply, sizeof(reply), fd);
		if (fd >= 0)
			close(fd);
	}
}

/* Returns the lowest descriptor from `from` on that must stay open, or INT_MAX. */
static int next_kept(const struct helper *helper, int from)
{
	const struct opener_table *table = helper->table;
	int least = INT_MAX;

	for (uint32_t i = 0; i < table->cgroups + 2; i++) {
		int fd = i < table->cgroups    ? table->cgroup[i]
			 : i == table->cgroups ? helper->socket
					       : helper->descent.proc;

		if (fd >= from && fd < least)
			least = fd;
	}
	return least;
}

/* Closes the inherited descriptors: events, rings and output of the recorder must end when the recorder closes them. */
static void close_others(const struct helper *helper)
{
	int from = 0, kept;

	while ((kept = next_kept(helper, from)) != INT_MAX) {
		descriptors_close(from, kept);
		from = kept + 1;
	}
	descriptors_close(from, INT_MAX);
}

void helper_main(int socket, const struct opener_table *table)
{
	struct helper helper = {.socket = socket, .table = table};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL); /* the process ends only when the socket is closed */
	helper.descent.proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	close_others(&helper);
	descent_init(&helper.descent, helper.descent.proc, table->root, table->roots);
	priority_raise(); /* it has the priority of the threads that wait for it */
	confine_helper(rights_takes_admin());
	if (helper.descent.proc >= 0)
		serve(&helper);
	_exit(0);
}
