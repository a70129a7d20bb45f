/*
 * live_members: a command that joins is recorded like a process of -p. But it waits for its release, so none of its events is
 * missing.
 */
#include "live_members.h"

#include "join/host.h"
#include "live_command.h"
#include "live_request.h"
#include "live_round.h"
#include "live_selection.h"
#include "load/bpf_source.h"
#include "source/live_reopen.h"
#include "state/live_state.h"
#include "state/live_tasks.h"

#include <iotrace/confine.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_BPF_NUMBER = 39 }; /* constant that older headers lack */

int live_members_fd(const struct live *live)
{
	return live->host ? join_host_fd(live->host) : -1;
}

static void add_command_fact(struct live *live, const struct join_arrival *arrival,
			     uint32_t selection)
{
	struct live_words words = {mem_alloc(arrival->size), arrival->size, arrival->is_cut};
	char cwd[4096];

	memcpy(words.text, arrival->words, words.size);
	procfs_link(&live->proc, cwd, sizeof(cwd), "%d/cwd", (int)arrival->pid);
	live_add_command_fact(live, &(struct live_command_info){
					    .pid = arrival->pid,
					    .selection = selection,
					    .words = &words,
					    .cwd = cwd,
					    .archive = arrival->place ? place_target(arrival->place)
								      : NULL,
				    });
	free(words.text);
}

static int add(struct live *live, const struct join_arrival *arrival, struct error *err)
{
	pid_t pid = arrival->pid;
	uint32_t selection;
	int code = live_select(live, arrival->selection, &selection, err);

	if (!code)
		code = live_reopen_join(live, (uint32_t)pid, err);
	live_select_all(live);
	/* Linux before 5.19 demands this right for all of bpf(2), unless unprivileged BPF is allowed. */
	confine_take(CAP_BPF_NUMBER);
	if (!code && live->bpf.source)
		code = bpf_source_add_child(live->bpf.source, pid, err);
	if (code)
		return code;
	add_command_fact(live, arrival, selection);
	live_add_task_facts(live, (uint32_t)pid);
	/* The command waits for its exec. Until then, its descriptors are those of the guest. */
	lookup_process(&live->lookup, (uint32_t)pid, LOOKUP_START, false);
	live_round(live);
	return 0;
}

/* The place must be available before the stream names the command. */
static void offer(struct live *live, const struct join_arrival *arrival)
{
	struct live_places *places = &live->places;

	if (!arrival->place)
		return;
	pthread_mutex_lock(&live->mutex);
	MEM_GROW(places->place, places->capacity, places->count + 1);
	places->place[places->count++] = (struct live_place){(uint32_t)arrival->pid,
							     arrival->place};
	pthread_mutex_unlock(&live->mutex);
}

struct place *live_take_place(struct live *live, uint32_t pid)
{
	struct live_places *places = &live->places;
	struct place *place = NULL;

	pthread_mutex_lock(&live->mutex);
	for (uint32_t i = 0; i < places->count && !place; i++)
		if (places->place[i].pid == pid) {
			place = places->place[i].place;
			places->place[i] = places->place[--places->count];
		}
	pthread_mutex_unlock(&live->mutex);
	return place;
}

void live_members_release(struct live *live)
{
	for (uint32_t i = 0; i < live->places.count; i++)
		place_close(live->places.place[i].place);
	free(live->places.place);
	live_selections_release(live);
}

static void take_member(struct live *live, const struct join_arrival *arrival)
{
	struct error why = {0};
	int code;

	offer(live, arrival);
	code = add(live, arrival, &why);
	if (!code && !live->has_joined) /* --delay and --duration count from here */
		live_requests_begin(live);
	live->has_joined |= !code;
	/* The guest removes what it has created. */
	if (code && arrival->place)
		place_forget(live_take_place(live, (uint32_t)arrival->pid));

	log_debug("process %d joins: %s", (int)arrival->pid, code ? why.text : "recorded");
	if (code)
		join_host_refuse(live->host, arrival->member, &why);
	else
		join_host_accept(live->host, arrival->member, live->capture);
}

void live_members_look(struct live *live)
{
	struct join_arrival arrival;

	while (live->host && join_host_next(live->host, &arrival)) {
		if (arrival.what == JOIN_COMMAND)
			take_member(live, &arrival);
		else if (arrival.what == JOIN_SET_MARK)
			live_set_mark(live, arrival.pid, arrival.words);
		else
			live_add_status_fact(live, arrival.pid, arrival.status);
	}
	if (live->host && join_host_is_asked_to_stop(live->host))
		live->is_ending = true;
}

bool live_members_are_gone(const struct live *live)
{
	return live->host && join_host_is_over(live->host);
}

uint64_t live_members_deadline(const struct live *live)
{
	return live->host ? join_host_deadline(live->host) : 0;
}

bool live_members_run(const struct live *live)
{
	return live->host && join_host_has_members(live->host);
}
