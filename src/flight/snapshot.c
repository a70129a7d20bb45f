/* snapshot: what is done with the records of the window when a trigger has come, or may have come. */
#include "flight_state.h"

#include "record/disk_limit.h"
#include "record/record_places.h"
#include "run/output.h"
#include "run/run.h"
#include "sight.h"
#include "span/span_record.h"

#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/fact.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAMES_MOST = 10000, SIGHT_SHARE = 20, LIMIT_SHARES = 2 };

static const uint64_t sight_apart_ns = 250000000;
static const double slack_s = 1;

/* A conversion of the window. */
struct window_run {
	struct flight *flight;
	struct run *run;
	uint64_t end; /* offset in the stream */
	struct disk_limit limit;
	struct record_places places;
	const struct flight_pending *pending; /* NULL: a sight */
	uint64_t until; /* all records of what happened before this time have been read */
};

static uint64_t window_available(void *context, uint64_t have)
{
	const struct window_run *w = context;

	return have < w->end ? w->end : have;
}

static bool is_asked_to_stop(void *context)
{
	struct window_run *w = context;

	return live_interrupts(w->flight->live) >= 2 ||
	       disk_limit_look(&w->limit, &w->places, NULL);
}

/* The stream goes on, but this part of it ends here. If the recording has just ended, its own end may be in the window. */
static void end_window(void *context)
{
	const struct window_run *w = context;
	const struct fact end = {.kind = FACT_END,
				 .number = {[FACT_END_reason] = TRACE_END_DETACHED}};

	run_add_fact(w->run, &end, w->until > run_time(w->run) ? w->until : run_time(w->run));
}

/* Returns an enum run_result, or -errno with a message. */
static int convert(struct window_run *w, struct error *err)
{
	const struct run_source source = {
		.path = w->flight->spool,
		.fd = live_spool(w->flight->live),
		.available = window_available,
		.available_context = w,
		.should_stop = is_asked_to_stop,
		.at_end = end_window,
		.context = w,
	};

	return run_convert(w->run, &source, err);
}

static struct window_run window_run(struct flight *flight)
{
	return (struct window_run){.flight = flight, .run = run_new(), .end = flight->window.end};
}

/* A sight is dear, so there are few of them. But each call is in the window of one. */
static uint64_t next_sight(const struct flight *flight, uint64_t begun)
{
	uint64_t now = probe_now(), pause = sight_apart_ns + SIGHT_SHARE * (now - begun);
	uint64_t most = flight->options->flight.window / 2;

	return now + (pause < most ? pause : most);
}

/* What has not ended by then is in flight. If the machine is faster than the reader, what is in flight in the window may have ended since. */
static uint64_t known_until(const struct flight *flight)
{
	uint64_t latest = look_latest(flight->look);
	bool is_behind = flight->window.end < live_round_end(flight->live);

	return is_behind && latest ? latest : probe_now();
}

/* since: the begin of what is in memory. What was suspected before it may have been a trigger. */
static void check_suspected(struct flight *flight, uint64_t since)
{
	uint64_t now = probe_now();

	if (flight->suspected && flight->suspected < since && now >= flight->next_unseen) {
		log_warn(
			"triggers may have been missed: records of %.1f s left memory before they were "
			"looked at. Give more: --flight %.0fs,SIZE",
			(double)(since - flight->suspected) / 1e9,
			(double)flight->options->flight.window / 1e9);
		flight->next_unseen = now + flight->options->flight.spacing;
	}
	flight->suspected = 0;
}

/* All that hangs now is in the archive. */
static void tell(struct flight *flight, const struct sight *sight)
{
	for (uint32_t i = 0; i < sight->hangs.count && i < SIGHT_TOLD; i++)
		sight_tell(&flight->told, sight->hangs.hang[i].begin, sight->hangs.hang[i].pid);
}

bool flight_sight(struct flight *flight)
{
	struct window_run w = window_run(flight);
	struct sight sight = {.triggers = &flight->options->flight.triggers,
			      .from = flight->seen,
			      .until = known_until(flight),
			      .watch = flight->watch,
			      .told = &flight->told};
	uint64_t begun = probe_now();
	struct sink_options options = {.context = &sight};
	struct error ignored = {0};

	w.until = sight.until;
	run_fold_late(w.run); /* a process with a location of its own has a name */
	if (run_add_sink(w.run, &sight_ops, &options, &ignored) >= 0) {
		check_suspected(flight, run_continue(w.run, flight->trail));
		convert(&w, &ignored);
	}
	run_free(w.run);
	flight->next_sight = next_sight(flight, begun);
	flight->seen = sight.trigger ? sight.time + 1 : look_complete(flight->look);
	if (sight.trigger && flight_trigger(flight, sight.time, sight.trigger->text, sight.text))
		tell(flight, &sight);
	return sight.trigger != NULL;
}

static void log_ignored(struct flight *flight)
{
	if (flight->ignored)
		log_warn("%llu triggers came too soon after an archive and were ignored",
			 (unsigned long long)flight->ignored);
	flight->ignored = 0;
}

