/* live_state: how the threads of a recording synchronise its begin and its end; remarks for the caller. */
#include "live_state.h"

#include <stdlib.h>

void live_add_remark(struct live *live, char *text)
{
	if (live->remarks < LIVE_REMARKS)
		live->remark[live->remarks++] = text;
	else
		free(text);
}

const char *live_remark(const struct live *live, uint32_t index)
{
	return index < live->remarks ? live->remark[index] : NULL;
}

enum live_end live_ended(const struct live *live)
{
	/* The mutex may be locked although `live` is const. */
	struct live *shared = (struct live *)(uintptr_t)live;
	enum live_end end;

	pthread_mutex_lock(&shared->mutex);
	end = shared->end;
	pthread_mutex_unlock(&shared->mutex);
	return end;
}

void live_wait_for_end(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	while (live->end == LIVE_RUNNING)
		pthread_cond_wait(&live->changed, &live->mutex);
	pthread_mutex_unlock(&live->mutex);
}

void live_publish(struct live *live, enum live_end end)
{
	pthread_mutex_lock(&live->mutex);
	live->end = end;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->mutex);
}

void live_let_go(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	live->is_begun = true;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->mutex);
}

void live_wait_for_begin(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	while (!live->is_begun)
		pthread_cond_wait(&live->changed, &live->mutex);
	pthread_mutex_unlock(&live->mutex);
}
