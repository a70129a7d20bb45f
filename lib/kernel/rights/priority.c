/*
 * priority: sets the scheduling policy with the system call itself, because most C libraries have no wrapper for
 * sched_setattr(2).
 */
#include "priority.h"

#include <iotrace/confine.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_NS = 100000, NICE = -10 };

/* The first version of the kernel's struct. */
struct sched_request {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void raise_policy(void)
{
	struct sched_request request = {.size = sizeof(request),
					.policy = SCHED_FIFO,
					.priority = 1};

	if (!syscall(SYS_sched_setattr, 0, &request, 0))
		return;
	request = (struct sched_request){.size = sizeof(request),
					 .policy = SCHED_OTHER,
					 .runtime = SLICE_NS,
					 .nice = getpriority(PRIO_PROCESS, 0)};
	syscall(SYS_sched_setattr, 0, &request, 0);
}

/* The right is needed only here, once for each thread. */
void priority_raise(void)
{
	confine_take(CAP_SYS_NICE);
	raise_policy();
	confine_forget(CAP_SYS_NICE);
}

void priority_lower_nice(struct priority_nice *nice)
{
	nice->old = getpriority(PRIO_PROCESS, 0);
	nice->is_lowered = nice->old > NICE && !setpriority(PRIO_PROCESS, 0, NICE);
}

void priority_restore_nice(struct priority_nice *nice)
{
	if (nice->is_lowered)
		setpriority(PRIO_PROCESS, 0, nice->old);
	nice->is_lowered = false;
}

void priority_init_mutex(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}
