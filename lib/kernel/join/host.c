/* host: see host.h. A guest may be killed at any time, so the process of its command decides. */
#include "host.h"

#include "clock.h"
#include "host_place.h"
#include "message/message.h"
#include "protocol.h"
#include "rendezvous.h"
#include "same.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a host waits for the first member, and after the last member has ended for others. In ns. */
static const uint64_t first_ns = 10000000000, next_ns = 1000000000;
/* How long it waits for the status of a command that has ended. In ns. */
static const uint64_t status_ns = 100000000;

enum { LISTENER = UINT32_MAX, STATUS_SIZE = 4096 };

struct member {
	int socket;       /* connection to the guest; -1: closed, or the guest needs nothing more */
	int process;      /* readable when the command has ended; -1: no command (any more) */
	pid_t guest, pid; /* pid: of the command, 0: it has not joined */
	bool is_waiting;  /* its command has ended, and the guest waits for the archive */
	bool has_ended;   /* the guest has sent the status of its command */
	struct join_place *place; /* place for its archive, until the caller takes it; or NULL */
};

struct join_host {
	char *name, *options;
	int listener, epoll;
	struct member *member;
	uint32_t members, capacity;
	uint32_t joined, running;
	unsigned expected;
	uint64_t idle_since;
	bool is_asked_to_stop, ends_at_once;
	struct join_request heard;
};

/* Encodes the socket or the process of a member for epoll's data word. */
static uint32_t key_of(uint32_t member, bool is_process)
{
	return member << 1 | is_process;
}

