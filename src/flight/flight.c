#include "flight.h"

#include "busy.h"
#include "cannot_run.h"
#include "command.h"
#include "flight_state.h"
#include "option/limit.h"
#include "run/run.h"
#include "span/span_record.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_DEFAULT = 256 << 20, MEMORY_LEAST = 1 << 20, SPOOL_SHARES = 2 };

/* After a suspicious record. The names of its process and file may come with the next round, so the first sight may miss them. */
enum { SIGHTS = 2, LOOK_SHARES = 4 };
static const uint64_t tick_ns = 100000000, settle_ns = 300000000;
static const uint64_t look_most_ns = 1000000000;
static const uint64_t busy_least_ns = 50000000;
static const uint64_t spacing_default_ns = 60000000000;

/* Samples of a device are some for each time of a trigger. */
static void choose_devices(struct record_options *options)
{
	struct recording *recording = &options->recording;
	const struct triggers *triggers = &options->flight.triggers;
	uint64_t interval = triggers_least(triggers, TRIGGER_UTIL) / BUSY_SHARES;

	for (uint32_t i = 0; i < triggers->count; i++)
		if (triggers->item[i].kind == TRIGGER_UTIL)
			text_list_add(&recording->busy_devices, triggers->item[i].device);
	recording->busy_interval = interval > busy_least_ns ? interval : busy_least_ns;
}

