/*
 * live_control: the thread that moves rounds of records from the rings to the spool, and answers signals.
 *
 * A round moves what is in all rings; it happens when a ring is a quarter full or ROUND_MS after the last one. A
 * program that opens many files wakes the lookers each time, but not this thread, the writer and the converter.
 */
#include "clock.h"
#include "live_private.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { ROUND_MS = 100, FULL_PART = 4 };

/* A terminal sends its signals to the command as well; one that kill(2) sent to us alone is passed on. */
static void forward(const struct live *live, const struct signalfd_siginfo *signal)
{
	bool by_kill = signal->ssi_code == SI_USER || signal->ssi_code == SI_TKILL ||
		       signal->ssi_code == SI_QUEUE;

	if (by_kill && live->command.pid && !live->command.is_ended)
		kill(live->command.pid, (int)signal->ssi_signo);
}

int live_read_signals(struct live *live)
{
	struct signalfd_siginfo signal;
	int stops = 0;

	while (read(live->signal_fd, &signal, sizeof(signal)) == (ssize_t)sizeof(signal)) {
		if (signal.ssi_signo == SIGCHLD)
			continue;
		forward(live, &signal);
		atomic_fetch_add(&live->interrupts, 1);
		stops++;
	}
	return stops;
}

static void *patient_room(struct live *live, uint64_t size)
{
	void *room;

	while (!(room = spool_room(live->spool, size))) {
		live_read_signals(live);
		if (spool_has_failed(live->spool) || atomic_load(&live->interrupts) > 1 ||
		    atomic_load(&live->is_stopping))
			return NULL;
	}
	return room;
}

static void put(struct live *live, const void *bytes, uint32_t size)
{
	void *room = patient_room(live, size);

	if (!room) {
		spool_drop(live->spool, size);
		return;
	}
	memcpy(room, bytes, size);
	spool_commit(live->spool, size);
	live->unmarked += size;
}

/* Moves [tail, head) into the spool, piece by piece, and gives each back to the kernel at once. */
static void move_ring(struct live *live, uint32_t cpu)
{
	struct perf_ring *ring = &live->set.ring[cpu];
	uint64_t head = live->head[cpu], at = perf_ring_tail(ring);

	while (at < head) {
		uint64_t next = perf_ring_cut(ring, at, head, spool_piece(live->spool));
		void *room = next > at ? patient_room(live, next - at) : NULL;

		if (!room) { /* what is no record cannot be stepped over: all up to head is given up */
			spool_drop(live->spool, head - at);
			break;
		}
		perf_ring_copy(ring, at, next, room);
		spool_commit(live->spool, next - at);
		perf_ring_release(ring, next);
		live->unmarked += next - at;
		at = next;
	}
	perf_ring_release(ring, head);
	looker_skip(&live->looker[cpu], head);
}

/* Facts are whole records; a piece of them is cut like one of a ring. */
void live_put_facts(struct live *live)
{
	const uint8_t *at = live->facts.bytes;
	uint32_t left = live->facts.size;

	while (left) {
		uint32_t size = 0;
		struct perf_event_header header;

		while (size < left) {
			memcpy(&header, at + size, sizeof(header));
			if (size + header.size > spool_piece(live->spool))
				break;
			size += header.size;
		}
		put(live, at, size);
		at += size;
		left -= size;
	}
	facts_clear(&live->facts);
}

void live_end_round(struct live *live)
{
	struct perf_event_header mark = {.type = CAPTURE_RECORD_FINISHED_ROUND,
					 .size = sizeof(mark)};

	if (!live->unmarked)
		return;
	put(live, &mark, sizeof(mark));
	live->unmarked = 0;
	spool_flush(live->spool);
}

static void round_trip(struct live *live)
{
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		live->head[cpu] = looker_take(&live->looker[cpu], &live->facts);
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		move_ring(live, cpu);
	lookup_search(&live->lookup);
	live_put_facts(live);
	live_end_round(live);
	live->rounded_at = clock_now();
}