bool flight_trigger(struct flight *flight, uint64_t time, const char *what, const char *text)
{
	struct flight_pending *pending = &flight->pending;

	if (pending->time)
		return false;
	if (time < flight->next) {
		if (!flight->ignored++)
			log_warn("%s: %s: ignored, because the last trigger was less than %g s ago "
				 "(--spacing)",
				 what, text, (double)flight->options->flight.spacing / 1e9);
		return false;
	}
	*pending = (struct flight_pending){.time = time,
					   .due = time + flight->options->flight.after};
	snprintf(pending->text, sizeof(pending->text), "%s: %s", what, text);
	return true;
}

/* The archives of -o are numbered, others have the time in their names. */
static char *next_name(struct flight *flight)
{
	char *name, *base;

	if (flight->base)
		return mem_format("%s-%u", flight->base, ++flight->number);
	flight->naming.start = time(NULL);
	base = naming_default(&flight->naming);
	name = flight->number++ ? mem_format("%s-%u", base, flight->number) : mem_strdup(base);
	free(base);
	return name;
}

static int open_place(struct flight *flight, struct record_places *places, struct error *err)
{
	if (!flight->base)
		flight->number = 0;
	for (int i = 0; i < NAMES_MOST; i++) {
		*err = (struct error){0};
		free(places->path);
		places->path = next_name(flight);
		places->place = place_open("-o", places->path, err);
		if (places->place || (err->code != EEXIST && err->code != EBUSY))
			break;
	}
	return places->place ? 0 : -err->code;
}

static void drop_oldest(struct flight *flight)
{
	char *path = archives_remove(&flight->archives);

	log_info("%s was removed (--keep, --limit)", path);
	free(path);
}

/* Half of the disk space is for the next archive, as far as older ones can be removed for it. */
static uint64_t make_room(struct flight *flight)
{
	uint64_t limit = flight->options->limit;
	uint32_t keep = flight->options->flight.keep;

	while (keep && flight->archives.count >= keep)
		drop_oldest(flight);
	while (limit && flight->archives.count &&
	       archives_bytes(&flight->archives) > limit / LIMIT_SHARES)
		drop_oldest(flight);
	return limit ? limit - archives_bytes(&flight->archives) : 0;
}

static void add_mark(struct run *run, const struct flight_pending *pending)
{
	const struct fact mark = {.kind = FACT_MARK,
				  .number = {[FACT_MARK_pid] = 0},
				  .string = {[FACT_MARK_text] = {pending->text,
								 (uint32_t)strlen(pending->text)}}};

	run_add_fact(run, &mark, pending->time);
}

/* Says what the archive contains. */
static void log_written(const struct flight *flight, const struct window_run *w, uint64_t since)
{
	double have = w->pending->time > since ? (double)(w->pending->time - since) / 1e9 : 0;
	double wanted = (double)flight->options->flight.window / 1e9;
	bool is_short = flight->window.is_short && have + slack_s < wanted;

	if (is_short)
		log_warn(
			"%s has only %.1f s before the trigger, not %.1f s, because the records of more do not fit into "
			"memory. Give more: --flight %.0fs,SIZE",
			w->places.path, have, wanted, wanted);
	log_at(flight->options->output.is_quiet ? LOG_INFO : LOG_WARN,
	       "%s: the last %.1f s are in %s", w->pending->text, have, w->places.path);
	if (w->limit.is_reached)
		log_warn("%s ends early, because of --limit", w->places.path);
}

/* Returns 0, or -errno with a message. */
static int write_archive(struct flight *flight, struct window_run *w, struct error *err)
{
	const struct record_options *options = flight->options;
	struct output output = {.options = &options->output,
				.path = w->places.path,
				.run = w->run,
				.place = w->places.place,
				.is_private = confine_is_lent(),
				.groups = options->recording.selection.groups,
				.has_no_summary = true};
	struct error trouble = {0};
	uint64_t since;
	int code, converted;

	span_record_use(flight->spans, w->run, !options->recording.is_system);
	code = output_open(&output, err);
	if (code)
		return code;
	since = run_continue(w->run, flight->trail);
	add_mark(w->run, w->pending);
	converted = convert(w, err);
	if (converted < 0)
		trouble = *err;
	code = output_close(&output, converted == RUN_COMPLETE, converted < 0 ? &trouble : err);
	if (!since)
		since = trace_host(run_trace(w->run))->first_time;
	if (!code && converted >= 0)
		log_written(flight, w, since);
	return code ? code : converted < 0 ? converted : 0;
}

void flight_snapshot(struct flight *flight)
{
	const struct flight_pending pending = flight->pending;
	struct window_run w = window_run(flight);
	struct error err = {0};
	int code;

	w.pending = &pending;
	w.until = pending.due;
	w.limit.bytes = make_room(flight);
	code = open_place(flight, &w.places, &err);
	if (!code)
		code = write_archive(flight, &w, &err);
	if (w.places.place && place_is_published(w.places.place))
		archives_add(&flight->archives, w.places.path);
	run_free(w.run);
	place_close(w.places.place);
	free(w.places.path);
	if (code) {
		error_wrap(&err, "%s: no archive could be written", pending.text);
		log_failure(LOG_ERROR, &err);
	}
	flight->has_failed |= code != 0;
	log_ignored(flight);
	flight->pending.time = 0;
	flight->next = pending.time + flight->options->flight.spacing;
	flight->seen = pending.time + 1;
}
