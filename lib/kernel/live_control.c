/*
 * live_control: the thread that moves rounds of records from the rings to the spool.
 *
 * A round moves what is in all rings; it happens when a ring is a quarter full or LIVE_ROUND_MS after the last one, later
 * if that one found next to nothing. A program that opens many files wakes the lookers each time, but not this
 * thread, the writer and the converter.
 */
#include "clock.h"
#include "hotplug.h"
#include "live_private.h"
#include "live_signal.h"
#include "machine.h"
#include "priority.h"

#include <errno.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUND_IDLE_MS = 800, FULL_PART = 4, IDLE_BYTES = 4096, HELD_TRIES = 200 };

void *live_room(struct live *live, uint64_t size)
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

void live_put(struct live *live, const void *bytes, uint32_t size)
{
	void *room = live_room(live, size);

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
		void *room = next > at ? live_room(live, next - at) : NULL;

		if (!room) { /* what is no record cannot be stepped over: all up to head is given up */
			spool_drop(live->spool, head - at);
			break;
		}
		perf_ring_copy(ring, at, next, room);
		live_reopen_rename(live, room, next - at);
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
		live_put(live, at, size);
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
	live_put(live, &mark, sizeof(mark));
	live->unmarked = 0;
	spool_flush(live->spool);
}

/* Sets when the next round is due by what this one has moved. */
static void pace(struct live *live, uint64_t moved)
{
	live->rounded_at = clock_now();
	/* Whose a process is after an exec, and whether it lost its events, is found out by looking. */
	if (moved > IDLE_BYTES || live->base.uids || live->base.may_reopen)
		live->round_ms = LIVE_ROUND_MS;
	else if (live->round_ms < ROUND_IDLE_MS)
		live->round_ms *= 2;
}

/* Returns the index of the CPU in the set, or set.cpus. */
static uint32_t index_of_cpu(const struct live *live, uint32_t number)
{
	uint32_t cpu = 0;

	while (cpu < live->set.cpus && live->set.cpu[cpu] != number)
		cpu++;
	return cpu;
}

/*
 * The events of a task stay with it, wait for a CPU that is offline, and count again on one that comes back; a BPF program
 * runs on all CPUs. Events that are a CPU's own are gone with it: they are opened again, and what was there before is missing.
 */
static void cpu_came(void *context, uint32_t number)
{
	struct live *live = context;
	uint32_t cpu = index_of_cpu(live, number);
	bool has_tasks = perf_set_follows(&live->set, number) && live->set.target == TARGET_THREAD;
	bool has_blocks = live->block == BLOCK_NONE || live->block_source.programs;

	if (has_tasks && has_blocks && live_bpf_follows(live, number))
		return;
	if (cpu < live->set.cpus && live_reopen_cpu(live, cpu))
		log_debug("CPU %u is recorded from here on", number);
	lookup_doubt(&live->base);
	live->rounded_at =
		0; /* a round is due: what is open now is looked up before it is used there */
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_GAP,
				 .number = {GAP_CPUS, 1,
					    live->bpf.source && live_bpf_follows(live, number)}},
		  0, clock_now());
}

static void follow_cpus(struct live *live)
{
	if (live->hotplug_fd >= 0 && hotplug_take(live->hotplug_fd, cpu_came, live))
		cpu_came(live, UINT32_MAX);
}

void live_round(struct live *live)
{
	uint64_t moved = 0;

	follow_cpus(live);
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		live->head[cpu] = looker_take(&live->looker[cpu], &live->facts);
	live_bpf_take(live);
	/* First the few records of tasks: if the disk is full, calls without their process are worth nothing. */
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		moved += live->head[cpu] - perf_ring_tail(&live->set.ring[cpu]);
		move_ring(live, cpu);
	}
	moved += live_bpf_move(live);
	lookup_search(&live->lookup);
	live_reopen_processes(live);
	live_put_facts(live);
	if (live_bpf_may_end(live))
		live_end_round(live);
	else
		spool_flush(live->spool);
	pace(live, moved);
}

static bool is_time(uint64_t at, uint64_t now)
{
	return at && now >= at;
}

static uint64_t next_round(const struct live *live)
{
	return live->rounded_at + live->round_ms * 1000000ULL;
}

static uint64_t next_sample(const struct live *live)
{
	return live->interval ? live->sampled_at + live->interval : 0;
}

bool live_is_round_due(const struct live *live)
{
	if (is_time(next_round(live), clock_now()))
		return true;
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];

		if (perf_ring_head(ring) - perf_ring_tail(ring) >= ring->size / FULL_PART)
			return true;
	}
	return live_bpf_is_due(live);
}

