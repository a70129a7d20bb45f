#include "live_guest.h"

#include "join/guest.h"
#include "live_setup.h"
#include "round/live_command.h"
#include "state/live_signal.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

void live_guest_init(struct live_guest *guest)
{
	*guest = (struct live_guest){.socket = -1, .log = -1};
}

void live_guest_release(struct live_guest *guest)
{
	if (guest->socket >= 0)
		close(guest->socket);
	if (guest->log >= 0)
		close(guest->log);
	free(guest->capture);
	live_guest_init(guest);
}

/* Sends marks to the host, which puts them into the stream. */
static void send_marks(const struct live *live)
{
	char text[MARK_TEXT_MOST + 1];
	pid_t pid;

	while (marks_next(&live->marks, text, &pid))
		if (live->guest.socket >= 0)
			guest_send_mark(live->guest.socket, pid, text);
}

/* Sleeps until a message of the host or a signal arrives. Returns whether it was a message. A negative socket never has one. */
static bool wait_for_reply(struct live *live)
{
	struct pollfd fds[] = {{.fd = live->guest.socket, .events = POLLIN},
			       {.fd = live->signal_fd, .events = POLLIN},
			       {.fd = live->marks.receiver, .events = POLLIN}};

	poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
	live_read_signals(live);
	if (live->is_asked_to_stop && live->guest.socket >= 0)
		guest_send_stop(live->guest.socket);
	live->is_asked_to_stop = false;
	send_marks(live);
	return live->guest.socket >= 0 && fds[0].revents;
}

static const char could_not_start[] =
	"--join: the recorder of this node could not start; the iotrace that began it says why";

static int take_answer(struct live *live, struct error *err)
{
	struct join_reply reply;
	int log, code = guest_receive(live->guest.socket, &reply, &log);

	if (log >= 0) { /* the host could not start; the log says why */
		*live->options->host_log = log;
		return error_say(err, ECANCELED, "%s", could_not_start);
	}
	if (code)
		return error_say(
			err, -code,
			"--join: the recorder of this node has ended before it recorded the command");
	if (reply.code == JOIN_OVER && !*reply.text) {
		log_warn(
			"the recording of this node has ended already: the command is not recorded");
		live->guest.is_over = true;
		close(live->guest.socket);
		live->guest.socket = -1;
		return 0;
	}
	if (reply.code) {
		error_say(err, reply.code < 0 ? -reply.code : ECANCELED, "%s",
			  *reply.text ? reply.text : could_not_start);
		if (*reply.hint)
			error_hint(err, "%s", reply.hint);
		return reply.code < 0 ? reply.code : -ECANCELED;
	}
	live->guest.capture = mem_strdup(reply.text);
	return 0;
}

int live_guest_join(struct live *live, int socket, const char *options, struct error *err)
{
	struct live_words words = live_words_of(live->recording->argv);
	int code;

	live->guest.socket = socket;
	live->guest.is_one = true;
	code = guest_send_command(socket,
				  &(struct guest_command){.pid = live->command.pid,
							  .words = words.text,
							  .size = words.size,
							  .is_cut = words.is_cut,
							  .options = options,
							  .selection = &live->recording->selection,
							  .place = live->options->own_place},
				  err);
	free(words.text);
	while (!code && !wait_for_reply(live))
		if (!live_command_runs(live))
			return live_explain_gone(live, err);
	return code ? code : take_answer(live, err);
}

/* Returns whether a reply came. Otherwise the host has ended without one. */
static bool receive_reply(struct live *live)
{
	struct live_guest *guest = &live->guest;
	struct join_reply reply;
	int code = guest_receive(guest->socket, &reply, &guest->log);

	close(guest->socket);
	guest->socket = -1;
	guest->has_reply = !code;
	guest->status = reply.code;
	return guest->has_reply;
}

bool live_is_recorded(const struct live *live)
{
	return !live->guest.is_over;
}

static void say_remedy(const struct live_guest *guest)
{
	log_warn("To convert what was recorded: iotrace convert %s", guest->capture);
}

/* A host that was asked to stop may finish before the command ends. */
void live_guest_wait(struct live *live)
{
	while (live_command_runs(live))
		if (wait_for_reply(live) && !receive_reply(live)) {
			log_warn("the recorder of this node has ended: from here on the command is "
				 "not recorded");
			say_remedy(&live->guest);
		}
}

int live_leave_host(struct live *live, int *log)
{
	struct live_guest *guest = &live->guest;
	bool was_there = guest->socket >= 0;

	send_marks(live);
	if (was_there && live->command.is_ended)
		guest_send_end(guest->socket,
			       /* If the host has ended, its reply may already be there. */
			       live->command.status);
	while (guest->socket >= 0 && !live_interrupts(live))
		if (wait_for_reply(live) && !receive_reply(live)) {
			log_error("the recorder of this node has ended before the archive was "
				  "complete");
			say_remedy(guest);
		}
	*log = guest->log;
	guest->log = -1;
	if (was_there && guest->socket < 0 && !guest->has_reply)
		return -1;
	return guest->has_reply ? guest->status : 0;
}
