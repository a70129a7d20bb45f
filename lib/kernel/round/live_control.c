/*
 * live_control: the thread that moves rounds of records from the rings to the spool, until the recording ends.
 *
 * Opens of files wake only the look-up threads, not this thread, the writer or the converter.
 */
#include "live_control.h"

#include "clock.h"
#include "host/machine.h"
#include "live_cpus.h"
#include "live_facts.h"
#include "live_members.h"
#include "live_request.h"
#include "live_round.h"
#include "rights/priority.h"
#include "source/live_bpf.h"
#include "state/live_put.h"
#include "state/live_signal.h"
#include "state/live_tasks.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Number of descriptors that sleep_on() polls, beside the processes. */
enum { HELD_TRIES = 200, SLEEP_FDS = 7 };

static uint64_t next_sample(const struct live *live)
{
	uint64_t interval = live->recording->sample_interval;

	return interval ? live->sampled_at + interval : 0;
}

/* Samples are taken at fixed times: a late one does not delay the next. */
static void sample(struct live *live)
{
	uint64_t now = clock_now();

	if (!live_is_time(next_sample(live), now))
		return;
	if (live->pause.is_on) {
		live->sampled_at = now;
		return;
	}
	machine_sample(&live->proc, &live->facts);
	live->sampled_at = now - (now - live->sampled_at) % live->recording->sample_interval;
}

/* Returns how long the thread can sleep, in ms, rounded up so that it does not wake too early. */
static int wait_ms(const struct live *live)
{
	uint64_t due[] = {live_next_round(live),       next_sample(live), live->until,
			  live_members_deadline(live), live->pause.until, live->busy.next};
	uint64_t now = clock_now(), first = live_next_round(live);

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
	fds[count++] = (struct pollfd){.fd = live->sources.wake_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->hotplug_fd, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live_members_fd(live), .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live_requests_fd(live), .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = live->marks.receiver, .events = POLLIN};
	for (uint32_t i = 0; i < live->pid_fds; i++)
		fds[count++] = (struct pollfd){.fd = live->pid_fd[i], .events = POLLIN};
	if (poll(fds, count, wait_ms(live)) <= 0)
		return;
	if (fds[2].revents)
		ring_sources_take_wakes(&live->sources);
	if (fds[3].revents)
		live_follow_cpus(live);
	if (fds[4].revents)
		live_members_look(live);
	if (fds[5].revents)
		live_requests_look(live);
	if (fds[6].revents)
		live_marks_look(live);
	/* Another thread has read it. */
	if (fds[1].revents && read(live->wake_fd, &ignored, sizeof(ignored)) < 0)
		return;
}

static void look_for_calls(struct live *live)
{
	uint64_t age = atomic_exchange(&live->wanted_age, 0);

	if (!age)
		return;
	live_bpf_put_old_calls(live, age - 1);
	live_round(live);
}

static bool has_process_ended(struct live *live, uint32_t index)
{
	struct pollfd poll_fd = {.fd = live->pid_fd[index], .events = POLLIN};

	if (live->pid_fd[index] >= 0)
		return poll(&poll_fd, 1, 0) > 0;
	return kill((pid_t)live->recording->pids.item[index], 0) && errno == ESRCH;
}

/* A user who has asked for the end of the command does not wait for processes that it leaves behind. */
static bool is_left_behind(const struct live *live)
{
	return live->recording->waits_for_all && !live->requests && live_has_tasks(live);
}

/* Returns why the recording ends before the processes that it follows. */
static enum live_end ended_early(struct live *live, enum live_end otherwise)
{
	return live->pid_fds || live_command_runs(live) || live_members_run(live) ? LIVE_DETACHED
										  : otherwise;
}

static enum live_end ended_by(struct live *live)
{
	live_read_signals(live);
	if (live->command.pid && !live_command_runs(live) && !is_left_behind(live))
		return LIVE_ENDED;
	if (live_members_are_gone(live))
		return LIVE_ENDED;
	if (live_is_time(live->until, clock_now()))
		return ended_early(live, LIVE_ENDED);
	if (atomic_load(&live->is_limited))
		return LIVE_LIMITED;
	if (live->is_ending || atomic_load(&live->is_stopping))
		return ended_early(live, LIVE_INTERRUPTED);
	if (spool_error(live->spool))
		return LIVE_FAILED;
	for (uint32_t i = 0; i < live->pid_fds; i++)
		if (!has_process_ended(live, i))
			return LIVE_RUNNING;
	return live->pid_fds && !is_left_behind(live) ? LIVE_ENDED : LIVE_RUNNING;
}

/* After a failure, there is room only for a few records that say what happened. */
static void put_end(struct live *live, enum live_end end)
{
	struct perf_event_header mark = {.type = CAPTURE_RECORD_FINISHED_ROUND,
					 .size = sizeof(mark)};

	facts_clear(&live->facts);
	live_facts_end(live, end);
	if (!spool_error(live->spool)) {
		live_put_facts(live);
		live_end_round(live);
		return;
	}
	spool_put_last(live->spool, live->facts.bytes, live->facts.size);
	spool_put_last(live->spool, &mark, sizeof(mark));
}

/* Closing the events may take long, so the file is completed first. */
static void finish(struct live *live, enum live_end end)
{
	if (end == LIVE_ENDED) /* other commands could still join */
		live_members_look(live);
	live_requests_look(live);
	live_requests_close(live); /* the command may run on, but requests are no longer answered */
	live_marks_look(live);
	live_facts_off(live);
	ring_sources_stop(&live->sources);
	live_round(live);
	/* A BPF program that ran during the stop may still write its record. */
	for (int i = 0;
	     i < HELD_TRIES && !spool_error(live->spool) && !ring_sources_have_all(&live->sources);
	     i++) {
		poll(NULL, 0, 1);
		live_round(live);
	}
	ring_sources_put_rest(&live->sources);
	if (spool_error(live->spool))
		end = LIVE_FAILED;
	put_end(live, end);
	live_publish(live, end);
	spool_finish(live->spool);
	ring_sources_close(&live->sources);
}

void *live_control(void *context)
{
	struct live *live = context;
	struct pollfd *fds = mem_array(live->pid_fds + SLEEP_FDS, sizeof(*fds));
	enum live_end end;

	priority_raise();
	live_wait_for_begin(live);
	live->sampled_at = clock_now();
	while ((end = ended_by(live)) == LIVE_RUNNING) {
		sleep_on(live, fds);
		live_end_delay(live);
		sample(live);
		live_busy_look(live);
		look_for_calls(live);
		if (live_is_round_due(live) || lookup_has_detached(&live->base))
			live_round(live);
	}
	free(fds);
	finish(live, end);
	return NULL;
}
