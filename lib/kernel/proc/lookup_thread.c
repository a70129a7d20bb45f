/*
 * lookup_thread: sleeps, reads the ring, looks up. It holds the mutex while it works; the control thread takes the mutex once in
 * each round.
 */
#include "lookup_thread.h"

#include "rights/priority.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { STACK = 256 << 10, FULL_PART = 4, AGAIN_MS = 100 };

void lookup_thread_init(struct lookup_thread *thread, struct perf_set *set, uint32_t cpu,
			struct lookup_base *base, const struct facts *like)
{
	*thread = (struct lookup_thread){.set = set, .cpu = cpu, .stop_fd = -1, .due_fd = -1};
	priority_init_mutex(&thread->mutex);
	sem_init(&thread->is_ready, 0, 0);
	facts_init(&thread->facts, like->layout, like->id);
	lookup_init(&thread->lookup, base, &thread->facts);
	thread->scratch = mem_alloc(PERF_RECORD_BYTES);
}

/* Moves the thread to the CPU of its ring, where the program runs. Returns false if that is not possible now. */
static bool run_on_cpu(const struct lookup_thread *thread)
{
	uint32_t number = thread->set->cpu[thread->cpu];
	cpu_set_t *mask = CPU_ALLOC(number + 1);
	size_t size = CPU_ALLOC_SIZE(number + 1);
	bool is_there = true;

	if (mask) {
		CPU_ZERO_S(size, mask);
		CPU_SET_S(number, size, mask);
		is_there = !sched_setaffinity(0, size, mask);
		CPU_FREE(mask);
	}
	return is_there;
}

/* Needs the mutex. */
static uint64_t look(struct lookup_thread *thread)
{
	const struct perf_ring *ring = &thread->set->ring[thread->cpu];
	uint64_t head = perf_ring_head(ring);
	const struct perf_event_header *record;

	while ((record = perf_ring_next(ring, &thread->seen, head, thread->scratch)) != NULL)
		lookup_see(&thread->lookup, record);
	lookup_run(&thread->lookup);
	return head;
}

/*
 * If the ring is nearly full, wakes the control thread, which will read it, so that this CPU is left to the program. Returns
 * whether it did.
 */
static bool wake_if_full(const struct lookup_thread *thread)
{
	const struct perf_ring *ring = &thread->set->ring[thread->cpu];
	uint64_t one = 1;

	if (perf_ring_head(ring) - perf_ring_tail(ring) < ring->size / FULL_PART)
		return false;
	/* If the counter is full, the control thread is awake. */
	return write(thread->due_fd, &one, sizeof(one)) > 0 || errno == EAGAIN;
}

/* Tells the control thread at once if a process has lost its events. */
static void look_now(struct lookup_thread *thread)
{
	uint64_t one = 1;

	pthread_mutex_lock(&thread->mutex);
	look(thread);
	pthread_mutex_unlock(&thread->mutex);
	/* The control thread is awake. */
	if (thread->set->may_reopen && lookup_has_detached(thread->lookup.base) &&
	    write(thread->due_fd, &one, sizeof(one)) < 0)
		return;
}

static void *lookup_thread_main(void *context)
{
	struct lookup_thread *thread = context;
	bool is_there = run_on_cpu(thread);

	priority_raise(); /* it must run before the program on this CPU */
	sem_post(&thread->is_ready);
	for (;;) {
		struct pollfd fds[] = {{.fd = thread->stop_fd, .events = POLLIN},
				       {.fd = perf_set_poll_fd(thread->set, thread->cpu),
					.events = POLLIN}};
		/* From now on, the thread also polls events that were opened again. */
		bool may_come = fds[1].fd < 0 && thread->set->may_reopen;
		int ready = poll(fds, 2, may_come ? AGAIN_MS : -1);

		if (ready < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents)
			return NULL;
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			perf_set_poll_next(thread->set, thread->cpu);
		if (!is_there) /* the CPU was offline */
			is_there = run_on_cpu(thread);
		if (ready && !(fds[1].revents & (POLLIN | POLLHUP)))
			continue;
		if (!wake_if_full(thread))
			look_now(thread);
	}
}

int lookup_thread_start(struct lookup_thread *thread, int stop_fd, int due_fd)
{
	pthread_attr_t attr;
	int code;

	thread->stop_fd = stop_fd;
	thread->due_fd = due_fd;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	code = pthread_create(&thread->thread, &attr, lookup_thread_main, thread);
	pthread_attr_destroy(&attr);
	thread->has_thread = !code;
	return -code;
}

void lookup_thread_wait(struct lookup_thread *thread)
{
	while (sem_wait(&thread->is_ready) && errno == EINTR)
		;
}

void lookup_thread_join(struct lookup_thread *thread)
{
	if (thread->has_thread)
		pthread_join(thread->thread, NULL);
	thread->has_thread = false;
}

void lookup_thread_release(struct lookup_thread *thread)
{
	lookup_thread_join(thread);
	lookup_release(&thread->lookup);
	facts_release(&thread->facts);
	free(thread->scratch);
	sem_destroy(&thread->is_ready);
	pthread_mutex_destroy(&thread->mutex);
}

uint64_t lookup_thread_take(struct lookup_thread *thread, struct facts *out)
{
	uint64_t head;

	pthread_mutex_lock(&thread->mutex);
	head = look(thread);
	facts_move(out, &thread->facts);
	pthread_mutex_unlock(&thread->mutex);
	return head;
}

void lookup_thread_skip(struct lookup_thread *thread, uint64_t position)
{
	pthread_mutex_lock(&thread->mutex);
	if (thread->seen < position)
		thread->seen = position;
	pthread_mutex_unlock(&thread->mutex);
}