/* Samples stay on their grid: one that came late does not delay the next. */
static void sample(struct live *live)
{
	uint64_t now = clock_now();

	if (!is_time(next_sample(live), now))
		return;
	machine_sample(&live->proc, &live->facts);
	live->sampled_at = now - (now - live->sampled_at) % live->interval;
}

/* Returns how long nothing is to be done, in ms, rounded up: a sleep that ends too early would only be another one. */
static int wait_ms(const struct live *live)
{
	uint64_t due[] = {next_round(live), next_sample(live), live->until};
	uint64_t now = clock_now(), first = next_round(live);

	for (size_t i = 0; i < sizeof(due) / sizeof(due[0]); i++)
		if (due[i] && due[i] < first)
			first = due[i];
	return first <= now ? 0 : (int)((first - now + 999999) / 1000000);
}

/* Sleeps until there is something to do. */
static void sleep_on(struct live *live, struct pollfd *fds)
{
	uint32_t count = 0;
	uint64_t ignored;

	fds[count++] = (struct pollfd){.fd = live->signal_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->wake_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->bpf.wake_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->hotplug_fd, .events = POLLIN};
	for (uint32_t i = 0; i < live->pids; i++)
		fds[count++] = (struct pollfd){.fd = live->pid_fd[i], .events = POLLIN};
	if (poll(fds, count, wait_ms(live)) <= 0)
		return;
	if (fds[2].revents)
		live_bpf_clear(live);
	if (fds[3].revents)
		follow_cpus(live);
	if (fds[1].revents && read(live->wake_fd, &ignored, sizeof(ignored)) < 0)
		return; /* somebody else read it: nobody does */
}

static bool has_process_ended(struct live *live, uint32_t index)
{
	struct pollfd poll_fd = {.fd = live->pid_fd[index], .events = POLLIN};

	if (live->pid_fd[index] >= 0)
		return poll(&poll_fd, 1, 0) > 0;
	return kill((pid_t)live->pid[index], 0) && errno == ESRCH;
}

/* Who asked the command to end does not wait for what it leaves behind. */
static bool is_left_behind(const struct live *live)
{
	return live->waits_for_all && !live->requests &&
	       (perf_set_has_tasks(&live->set) || live_bpf_has_detached(live));
}

/* How a recording ends that something else than the end of what it follows brings to its end. */
static enum live_end ended_early(struct live *live, enum live_end otherwise)
{
	return live->pids || live_command_runs(live) ? LIVE_DETACHED : otherwise;
}

static enum live_end ended_by(struct live *live)
{
	live_read_signals(live);
	if (live->command.pid && !live_command_runs(live) && !is_left_behind(live))
		return LIVE_ENDED;
	if (is_time(live->until, clock_now()))
		return ended_early(live, LIVE_ENDED);
	if (live->is_ending || atomic_load(&live->is_stopping))
		return ended_early(live, LIVE_INTERRUPTED);
	if (spool_has_failed(live->spool))
		return LIVE_FAILED;
	for (uint32_t i = 0; i < live->pids; i++)
		if (!has_process_ended(live, i))
			return LIVE_RUNNING;
	return live->pids && !is_left_behind(live) ? LIVE_ENDED : LIVE_RUNNING;
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
	live_facts_off(live);
	live_block_stop(live);
	live_bpf_stop(live);
	perf_set_enable(&live->set, false, NULL);
	live_stop_lookers(live);
	live_block_say_groups(live);
	live_round(live);
	/* A program that was running when it was detached may still be at its record. */
	for (int i = 0; i < HELD_TRIES && !spool_has_failed(live->spool) &&
			(live->bpf.is_held || !live_bpf_has_all(live));
	     i++) {
		poll(NULL, 0, 1);
		live_round(live);
	}
	live_bpf_add_in_flight(live);
	if (spool_has_failed(live->spool))
		end = LIVE_FAILED;
	say_end(live, end);
	publish(live, end);
	spool_finish(live->spool);
	live_block_close(live);
	live_bpf_close(live);
	perf_set_release(&live->set);
}

static void wait_for_begin(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	while (!live->is_begun)
		pthread_cond_wait(&live->changed, &live->mutex);
	pthread_mutex_unlock(&live->mutex);
}

void *live_control(void *context)
{
	struct live *live = context;
	struct pollfd *fds = mem_array(live->pids + 4, sizeof(*fds));
	enum live_end end;

	priority_raise();
	wait_for_begin(live);
	live->sampled_at = clock_now();
	while ((end = ended_by(live)) == LIVE_RUNNING) {
		sleep_on(live, fds);
		sample(live);
		if (live_is_round_due(live) || lookup_has_detached(&live->base))
			live_round(live);
	}
	free(fds);
	finish(live, end);
	return NULL;
}
