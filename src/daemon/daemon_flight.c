/* daemon_flight: see daemon_flight.h. */
#include "daemon_flight.h"

#include "command.h"
#include "daemon_count.h"
#include "flight/flight.h"
#include "span/span_set.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/feed.h>
#include <iotrace/http.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/peer.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	END_MS = 10000,
	WAIT_LEAST = 1,
	WAIT_MOST = 60,
	KEEP_DEFAULT = 10,
	PRIVATE = 077,
	MODE = 0700
};

static const uint64_t ns_per_s = 1000000000;

/* Sets the options of a recording of the whole machine. */
static int choose(struct record_options *record, const struct daemon_options *options,
		  struct error *err)
{
	record_options_init(record);
	record->flight = options->flight;
	record->verbosity = options->verbosity;
	record->recording.is_system = true;
	return flight_check(record, err);
}

int daemon_flight_check(struct daemon_options *options, struct error *err)
{
	struct record_options record = {0};
	int code = choose(&record, options, err);

	options->flight = record.flight;
	record.flight.triggers.count = 0; /* they stay with the options */
	record_options_release(&record);
	if (!options->flight.keep)
		options->flight.keep = KEEP_DEFAULT;
	return code;
}

static int make_directory(const char *path, struct error *err)
{
	if (mkdir(path, MODE) && errno != EEXIST)
		return error_set(err, errno, "cannot create %s", path);
	return 0;
}

/* In the process of the recorder. The first line of its output says that it records. */
static int record(void *context)
{
	const struct daemon_flight *flight = context;
	const struct daemon_options *options = flight->options;
	static const struct span_set no_spans;
	struct record_options record = {0};
	struct error err = {0};
	int status = STATUS_FAILED;

	log_set_columns(0);
	daemon_count_release_signals();
	http_leave(flight->http);
	peers_leave(flight->peers);
	umask(PRIVATE);
	if (make_directory(options->archives, &err) || choose(&record, options, &err) ||
	    record_options_complete(&record, NULL, &err)) {
		command_complain(&err);
	} else {
		record.limit = options->limit;
		record.output.path = mem_format("%s/flight", options->archives);
		record.recording.ready_fd = dup(STDOUT_FILENO);
		record.flight.has_earlier = true;
		status = flight_record(&record, &no_spans, 0, NULL);
	}
	return status;
}

int daemon_flight_start(struct daemon_flight *flight, struct error *err)
{
	if (!flight->options->flight.window || flight->feed || probe_now() < flight->next)
		return 0;
	flight->feed = feed_new(record, flight, err);
	if (!flight->feed)
		return -err->code;
	feed_ignore_keys(flight->feed);
	feed_ignore_signals(flight->feed);
	return 0;
}

static void end_process(struct daemon_flight *flight)
{
	int status = feed_end(flight->feed);

	flight->feed = NULL;
	flight->wait_s = !flight->wait_s                  ? WAIT_LEAST
			 : flight->wait_s < WAIT_MOST / 2 ? 2 * flight->wait_s
							  : WAIT_MOST;
	flight->next = probe_now() + flight->wait_s * ns_per_s;
	if (flight->is_ready)
		log_warn("the flight recorder has ended (status %d); the next one begins in %u s",
			 status, flight->wait_s);
}

bool daemon_flight_look(struct daemon_flight *flight)
{
	const char *line;

	while (flight->feed) {
		switch (feed_wait(flight->feed, 0, &line)) {
		case FEED_LINE:
			flight->is_ready = true;
			flight->wait_s = 0;
			break;
		case FEED_MESSAGE:
			fprintf(stderr, "%s\n", line);
			break;
		case FEED_END:
			end_process(flight);
			return flight->is_ready;
		default:
			return true;
		}
	}
	return true;
}

void daemon_flight_end(struct daemon_flight *flight)
{
	enum feed_event event = FEED_END;
	const char *line;

	if (!flight->feed)
		return;
	feed_stop(flight->feed);
	do {
		event = feed_wait(flight->feed, END_MS, &line);
		if (event == FEED_MESSAGE)
			fprintf(stderr, "%s\n", line);
	} while (event != FEED_END && event != FEED_TIMEOUT);
	feed_end(flight->feed);
	flight->feed = NULL;
}
