/* spool_follow: the reader of the file waits for what the writer adds. */
#include "spool_private.h"

#include "clock.h"

#include <errno.h>
#include <time.h>

enum { NS_PER_S = 1000000000, WAIT_MOST = NS_PER_S };

/* sem_timedwait() uses the time of day, which may be changed meanwhile, so each single wait is short. */
static struct timespec soon(uint64_t until)
{
	uint64_t now = clock_now(), wait = until > now ? until - now : 0;
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	wait = (wait < WAIT_MOST ? wait : WAIT_MOST) + (uint64_t)at.tv_nsec;
	at.tv_sec += (time_t)(wait / NS_PER_S);
	at.tv_nsec = (long)(wait % NS_PER_S);
	return at;
}

static void await_news(struct spool *spool, uint64_t until)
{
	struct timespec at;

	if (!until) {
		while (sem_wait(&spool->news) && errno == EINTR)
			;
		return;
	}
	at = soon(until);
	while (sem_timedwait(&spool->news, &at) && errno == EINTR)
		;
}

/* Needs the mutex. until: 0: no limit. Returns whether there are more bytes, or the end. */
static bool wait_for_more(struct spool *spool, uint64_t have, uint64_t until)
{
	while (spool->written <= have && !spool->has_ended) {
		if (until && clock_now() >= until)
			return false;
		spool->is_awaited = true;
		pthread_mutex_unlock(&spool->mutex);
		await_news(spool, until);
		pthread_mutex_lock(&spool->mutex);
	}
	return true;
}

bool spool_await(struct spool *spool, uint64_t have, uint64_t until)
{
	bool has_more;

	pthread_mutex_lock(&spool->mutex);
	has_more = wait_for_more(spool, have, until);
	pthread_mutex_unlock(&spool->mutex);
	return has_more;
}

uint64_t spool_available(struct spool *spool, uint64_t have)
{
	uint64_t written;
	struct trim_mark mark;

	pthread_mutex_lock(&spool->mutex);
	if (spool->trim && !spool->is_kept && trim_is_due(spool->trim, have, &mark)) {
		pthread_mutex_unlock(&spool->mutex);
		trim_cut(spool->trim, &mark);
		pthread_mutex_lock(&spool->mutex);
	}
	wait_for_more(spool, have, 0);
	written = spool->written > have ? spool->written : have;
	pthread_mutex_unlock(&spool->mutex);
	return written;
}

uint64_t spool_round(struct spool *spool)
{
	uint64_t round;

	pthread_mutex_lock(&spool->mutex);
	round = spool->round_written;
	pthread_mutex_unlock(&spool->mutex);
	return round;
}
