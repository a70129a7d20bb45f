/*
 * daemon: counts all the time, and lets everybody read the numbers.
 *
 * A child process counts and writes what it has counted as lines: daemon_count.h. This process adds it up and publishes it. So a child
 * that fails is started again, and counters go on.
 */
#include "command.h"
#include "daemon/daemon_count.h"
#include "daemon/daemon_flight.h"
#include "daemon/daemon_name.h"
#include "daemon/daemon_options.h"
#include "daemon/daemon_publish.h"
#include "daemon/daemon_rights.h"
#include "daemon/daemon_serve.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/exposition.h>
#include <iotrace/feed.h>
#include <iotrace/http.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/mount_names.h>
#include <iotrace/peer.h>
#include <iotrace/probe.h>
#include <iotrace/supervisor.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	END_MS = 10000,
	SETTLE_MS = 200,
	WAIT_LEAST = 1,
	WAIT_MOST = 60,
	MS_PER_S = 1000,
	NS_PER_MS = 1000000
};

static const uint64_t names_ns = 10000000000;

struct daemon {
	const struct daemon_options *options;
	struct daemon_count count;
	struct mount_names *names;
	struct totals *totals;
	struct daemon_publish publish;
	struct http *http; /* NULL: not wanted */
	struct peers *peers;
	struct daemon_flight flight;
	struct feed *feed; /* of the process that counts; NULL: none */
	uint64_t named;    /* when the mounts were last read */
	bool has_frame;    /* of this child */
	bool is_ready;     /* one has come */
	bool is_over;
	bool has_failed; /* the flight recorder has never recorded */
};

static int serve_peer(void *context, uint32_t uid, const char *request)
{
	const struct daemon *daemon = context;
	struct daemon_serving serving = {.stat = &command_stat, .snapshot = &command_snapshot};

	http_leave(daemon->http);
	daemon_count_release_signals();
	serving.flight = daemon->flight.feed ? feed_pid(daemon->flight.feed) : 0;
	return daemon_serve(&serving, uid, request);
}

static void stop(struct daemon *daemon)
{
	if (!daemon->is_over)
		supervisor_stopping();
	daemon->is_over = true;
	feed_stop(daemon->feed);
}

/* Waits. Returns false if a signal has come. */
static bool pause_for(unsigned ms)
{
	const struct timespec time = {.tv_sec = ms / MS_PER_S,
				      .tv_nsec = ms % MS_PER_S * (long)NS_PER_MS};
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	do
		number = sigtimedwait(&set, NULL, &time);
	while (number < 0 && errno == EINTR);
	return number < 0;
}

/* Whoever ends the daemon may end its processes at the same time, and their end may be seen first. */
static bool is_ending(const struct daemon *daemon)
{
	return daemon->is_over || !pause_for(SETTLE_MS);
}

/* Another flight recorder begins some time after one has ended. */
static void serve_flight(struct daemon *daemon)
{
	struct error err = {0};

	if (!daemon_flight_look(&daemon->flight)) {
		daemon->has_failed = !is_ending(daemon);
		stop(daemon);
	} else if (!daemon->is_over && daemon_flight_start(&daemon->flight, &err)) {
		log_failure(LOG_WARN, &err);
	}
	feed_follow(daemon->feed, daemon->flight.feed);
}

/* Whatever can be done without waiting. */
static void serve(struct daemon *daemon)
{
	serve_flight(daemon);
	if (daemon->http)
		http_run(daemon->http);
	if (daemon->peers)
		peers_serve(daemon->peers, serve_peer, daemon);
}

static void take_frame(struct daemon *daemon)
{
	uint64_t now = probe_now();

	if (now >= daemon->named + names_ns) {
		daemon->named = now;
		if (mount_names_look(daemon->names))
			totals_rename(daemon->totals);
	}
	daemon_publish_put(&daemon->publish);
	serve(daemon);
	if (!daemon->is_ready)
		supervisor_ready("counting");
	else if (!daemon->has_frame)
		supervisor_status("counting again");
	daemon->has_frame = daemon->is_ready = true;
}

static void take_line(struct daemon *daemon, const char *line)
{
	int code = totals_line(daemon->totals, line);

	if (code < 0)
		log_warn("a line of the process that counts was not understood: %s", line);
	if (code > 0)
		take_frame(daemon);
}

static void follow(struct daemon *daemon)
{
	struct feed *feed = daemon->feed;
	const char *line;

	for (;;) {
		enum feed_event event = feed_wait(feed, daemon->is_over ? END_MS : -1, &line);

		if (event == FEED_LINE)
			take_line(daemon, line);
		else if (event == FEED_OTHER)
			serve(daemon);
		else if (event == FEED_MESSAGE)
			fprintf(stderr, "%s\n", line);
		else if (event == FEED_END || (event == FEED_TIMEOUT && daemon->is_over))
			return;
		else if (event == FEED_SIGNAL)
			stop(daemon);
	}
}

