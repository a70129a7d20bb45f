/* feed: see <iotrace/feed.h>. */
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/feed.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT, MESSAGES, PIPES, SIGNAL_STATUS = 128, READ_SIZE = 65536, LINE_MOST = 64 << 20 };
enum { NS_PER_MS = 1000000 };

/* What was read of a pipe: lines that were returned, then others. */
struct pipe_text {
	int fd; /* -1: closed */
	char *text;
	uint32_t length, capacity;
	uint32_t returned;
};

struct feed {
	pid_t pid;
	bool is_stopped;  /* by feed_stop() */
	uint64_t stopped; /* when */
	bool has_no_keys, has_no_signals;
	const struct feed *followed; /* or NULL */
	int other[FEED_OTHERS];      /* of feed_watch() */
	int others;
	bool has_ended; /* FEED_END was returned; it is returned once */
	int signals;
	sigset_t mask; /* of the caller */
	struct pipe_text pipe[PIPES];
};

static void close_pipes(struct feed *feed)
{
	for (int i = 0; i < PIPES; i++) {
		if (feed->pipe[i].fd >= 0)
			close(feed->pipe[i].fd);
		feed->pipe[i].fd = -1;
	}
}

/* Signals for which a display has handlers. */
static void reset_signals(const struct feed *feed)
{
	static const int number[] = {SIGINT, SIGTERM, SIGTSTP, SIGTTOU, SIGWINCH};

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		signal(number[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &feed->mask, NULL);
}

static void __attribute__((noreturn))
child_main(struct feed *feed, const int end[PIPES], pid_t parent, int (*run)(void *context),
	   void *context)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	reset_signals(feed);
	close_pipes(feed);
	close(feed->signals);
	dup2(null, STDIN_FILENO);
	dup2(end[OUTPUT], STDOUT_FILENO);
	dup2(end[MESSAGES], STDERR_FILENO);
	_exit(run(context));
}

static void block_signals(struct feed *feed)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &feed->mask);
	feed->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Makes the pipes. end: what the child writes to. */
static int open_pipes(struct feed *feed, int end[PIPES])
{
	int ends[2];

	end[OUTPUT] = end[MESSAGES] = -1;
	for (int i = 0; i < PIPES; i++) {
		if (pipe2(ends, O_CLOEXEC))
			return -errno;
		feed->pipe[i].fd = ends[0];
		end[i] = ends[1];
	}
	return 0;
}

static void feed_free(struct feed *feed)
{
	close_pipes(feed);
	for (int i = 0; i < PIPES; i++)
		free(feed->pipe[i].text);
	if (feed->signals >= 0)
		close(feed->signals);
	sigprocmask(SIG_SETMASK, &feed->mask, NULL);
	free(feed);
}

struct feed *feed_new(int (*run)(void *context), void *context, struct error *err)
{
	struct feed *feed = mem_zero(sizeof(*feed));
	pid_t parent = getpid();
	int end[PIPES], code;

	for (int i = 0; i < PIPES; i++)
		feed->pipe[i].fd = -1;
	block_signals(feed);
	code = open_pipes(feed, end);
	if (!code) {
		feed->pid = fork();
		if (!feed->pid)
			child_main(feed, end, parent, run, context);
		code = feed->pid < 0 ? -errno : 0;
	}
	for (int i = 0; i < PIPES; i++)
		if (end[i] >= 0)
			close(end[i]);
	if (!code)
		return feed;
	error_set(err, -code, "process that counts for the display");
	feed_free(feed);
	return NULL;
}

void feed_ignore_keys(struct feed *feed)
{
	feed->has_no_keys = true;
}

void feed_ignore_signals(struct feed *feed)
{
	feed->has_no_signals = true;
}

void feed_follow(struct feed *feed, const struct feed *other)
{
	feed->followed = other;
}

int feed_pid(const struct feed *feed)
{
	return (int)feed->pid;
}

void feed_watch(struct feed *feed, int fd)
{
	if (feed->others < FEED_OTHERS)
		feed->other[feed->others++] = fd;
}

/* Returns the next line that has been read, or NULL. At the end, what follows the last "\n" is a line, too. */
static const char *next_line(struct pipe_text *from)
{
	uint32_t left = from->length - from->returned;
	char *line, *end;

	if (!left)
		return NULL;
	line = from->text + from->returned;
	end = memchr(line, '\n', left);
	if (!end && from->fd >= 0)
		return NULL;
	if (!end)
		end = line + left; /* there is space for a NUL: see read_more() */
	*end = '\0';
	from->returned += (uint32_t)(end - line) + 1;
	if (from->returned > from->length)
		from->returned = from->length;
	return line;
}