static bool is_round_due(const struct live *live)
{
	if (clock_now() - live->rounded_at >= ROUND_MS * 1000000ULL)
		return true;
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];

		if (perf_ring_head(ring) - perf_ring_tail(ring) >= ring->size / FULL_PART)
			return true;
	}
	return false;
}

static int wait_ms(const struct live *live)
{
	uint64_t passed = (clock_now() - live->rounded_at) / 1000000;

	return passed >= ROUND_MS ? 0 : (int)(ROUND_MS - passed);
}

/* Sleeps until there is something to do. */
static void sleep_on(struct live *live, struct pollfd *fds)
{
	uint32_t count = 0;
	uint64_t ignored;

	fds[count++] = (struct pollfd){.fd = live->signal_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->wake_fd, .events = POLLIN};
	for (uint32_t i = 0; i < live->pids; i++)
		fds[count++] = (struct pollfd){.fd = live->pid_fd[i], .events = POLLIN};
	if (poll(fds, count, wait_ms(live)) > 0 && fds[1].revents &&
	    read(live->wake_fd, &ignored, sizeof(ignored)) < 0)
		return; /* somebody else read it: nobody does */
}

static bool has_process_ended(struct live *live, uint32_t index)
{
	struct pollfd poll_fd = {.fd = live->pid_fd[index], .events = POLLIN};

	if (live->pid_fd[index] >= 0)
		return poll(&poll_fd, 1, 0) > 0;
	return kill((pid_t)live->pid[index], 0) && errno == ESRCH;
}

static enum live_end ended_by(struct live *live)
{
	live_read_signals(live);
	if (live->command.pid && command_ended(&live->command, false))
		return LIVE_ENDED;
	if (atomic_load(&live->interrupts) || atomic_load(&live->is_stopping))
		return live->pids ? LIVE_DETACHED : LIVE_INTERRUPTED;
	if (spool_has_failed(live->spool))
		return LIVE_FAILED;
	for (uint32_t i = 0; i < live->pids; i++)
		if (!has_process_ended(live, i))
			return LIVE_RUNNING;
	return live->pids ? LIVE_ENDED : LIVE_RUNNING;
}

/* After a failure there is room for a few records only: those that say what happened. */
static void say_end(struct live *live, enum live_end end)
{
	struct perf_event_header mark = {.type = CAPTURE_RECORD_FINISHED_ROUND,
					 .size = sizeof(mark)};

	facts_clear(&live->facts);
	live_facts_end(live, end);
	if (!spool_has_failed(live->spool)) {
		live_put_facts(live);
		live_end_round(live);
		return;
	}
	spool_put_last(live->spool, live->facts.bytes, live->facts.size);
	spool_put_last(live->spool, &mark, sizeof(mark));
}

static void publish(struct live *live, enum live_end end)
{
	pthread_mutex_lock(&live->mutex);
	live->end = end;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->mutex);
}

/* Closing the events waits for the kernel, and nobody waits for us then: the file is complete before. */
static void finish(struct live *live, enum live_end end)
{
	perf_set_enable(&live->set, false, NULL);
	live_stop_lookers(live);
	round_trip(live);
	if (spool_has_failed(live->spool))
		end = LIVE_FAILED;
	say_end(live, end);
	publish(live, end);
	spool_finish(live->spool);
	perf_set_release(&live->set);
}

void *live_control(void *context)
{
	struct live *live = context;
	struct pollfd *fds = mem_array(live->pids + 2, sizeof(*fds));
	enum live_end end;

	live->rounded_at = clock_now();
	while ((end = ended_by(live)) == LIVE_RUNNING) {
		sleep_on(live, fds);
		if (is_round_due(live))
			round_trip(live);
	}
	free(fds);
	finish(live, end);
	return NULL;
}