/* Returns the exit status of the child. */
static int count(struct daemon *daemon)
{
	struct error err = {0};
	struct feed *feed;

	feed = feed_new(daemon_count_run, &daemon->count, &err);
	daemon->has_frame = false;
	if (!feed) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	daemon->feed = feed;
	feed_ignore_keys(feed);
	feed_follow(feed, daemon->flight.feed);
	if (daemon->http)
		feed_watch(feed, http_fd(daemon->http));
	if (daemon->peers)
		feed_watch(feed, peers_fd(daemon->peers));
	follow(daemon);
	daemon->feed = NULL;
	return feed_end(feed);
}

/* Counts until the end. Counting that has never worked is not tried again. */
static int run_all(struct daemon *daemon)
{
	unsigned wait = WAIT_LEAST;

	for (;;) {
		int status = count(daemon);

		if (daemon->is_over)
			return daemon->has_failed ? STATUS_FAILED : STATUS_OK;
		if (!daemon->is_ready)
			return is_ending(daemon) ? STATUS_OK : status ? status : STATUS_FAILED;
		wait = daemon->has_frame ? WAIT_LEAST : wait < WAIT_MOST / 2 ? 2 * wait : WAIT_MOST;
		log_warn(
			"the process that counts has ended (status %d); the next one begins in %u s",
			status, wait);
		daemon_publish_uncounted(&daemon->publish);
		totals_restart(daemon->totals);
		supervisor_status("the process that counts has ended; it begins again");
		if (!pause_for(wait * MS_PER_S))
			return STATUS_OK;
	}
}

/* Prometheus asks for OpenMetrics if it knows that. */
static char *page(void *context, const char *accept, size_t *size, const char **type)
{
	const struct daemon *daemon = context;
	bool is_open = strstr(accept, "application/openmetrics-text");
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	*type = is_open ? EXPOSITION_TYPE : "text/plain; version=0.0.4; charset=utf-8";
	if (out) {
		exposition_print(daemon->totals, probe_now(), !is_open, out);
		fclose(out);
	}
	return text;
}

static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_http(struct daemon *daemon, struct error *err)
{
	if (!daemon->options->metrics)
		return 0;
	daemon->http = http_open(daemon->options->metrics, page, daemon, err);
	daemon->count.http = daemon->http;
	return daemon->http ? 0 : -1;
}

/* Without the socket, what is for everybody is still published. */
static int open_peers(struct daemon *daemon, struct error *err)
{
	char *path = mem_format("%s/socket", daemon->options->directory);

	daemon->peers = peers_open(path, err);
	daemon->count.peers = daemon->peers;
	if (!daemon->peers)
		log_warn("%s; views of processes cannot be asked for", err->text);
	*err = (struct error){0};
	free(path);
	return 0;
}

static int open_flight(struct daemon *daemon, struct error *err)
{
	daemon->flight = (struct daemon_flight){.options = daemon->options,
						.http = daemon->http,
						.peers = daemon->peers};
	return daemon_flight_start(&daemon->flight, err);
}

static int check(struct daemon_options *options, int argc, char **argv, struct error *err)
{
	if (argc)
		return error_say(err, EINVAL, "unexpected operand '%s': a daemon runs no command",
				 argv[0]);
	if (options->on_hang && !options->hang)
		return error_say(err, EINVAL,
				 "--on-hang goes with --hang TIME, which says what a hang is");
	return daemon_flight_check(options, err);
}

static int run_daemon(void *context, int argc, char **argv)
{
	struct daemon_options *options = context;
	struct daemon daemon = {.options = options,
				.count = {.command = &command_daemon,
					  .interval = options->interval,
					  .verbosity = options->verbosity}};
	struct error err = {0};
	int status = STATUS_FAILED;

	if (check(options, argc, argv, &err))
		return command_misused(&command_daemon, &err);
	if (options->verbosity)
		log_set_level(options->verbosity > 1 ? LOG_DEBUG : LOG_INFO);
	daemon_rights_limit(options);
	hold_signals();
	daemon.names = mount_names_open("/proc", "/sys", &err);
	daemon.count.names = daemon.names;
	daemon.count.hang = options->hang;
	daemon.count.on_hang = options->on_hang;
	daemon.totals = totals_new(daemon_name_row, daemon.names);
	daemon.publish.lock = -1;
	if (!daemon.names || daemon_publish_open(&daemon.publish, options, daemon.totals, &err) ||
	    open_http(&daemon, &err) || open_peers(&daemon, &err) || open_flight(&daemon, &err))
		command_complain(&err);
	else
		status = run_all(&daemon);
	daemon_flight_end(&daemon.flight);
	peers_close(daemon.peers);
	http_close(daemon.http);
	daemon_publish_close(&daemon.publish);
	totals_free(daemon.totals);
	mount_names_close(daemon.names);
	return status;
}

const struct command command_daemon = {
	.name = "daemon",
	.help = "Counts all the time what devices, file systems and FUSE connections do, and\nlets everybody read the numbers.",
	.operands = "",
	.about = "It runs in the foreground, for systemd or another supervisor; SIGTERM ends it.\n",
	.row = daemon_rows,
	.needs_rights = true,
	.size = sizeof(struct daemon_options),
	.init = daemon_options_init,
	.run = run_daemon,
	.release = daemon_options_release,
};