static void read_more(struct pipe_text *from)
{
	ssize_t size;

	from->length -= from->returned;
	if (from->returned)
		memmove(from->text, from->text + from->returned, from->length);
	from->returned = 0;
	MEM_GROW(from->text, from->capacity, from->length + READ_SIZE + 1);
	size = from->length < LINE_MOST ? read(from->fd, from->text + from->length, READ_SIZE) : 0;
	if (size > 0) {
		from->length += (uint32_t)size;
		return;
	}
	if (size < 0 && errno == EINTR)
		return;
	close(from->fd);
	from->fd = -1;
}

static enum feed_event line_that_is_there(struct feed *feed, const char **line)
{
	static const enum feed_event event[PIPES] = {FEED_LINE, FEED_MESSAGE};

	for (int i = 0; i < PIPES; i++) {
		*line = next_line(&feed->pipe[i]);
		if (*line)
			return event[i];
	}
	if (feed->has_ended || feed->pipe[OUTPUT].fd >= 0 || feed->pipe[MESSAGES].fd >= 0)
		return FEED_TIMEOUT;
	feed->has_ended = true;
	return FEED_END;
}

static bool has_signal(const struct feed *feed)
{
	struct signalfd_siginfo info;

	return read(feed->signals, &info, sizeof(info)) == sizeof(info);
}

/* Waits for something to read, or for a signal. FEED_LINE: pipes were read. */
static enum feed_event wait_once(struct feed *feed, int wait_ms)
{
	struct pollfd ready[PIPES + 2 + FEED_OTHERS + PIPES] = {[PIPES] = {.fd = STDIN_FILENO,
									   .events = POLLIN},
								[PIPES + 1] = {.fd = feed->signals,
									       .events = POLLIN}};
	int count, polled = PIPES + 2;

	if (feed->is_stopped || feed->has_no_signals)
		ready[PIPES + 1].fd = -1;
	if (feed->is_stopped || feed->has_no_keys)
		ready[PIPES].fd = -1;
	for (int i = 0; i < feed->others && !feed->is_stopped; i++)
		ready[polled++] = (struct pollfd){.fd = feed->other[i], .events = POLLIN};
	for (int i = 0; feed->followed && i < PIPES; i++)
		ready[polled++] = (struct pollfd){.fd = feed->followed->pipe[i].fd,
						  .events = POLLIN};
	for (int i = 0; i < PIPES; i++)
		ready[i] = (struct pollfd){.fd = feed->pipe[i].fd, .events = POLLIN};
	count = poll(ready, (nfds_t)polled, wait_ms);
	if (count < 0)
		return FEED_KEY; /* SIGWINCH */
	if (ready[PIPES + 1].revents && has_signal(feed))
		return FEED_SIGNAL;
	if (ready[PIPES].revents & (POLLHUP | POLLERR))
		return FEED_SIGNAL; /* the terminal is gone */
	if (ready[PIPES].revents)
		return FEED_KEY;
	for (int i = 0; i < PIPES; i++)
		if (ready[i].revents)
			read_more(&feed->pipe[i]);
	for (int i = PIPES + 2; i < polled; i++)
		if (ready[i].revents)
			return FEED_OTHER;
	return count ? FEED_LINE : FEED_TIMEOUT;
}

/* Returns how much of wait_ms is left. */
static int time_left(const struct feed *feed, int wait_ms)
{
	uint64_t gone = feed->is_stopped ? (clock_now() - feed->stopped) / NS_PER_MS : 0;

	return wait_ms < 0 ? wait_ms : gone < (uint64_t)wait_ms ? wait_ms - (int)gone : 0;
}

enum feed_event feed_wait(struct feed *feed, int wait_ms, const char **line)
{
	enum feed_event event = FEED_LINE;

	while (event == FEED_LINE) {
		int left = time_left(feed, wait_ms);

		event = line_that_is_there(feed, line);
		if (feed->is_stopped && !left && event != FEED_END)
			return FEED_TIMEOUT;
		if (event != FEED_TIMEOUT)
			return event;
		event = wait_once(feed, left);
	}
	return event;
}

void feed_stop(struct feed *feed)
{
	feed->is_stopped = true;
	feed->stopped = clock_now();
	feed->has_ended = false; /* the caller waits for it again */
	kill(feed->pid, SIGINT);
}

int feed_end(struct feed *feed)
{
	int status = SIGKILL;
	pid_t code;

	/* A child that hangs may not even end by this signal, so it is not waited for. */
	if (!feed->has_ended)
		kill(feed->pid, SIGKILL);
	do
		code = waitpid(feed->pid, &status, feed->has_ended ? 0 : WNOHANG);
	while (code < 0 && errno == EINTR);
	feed_free(feed);
	return WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}