static int watch(const struct join_host *host, int fd, uint32_t key)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = key};

	return epoll_ctl(host->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

struct join_host *join_host_new(const char *name, int listener, const char *options,
				unsigned expected, struct error *err)
{
	struct join_host *host = mem_zero(sizeof(*host));

	*host = (struct join_host){.name = mem_strdup(name),
				   .options = mem_strdup(options),
				   .listener = listener,
				   .epoll = epoll_create1(EPOLL_CLOEXEC),
				   .expected = expected,
				   .idle_since = clock_now()};
	if (host->epoll >= 0 && !watch(host, listener, (uint32_t)LISTENER))
		return host;
	error_set(err, errno, "--join: epoll");
	join_host_free(host, 0, -1);
	return NULL;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void reply(struct member *member, int code, const char *text, const char *hint, int log)
{
	struct join_reply answer = {.code = code};

	if (member->socket < 0)
		return;
	snprintf(answer.text, sizeof(answer.text), "%s", text);
	snprintf(answer.hint, sizeof(answer.hint), "%s", hint ? hint : "");
	message_send(member->socket, &answer, sizeof(answer), log); /* the guest may have gone */
}

static void refuse(struct member *member, const struct error *why)
{
	reply(member, -why->code, why->text, error_next_hint(why, NULL), -1);
}

static struct member *add_member(struct join_host *host, int socket, pid_t guest)
{
	if (host->members == host->capacity) {
		host->capacity = host->capacity ? 2 * host->capacity : 16;
		host->member = mem_resize(host->member, host->capacity * sizeof(*host->member));
	}
	host->member[host->members] =
		(struct member){.socket = socket, .process = -1, .guest = guest};
	return &host->member[host->members++];
}

/* No other user except root can reach the socket. Returns whether more guests may be waiting. */
static bool accept_guest(struct join_host *host)
{
	int fd = accept4(host->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return false;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != getuid() ||
	    watch(host, fd, key_of(host->members, false))) {
		close(fd);
		return true;
	}
	add_member(host, fd, peer.pid);
	return true;
}

/* Returns the number after a word in a file of /proc, or 0. */
static long read_number(const char *path, const char *word)
{
	char text[STATUS_SIZE];
	const char *at;
	size_t length;
	FILE *file = fopen(path, "re");

	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	at = strstr(text, word);
	return at ? strtol(at + strlen(word), NULL, 10) : 0;
}

/* Returns the process of a descriptor if it is a child of the guest, otherwise 0. */
static pid_t child_of(int process, pid_t guest)
{
	char path[64];
	long pid;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", process);
	pid = read_number(path, "\nPid:");
	if (pid <= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/status", pid);
	return read_number(path, "\nPPid:") == guest ? (pid_t)pid : 0;
}

/* Returns the process to record, or 0 if it is refused. */
static pid_t take_command(struct join_host *host, struct member *member, int process)
{
	pid_t pid = child_of(process, member->guest);
	struct error why = {0};

	if (!pid) {
		error_say(&why, EPERM,
			  "--join: the recorder of this node takes only commands of iotrace");
		refuse(member, &why);
		return 0;
	}
	if (join_compare(host->options, host->heard.options, &why)) {
		refuse(member, &why);
		return 0;
	}
	return pid;
}

static void answer_waiting(struct join_host *host)
{
	for (uint32_t i = 0; i < host->members; i++)
		if (host->member[i].is_waiting) {
			reply(&host->member[i], 0, "", NULL, -1);
			host->member[i].is_waiting = false;
		}
}

static bool take_mark(struct join_request *request, struct join_arrival *arrival)
{
	request->argv[sizeof(request->argv) - 1] = '\0';
	*arrival = (struct join_arrival){.what = JOIN_SET_MARK,
					 .pid = request->status,
					 .words = request->argv};
	return true;
}

/* Returns whether the caller has something to handle. */
static bool receive_request(struct join_host *host, uint32_t index, struct join_arrival *arrival)
{
	struct member *member = &host->member[index];
	struct join_request *request = &host->heard;
	int process;
	int code = message_receive(member->socket, request, sizeof(*request), &process);

	if (code == -EAGAIN)
		return false;
	request->options[sizeof(request->options) - 1] = '\0';
	if (code) {
		close_fd(&member->socket);
	} else if (request->word == JOIN_ENDED) {
		member->is_waiting = member->has_ended = true;
		close_fd(&process);
		*arrival = (struct join_arrival){.what = JOIN_STATUS,
						 .pid = member->pid,
						 .status = request->status};
		return member->pid;
	} else if (request->word == JOIN_STOP) {
		host->is_asked_to_stop = true;
	} else if (request->word == JOIN_MARK && process < 0) {
		return take_mark(request, arrival);
	} else if (request->word == JOIN_PLACE && process >= 0 && member->process < 0) {
		join_place_add(&member->place, request, process);
		return false;
	} else if (request->word == JOIN_HERE && process >= 0 && member->process < 0) {
		*arrival = (struct join_arrival){
			.member = index,
			.pid = take_command(host, member, process),
			.words = request->argv,
			.size = request->size < sizeof(request->argv) ? request->size
								      : sizeof(request->argv),
			.is_cut = request->is_cut,
			.selection = &request->selection,
		};
		if (arrival->pid)
			arrival->place = join_place_take(&member->place);
		member->process = arrival->pid ? process : -1;
		member->pid = arrival->pid;
		if (!arrival->pid)
			close(process);
		return arrival->pid;
	}
	if (process >= 0)
		close(process);
	return false;
}

static void end_member(struct join_host *host, uint32_t index)
{
	close_fd(&host->member[index].process);
	host->running--;
	if (!host->running)
		host->idle_since = clock_now();
}

int join_host_fd(const struct join_host *host)
{
	return host->epoll;
}

bool join_host_next(struct join_host *host, struct join_arrival *arrival)
{
	struct epoll_event event;

	while (epoll_wait(host->epoll, &event, 1, 0) > 0) {
		uint32_t key = event.data.u32;

		/* No free descriptors; other guests may free some. */
		if (key == (uint32_t)LISTENER && !accept_guest(host))
			break;
		if (key == (uint32_t)LISTENER)
			continue;
		if (key & 1)
			end_member(host, key >> 1);
		else if (receive_request(host, key >> 1, arrival))
			return true;
	}
	if (host->running)
		answer_waiting(host);
	return false;
}

static void accept_member(struct join_host *host, uint32_t member, int code, const char *capture)
{
	struct member *arrived = &host->member[member];

	if (watch(host, arrived->process, key_of(member, true))) {
		code = -errno;
		close_fd(&arrived->process);
	} else {
		host->joined++;
		host->running++;
	}
	reply(arrived, code, capture, NULL, -1);
}

void join_host_accept(struct join_host *host, uint32_t member, const char *capture)
{
	accept_member(host, member, 0, capture);
}

void join_host_refuse(struct join_host *host, uint32_t member, const struct error *why)
{
	struct member *arrived = &host->member[member];

	close_fd(&arrived->process);
	refuse(arrived, why);
}

/* Whether a connected guest has not yet sent the status of its command. */
static bool has_silent_guest(const struct join_host *host)
{
	for (uint32_t i = 0; i < host->members; i++)
		if (host->member[i].pid && host->member[i].socket >= 0 &&
		    !host->member[i].has_ended)
			return true;
	return false;
}

/* Whether all guests have left: their commands were refused, or they were killed. */
static bool has_no_guest_left(const struct join_host *host)
{
	for (uint32_t i = 0; i < host->members; i++)
		if (host->member[i].socket >= 0)
			return false;
	return host->members;
}

static uint64_t idle_limit(const struct join_host *host)
{
	if (!host->joined)
		return has_no_guest_left(host) ? next_ns : first_ns;
	if (!host->expected || host->joined < host->expected)
		return next_ns;
	return has_silent_guest(host) ? status_ns : 0;
}

uint64_t join_host_deadline(const struct join_host *host)
{
	return host->running ? 0 : host->idle_since + idle_limit(host);
}

static bool has_waiting_guests(const struct join_host *host)
{
	struct pollfd pending = {.fd = host->epoll, .events = POLLIN};

	return poll(&pending, 1, 0) > 0;
}

bool join_host_is_over(struct join_host *host)
{
	struct join_rendezvous *rendezvous;
	bool is_over;

	if (host->listener < 0)
		return true;
	if (host->running || clock_now() < join_host_deadline(host))
		return false;
	rendezvous = rendezvous_try_lock(host->name, NULL);
	if (!rendezvous)
		return false;
	is_over = !has_waiting_guests(host);
	if (is_over) {
		rendezvous_remove(rendezvous);
		close_fd(&host->listener);
	}
	join_rendezvous_unlock(rendezvous);
	return is_over;
}

bool join_host_is_asked_to_stop(const struct join_host *host)
{
	return host->is_asked_to_stop;
}

void join_host_end_at_once(struct join_host *host)
{
	host->ends_at_once = true;
}

bool join_host_has_members(const struct join_host *host)
{
	return host->running;
}

/* Tells a guest that the host ends. Returns whether it was still connected. */
static bool end_guest(struct member *member, int code, int log)
{
	bool was_there = member->socket >= 0;

	reply(member, code, "", NULL, log);
	close_fd(&member->socket);
	return was_there;
}

/* The log goes to the first guest whose command was recorded. Other guests may still wait to join. */
static void end_recorded_guests(struct join_host *host, int status, int *log)
{
	for (uint32_t i = 0; i < host->members; i++)
		if (host->member[i].pid && end_guest(&host->member[i], status, *log))
			*log = -1;
}

/*
 * Guests that have not joined run their commands without being recorded. If no command was recorded at all, they get the status
 * of the host instead, and the first of them the log.
 */
static void end_all_guests(struct join_host *host, int status, int *log)
{
	end_recorded_guests(host, status, log);
	for (uint32_t i = 0; i < host->members; i++)
		if (end_guest(&host->member[i], host->joined ? JOIN_OVER : status,
			      host->joined ? -1 : *log))
			*log = host->joined ? *log : -1;
}

/*
 * A command that comes after the end of the recording does not get another recorder, because that could not have the same output.
 */
static void refuse_late_guests(struct join_host *host)
{
	struct join_arrival arrival;

	while (!join_host_is_over(host)) {
		struct pollfd pending = {.fd = host->epoll, .events = POLLIN};
		uint64_t deadline = join_host_deadline(host), now = clock_now();
		uint64_t ms = deadline > now ? (deadline - now) / 1000000 + 1 : 1;

		poll(&pending, 1, deadline ? (int)ms : -1);
		while (join_host_next(host, &arrival)) {
			if (arrival.what != JOIN_COMMAND)
				continue;
			if (arrival.place)
				place_forget(arrival.place); /* the guest removes it */
			accept_member(host, arrival.member, JOIN_OVER, "");
		}
	}
}

/* A guest that comes later finds no host, and starts a new one. */
static void leave(struct join_host *host)
{
	struct join_rendezvous *rendezvous;

	if (host->listener < 0)
		return;
	rendezvous = join_rendezvous_lock(host->name, NULL);
	for (struct pollfd pending = {.fd = host->listener, .events = POLLIN};
	     poll(&pending, 1, 0) > 0 && accept_guest(host);)
		;
	if (rendezvous)
		rendezvous_remove(rendezvous);
	close_fd(&host->listener);
	join_rendezvous_unlock(rendezvous);
}

void join_host_free(struct join_host *host, int status, int log)
{
	if (!host)
		return;
	if (host->joined && !host->ends_at_once) {
		end_recorded_guests(host, status, &log);
		refuse_late_guests(host);
	}
	leave(host);
	end_all_guests(host, status, &log);
	for (uint32_t i = 0; i < host->members; i++) {
		close_fd(&host->member[i].process);
		join_place_release(&host->member[i].place);
	}
	close_fd(&host->listener);
	close_fd(&host->epoll);
	free(host->member);
	free(host->options);
	free(host->name);
	free(host);
}
