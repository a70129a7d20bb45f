/*
 * looker: sleep, walk, ask. The mutex is held while it works; the control thread takes it once in a round.
 */
#include "looker.h"

#include "rights/priority.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK = 256 << 10, FULL_PART = 4, AGAIN_MS = 100 };

void looker_init(struct looker *looker, struct perf_set *set, uint32_t cpu,
		 struct lookup_base *base, const struct facts *like)
{
	*looker = (struct looker){.set = set, .cpu = cpu, .stop_fd = -1, .due_fd = -1};
	priority_init_mutex(&looker->mutex);
	sem_init(&looker->is_ready, 0, 0);
	facts_init(&looker->facts, like->layout, like->id);
	lookup_init(&looker->lookup, base, &looker->facts);
	looker->scratch = mem_alloc(PERF_RECORD_BYTES);
}

/* On the CPU of the ring, where the program runs. Returns whether that is possible now. */
static bool run_on_cpu(const struct looker *looker)
{
	uint32_t number = looker->set->cpu[looker->cpu];
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

/* With the mutex. */
static uint64_t look(struct looker *looker)
{
	const struct perf_ring *ring = &looker->set->ring[looker->cpu];
	uint64_t head = perf_ring_head(ring);
	const struct perf_event_header *record;

	while ((record = perf_ring_next(ring, &looker->seen, head, looker->scratch)) != NULL)
		lookup_see(&looker->lookup, record);
	lookup_run(&looker->lookup);
	return head;
}

/* Then the control thread will walk it at once, and not here where the program runs. Returns whether it is. */
static bool say_if_full(const struct looker *looker)
{
	const struct perf_ring *ring = &looker->set->ring[looker->cpu];
	uint64_t one = 1;

	if (perf_ring_head(ring) - perf_ring_tail(ring) < ring->size / FULL_PART)
		return false;
	/* A counter that is full means that the other side is awake. */
	return write(looker->due_fd, &one, sizeof(one)) > 0 || errno == EAGAIN;
}

/* A process that goes on without its events is said to the control thread at once. */
static void look_now(struct looker *looker)
{
	uint64_t one = 1;

	pthread_mutex_lock(&looker->mutex);
	look(looker);
	pthread_mutex_unlock(&looker->mutex);
	if (looker->set->may_reopen && lookup_has_detached(looker->lookup.base) &&
	    write(looker->due_fd, &one, sizeof(one)) < 0)
		return; /* it is awake */
}

static void *looker_main(void *context)
{
	struct looker *looker = context;
	bool is_there = run_on_cpu(looker);

	priority_raise(); /* before the program that runs there */
	sem_post(&looker->is_ready);
	for (;;) {
		struct pollfd fds[] = {{.fd = looker->stop_fd, .events = POLLIN},
				       {.fd = perf_set_poll_fd(looker->set, looker->cpu),
					.events = POLLIN}};
		/* Events that were opened again are polled from then on. */
		bool may_come = fds[1].fd < 0 && looker->set->may_reopen;
		int ready = poll(fds, 2, may_come ? AGAIN_MS : -1);

		if (ready < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents)
			return NULL;
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			perf_set_poll_next(looker->set, looker->cpu);
		if (!is_there) /* the CPU was offline */
			is_there = run_on_cpu(looker);
		if (ready && !(fds[1].revents & (POLLIN | POLLHUP)))
			continue;
		if (!say_if_full(looker))
			look_now(looker);
	}
}

int looker_start(struct looker *looker, int stop_fd, int due_fd)
{
	pthread_attr_t attr;
	int code;

	looker->stop_fd = stop_fd;
	looker->due_fd = due_fd;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	code = pthread_create(&looker->thread, &attr, looker_main, looker);
	pthread_attr_destroy(&attr);
	looker->has_thread = !code;
	return -code;
}

void looker_wait(struct looker *looker)
{
	while (sem_wait(&looker->is_ready) && errno == EINTR)
		;
}

void looker_join(struct looker *looker)
{
	if (looker->has_thread)
		pthread_join(looker->thread, NULL);
	looker->has_thread = false;
}

void looker_release(struct looker *looker)
{
	looker_join(looker);
	lookup_release(&looker->lookup);
	facts_release(&looker->facts);
	free(looker->scratch);
	sem_destroy(&looker->is_ready);
	pthread_mutex_destroy(&looker->mutex);
}

uint64_t looker_take(struct looker *looker, struct facts *out)
{
	uint64_t head;

	pthread_mutex_lock(&looker->mutex);
	head = look(looker);
	facts_move(out, &looker->facts);
	pthread_mutex_unlock(&looker->mutex);
	return head;
}

void looker_skip(struct looker *looker, uint64_t position)
{
	pthread_mutex_lock(&looker->mutex);
	if (looker->seen < position)
		looker->seen = position;
	pthread_mutex_unlock(&looker->mutex);
}