int flight_check(struct record_options *options, struct error *err)
{
	struct record_flight *flight = &options->flight;
	const struct {
		bool is_given;
		const char *option;
	} row[] = {
		{options->capture != NULL, "--capture"},
		{options->join != NULL, "--join"},
		{options->is_each, "--each"},
		{options->output.format && strcmp(options->output.format->name, "otf2") != 0,
		 "--format"},
		{options->output.summary.path || options->output.summary.kind == OUTPUT_JSON,
		 "--summary"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (flight->window && row[i].is_given)
			return error_say(err, EINVAL, "%s cannot be combined with --flight",
					 row[i].option);
	if (!flight->window &&
	    (flight->triggers.count || flight->after || flight->keep || flight->spacing))
		return error_say(
			err, EINVAL,
			"--trigger, --after, --keep and --spacing work only with --flight");
	if (flight->window && !flight->memory)
		flight->memory = MEMORY_DEFAULT;
	if (flight->window && flight->memory < MEMORY_LEAST)
		return error_say(err, EINVAL, "--flight needs at least 1M of memory");
	if (flight->window && !flight->spacing)
		flight->spacing = spacing_default_ns;
	if (!flight->window)
		return 0;
	options->is_alone = true;
	choose_devices(options);
	return 0;
}

static void ask_for_calls(struct flight *flight, uint64_t now)
{
	uint64_t hang = triggers_least(&flight->options->flight.triggers, TRIGGER_HANG);

	if (!hang || now < flight->next_look)
		return;
	flight->next_look = now +
			    (hang / LOOK_SHARES < look_most_ns ? hang / LOOK_SHARES : look_most_ns);
	live_look(flight->live, hang);
	look_for_hangs(flight->look, now);
}

static void take_asks(struct flight *flight)
{
	enum live_ask ask;
	uint64_t time;

	while ((ask = live_next_ask(flight->live, &time)) != LIVE_ASK_NONE)
		flight_trigger(flight, time, ask == LIVE_ASK_SIGNAL ? "signal" : "snapshot",
			       ask == LIVE_ASK_SIGNAL ? "SIGUSR2" : "a user asked for it");
}

/* The records that say what happened until `due` are in the rounds that come soon after. */
static void see_pending(struct flight *flight, uint64_t now)
{
	struct flight_pending *pending = &flight->pending;

	if (!pending->time || now < pending->due)
		return;
	if (!pending->come) {
		live_look(flight->live, 0);
		pending->come = now + settle_ns;
	}
	if (now >= pending->come &&
	    window_has_read(&flight->window, &pending->read, live_round_end(flight->live), now))
		flight_snapshot(flight);
}

static void see_triggers(struct flight *flight, uint64_t now)
{
	struct look_found found;
	uint64_t suspected;

	take_asks(flight);
	if (!flight->look)
		return;
	ask_for_calls(flight, now);
	found = look_take(flight->look);
	if (found.time)
		flight_trigger(flight, found.time, found.trigger->text, found.text);
	suspected = look_suspected(flight->look);
	if (suspected)
		flight->sights = SIGHTS;
	if (!flight->suspected)
		flight->suspected = suspected;
	if (!flight->sights || flight->pending.time || now < flight->next_sight)
		return;
	flight->sights--;
	if (flight_sight(flight))
		flight->sights = SIGHTS;
}

/* Reads what leaves the window. What happened before a trigger stays until its archive is written. */
static void follow(struct flight *flight, uint64_t now)
{
	const struct flight_pending *pending = &flight->pending;
	uint64_t time = pending->time ? pending->time : now, before, released;
	struct error ignored = {0};

	do {
		before = run_position(flight->trail);
		released = window_release(&flight->window, time, run_followed(flight->trail));
		while (run_position(flight->trail) < released &&
		       run_step(flight->trail, &ignored) == 1)
			;
	} while (run_position(flight->trail) > before);
	/* The trail has not read what the window keeps. If all whole rounds are in the window, the next one must be written all the same. */
	live_forget(flight->live, run_followed(flight->trail), flight->window.end);
}

static void tick(struct flight *flight)
{
	uint64_t now = probe_now();

	see_triggers(flight, now);
	see_pending(flight, now);
	follow(flight, now);
}

static uint64_t head_available(void *context, uint64_t have)
{
	struct flight *flight = context;

	do
		tick(flight);
	while (!live_await(flight->live, have, probe_now() + tick_ns));
	return live_available(flight->live, have);
}

static uint64_t trail_available(void *context, uint64_t have)
{
	const struct flight *flight = context;

	return have < flight->window.released ? flight->window.released : have;
}

/* Returns 0 at the end of the recording, or -errno with a message. */
static int look_at_all(struct flight *flight, struct error *err)
{
	struct capture_round round;
	uint64_t total;
	int rc;

	while ((rc = capture_next_round(flight->head, &round, err)) == 1) {
		look_round(flight->look, &round);
		capture_round_free(&round);
		window_add(&flight->window, capture_position(flight->head, &total), probe_now());
		tick(flight);
	}
	return rc;
}

/* Without a trigger, nobody reads the records before they leave the window. */
static void look_at_none(struct flight *flight)
{
	uint64_t have = 0, before;

	do {
		before = have;
		have = head_available(flight, before);
		window_add(&flight->window, live_round_end(flight->live), probe_now());
	} while (have > before);
}

static int loop(struct flight *flight, struct error *err)
{
	int rc = 0;

	if (flight->look)
		rc = look_at_all(flight, err);
	else
		look_at_none(flight);
	take_asks(flight);
	if (flight->pending.time)
		flight_snapshot(flight);
	return rc;
}

static int open_live(struct flight *flight, struct error *err)
{
	const struct live_options live = {
		.recording = &flight->recording,
		.spool_path = flight->spool,
		.memory = flight->options->flight.memory * SPOOL_SHARES,
		.takes_snapshots = true,
		.cmdline = flight->cmdline,
		.quiet = &flight->quiet,
		.mask = &flight->mask,
		.is_confined = true,
	};

	flight->live = live_open(&live, err);
	return flight->live ? 0 : -1;
}

static bool needs_look(const struct triggers *triggers)
{
	for (uint32_t i = 0; i < triggers->count; i++)
		if (triggers->item[i].kind != TRIGGER_SIGNAL)
			return true;
	return false;
}

static int open_head(struct flight *flight, int spool, struct error *err)
{
	int fd = fcntl(spool, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return error_set(err, errno, "%s", flight->spool);
	flight->head = capture_open_in(fd, flight->spool, head_available, flight, err);
	if (flight->head)
		flight->look = look_new(flight->head, &flight->options->flight.triggers, err);
	return flight->look ? 0 : -err->code;
}

static int open_readers(struct flight *flight, struct error *err)
{
	int code = needs_look(&flight->options->flight.triggers)
			   ? open_head(flight, live_spool(flight->live), err)
			   : 0;

	if (code)
		return code;
	flight->source = (struct run_source){.path = flight->spool,
					     .fd = live_spool(flight->live),
					     .available = trail_available,
					     .available_context = flight};
	flight->trail = run_new();
	run_follow(flight->trail);
	return run_open(flight->trail, &flight->source, err);
}

/* They would take space on the disk that no limit counts. */
static void remove_unfinished(const struct flight *flight)
{
	uint32_t count = flight->base ? archives_remove_unfinished(flight->base) : 0;

	if (count)
		log_info("%u unfinished archives of recorders that were killed were removed",
			 count);
}

/* A name that cannot be written must not be found out when it is too late. */
static int choose_name(struct flight *flight, struct error *err)
{
	const char *pattern = flight->options->output.path;
	char *name;
	int code;

	naming_init(&flight->naming);
	if (pattern) {
		flight->base = naming_expand(&flight->naming, "-o", pattern, err);
		if (!flight->base)
			return -err->code;
	}
	remove_unfinished(flight);
	if (flight->base && flight->options->flight.has_earlier)
		flight->number = archives_find(&flight->archives, flight->base);
	name = flight->base ? mem_format("%s-1", flight->base) : naming_default(&flight->naming);
	code = place_may_write(name, err);
	free(name);
	/* The next number is used then. */
	return code == -EISDIR ? 0 : code ? error_wrap(err, "-o") : 0;
}

/* The process that finds the paths of calls that hang. */
static int open_watch(struct flight *flight, struct error *err)
{
	if (!triggers_have(&flight->options->flight.triggers, TRIGGER_HANG))
		return 0;
	flight->watch = watch_new(NULL, err);
	if (flight->watch)
		flight->recording.own_pid[RECORDING_OWN_WATCH] = (uint32_t)watch_pid(flight->watch);
	return flight->watch ? 0 : -EIO;
}

static int start(struct flight *flight, struct error *err)
{
	const struct recording *recording = &flight->options->recording;
	int code = limit_check(err);

	if (!code && recording->ready_fd)
		code = live_keep_ready_fd(recording->ready_fd, err);
	if (!code)
		code = choose_name(flight, err);
	if (!code)
		code = open_watch(flight, err);
	if (!code)
		code = open_live(flight, err);
	if (!code)
		code = open_readers(flight, err);
	return code ? code : live_start(flight->live, err);
}

static void log_begin(const struct flight *flight)
{
	const struct record_options *options = flight->options;

	if (options->recording.argv || options->output.is_quiet)
		return;
	log_warn(
		"the last %.4g s stay in memory; 'iotrace snapshot %d' writes them to an archive, and 'iotrace stop %d' "
		"ends this",
		(double)options->flight.window / 1e9, (int)getpid(), (int)getpid());
}

static int follow_to_end(struct flight *flight, const char *name)
{
	struct error err = {0};
	int code = loop(flight, &err), exec_errno = 0;
	int status = command_exit_status(live_wait(flight->live, &exec_errno));
	const char *remark;

	if (exec_errno)
		return cannot_run(flight->options, name, exec_errno);
	for (uint32_t i = 0; (remark = live_remark(flight->live, i)); i++)
		log_at(flight->options->output.is_quiet ? LOG_INFO : LOG_WARN, "%s", remark);
	if (code < 0)
		command_complain(&err);
	return code < 0 || flight->has_failed ? STATUS_FAILED : status;
}

static void end(struct flight *flight)
{
	run_free(flight->trail);
	look_free(flight->look);
	watch_free(flight->watch);
	capture_close(flight->head);
	archives_release(&flight->archives);
	free(flight->base);
	free(flight->spool);
	free(flight->cmdline);
}

int flight_record(const struct record_options *options, const struct span_set *spans, int argc,
		  char **argv)
{
	struct flight flight = {.options = options,
				.recording = options->recording,
				.spans = spans};
	struct error err = {0};
	int status;

	quiet_begin(&flight.quiet);
	live_hold_signals(&flight.mask);
	flight.cmdline = command_line(argc, argv);
	flight.spool = mem_strdup("the records in memory");
	window_init(&flight.window, options->flight.window, options->flight.memory);
	if (start(&flight, &err)) {
		command_complain(&err);
		status = err.code == EINTR ? STATUS_SIGNAL + SIGINT : STATUS_FAILED;
	} else {
		log_begin(&flight);
		status = follow_to_end(&flight, argc ? argv[0] : "");
	}
	err = (struct error){0};
	if (flight.live && live_close(flight.live, &err)) {
		command_complain(&err);
		status = STATUS_FAILED;
	}
	end(&flight);
	sigprocmask(SIG_SETMASK, &flight.mask, NULL); /* a pending signal ends iotrace now */
	return status;
}
