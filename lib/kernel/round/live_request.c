#include "live_request.h"

#include "clock.h"
#include "state/live_state.h"

#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --duration counts only time that is recorded. */
static void set_paused(struct live *live, bool is_paused)
{
	struct live_pause *pause = &live->pause;
	uint64_t now = clock_now();
	struct fact fact = {.kind = FACT_PAUSE, .number = {[FACT_PAUSE_is_paused] = is_paused}};

	if (pause->is_on == is_paused)
		return;
	facts_add(&live->facts, &fact, 0, now);
	pause->is_on = is_paused;
	pause->until = 0;
	if (is_paused)
		pause->since = now;
	else
		pause->sum += now - pause->since;
	if (!is_paused && !live->until && live->recording->duration)
		live->until = now + live->recording->duration;
}

void live_requests_open(struct live *live)
{
	struct error why = {0};
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (control_server_open(&live->control_server,
				live->recording->name ? live->recording->name : pid, &why))
		log_info("this recording cannot be controlled: %s", why.text);
	live->pause.begun = clock_now();
	if (live->recording->delay || live->recording->is_stopped)
		set_paused(live, true);
}

void live_requests_begin(struct live *live)
{
	const struct recording *recording = live->recording;
	uint64_t now = clock_now();

	live->pause.begun = now;
	if (recording->delay)
		live->pause.until = now + recording->delay;
	if (recording->duration && !live->pause.is_on)
		live->until = now + recording->duration;
}

void live_end_delay(struct live *live)
{
	if (live->pause.until && live->pause.until <= clock_now())
		set_paused(live, false);
}

int live_requests_fd(const struct live *live)
{
	return live->control_server.socket;
}

/* Writes the command as a user would type it, as far as there is room. */
static void write_command(const struct recording *recording, char *text, size_t size)
{
	size_t used = 0;

	for (char *const *word = recording->argv; word && *word && used < size; word++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", *word);
	for (uint32_t i = 0; i < recording->pids.count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%llu", i ? "," : "-p ",
					 (unsigned long long)recording->pids.item[i]);
	if (recording->is_system && used < size)
		used += (size_t)snprintf(text + used, size - used, "%s-a", used ? " " : "");
	if (!used)
		snprintf(text, size, "commands that join");
}

static void answer(struct live *live, int socket)
{
	const struct live_pause *pause = &live->pause;
	struct control_status *status = mem_zero(sizeof(*status));
	uint64_t now = clock_now();

	status->pid = (int32_t)getpid();
	status->is_paused = pause->is_on;
	status->takes_snapshots = live->takes_snapshots;
	status->running_ns = now - pause->begun;
	status->paused_ns = pause->sum + (pause->is_on ? now - pause->since : 0);
	write_command(live->recording, status->command, sizeof(status->command));
	control_server_answer(socket, status);
	free(status);
}

void live_set_mark(struct live *live, int32_t pid, const char *text)
{
	struct fact mark = {.kind = FACT_MARK,
			    .number = {[FACT_MARK_pid] = (uint64_t)pid},
			    .string = {[FACT_MARK_text] = {text, (uint32_t)strlen(text)}}};

	facts_add(&live->facts, &mark, 0, clock_now());
}

void live_requests_look(struct live *live)
{
	struct control_request *request = mem_alloc(sizeof(*request));
	int socket;

	while (control_server_next(&live->control_server, request, &socket)) {
		if (request->word == CONTROL_START)
			set_paused(live, false);
		else if (request->word == CONTROL_PAUSE)
			set_paused(live, true);
		else if (request->word == CONTROL_SNAPSHOT && live->takes_snapshots)
			atomic_store(&live->asked[LIVE_ASK_COMMAND], clock_now());
		else if (request->word == CONTROL_MARK)
			live_set_mark(live, request->pid, request->text);
		answer(live, socket);
	}
	free(request);
}

void live_marks_look(struct live *live)
{
	char text[MARK_TEXT_MOST + 1];
	pid_t pid;

	while (marks_next(&live->marks, text, &pid))
		live_set_mark(live, pid, text);
}

void live_requests_close(struct live *live)
{
	control_server_close(&live->control_server);
}
