/*
 * span_live: a recording from which only numbers are kept. As in `iotrace record`, everything that can fail is checked before the
 * command runs.
 */
#include "cannot_run.h"
#include "command.h"
#include "option/limit.h"
#include "record/record_places.h"
#include "span/span_choice.h"
#include "span_counted.h"
#include "span_run.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/quiet.h>
#include <iotrace/trace.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { FORGET = 1 << 20 };

struct recording_run {
	struct span_run *run;
	uint64_t forgotten; /* bytes of the spool in memory */
	struct record_places places;
	struct quiet quiet;
	sigset_t mask; /* signal mask of the command */
	struct live *live;
	char *cmdline;
};

/* Users are checked once it is known what the kernel counts: span_choice_check_users(). */
static int open_live(struct recording_run *r, struct error *err)
{
	const struct live_options live = {
		.recording = &r->run->options->record.recording,
		.place = record_places_spool(&r->places),
		.spool_path = r->places.spool,
		.memory = r->run->options->spool_memory,
		.cmdline = r->cmdline,
		.quiet = &r->quiet,
		.mask = &r->mask,
		.is_confined = true,
	};

	r->run->options->record.recording.has_checked_users = true;
	r->live = live_open(&live, err);
	r->run->live = r->live;
	return r->live ? 0 : -1;
}

static bool is_asked_to_stop(void *context)
{
	const struct recording_run *r = context;

	return live_interrupts(r->live) >= 2;
}

static void report_round(struct span_run *run, uint64_t now)
{
	uint64_t interval = run->options->interval, clock = probe_now();

	run->now = now > run->now ? now : run->now;
	run->next += clock > run->next ? (clock - run->next) / interval * interval : 0;
	run->next += interval;
	run->round(run->context);
}

/* What was read leaves the spool in memory. */
static void forget(struct recording_run *r)
{
	uint64_t at = run_position(r->run->run);

	if (!r->run->options->spool_memory || at < r->forgotten + FORGET)
		return;
	r->forgotten = at;
	live_forget(r->live, at, at);
}

/*
 * Everything that was recorded so far has been read. If nothing arrives until a round is due, everything until now is known. On a
 * machine where there is always more to read, the last event gives the current time.
 */
static uint64_t available(void *context, uint64_t have)
{
	struct recording_run *r = context;
	struct span_run *run = r->run;

	forget(r);
	while (run->round && !live_await(r->live, have, run->next))
		report_round(run, probe_now());
	if (run->round && live_ended(r->live) == LIVE_RUNNING &&
	    probe_now() >= run->next + (run->is_prompt ? 0 : run->options->interval))
		report_round(run, run->is_prompt ? probe_now() : span_engine_last(run->engine));
	return live_available(r->live, have);
}

static void log_begin(const struct recording_run *r)
{
	const struct recording *recording = &r->run->options->record.recording;

	if (recording->argv || recording->duration || probe_columns(STDERR_FILENO) <= 0)
		return;
	log_warn("recording %s; Ctrl-C ends it",
		 recording->is_system ? "all processes" : "the processes of -p");
}

/* Warns of the most frequent mistake: the recorded process runs another file. */
static void warn_of_probes(const struct span_run *run)
{
	for (uint32_t i = 0; i < run->options->set.spans; i++)
		if (run->options->set.span[i]->has_probes &&
		    !span_engine_books(run->engine, i)->events && !span_counted_has_events(run, i))
			log_warn(
				"span '%s': none of its probes was hit. Do the recorded processes run "
				"that file?",
				run->options->set.span[i]->name);
}

static int follow(struct recording_run *r, const char *name)
{
	const struct run_source source = {
		.path = r->places.spool,
		.place = record_places_spool(&r->places),
		.fd = r->run->options->spool_memory ? live_spool(r->live) : 0,
		.available = available,
		.available_context = r,
		.should_stop = is_asked_to_stop,
		.context = r,
	};
	struct error err = {0};
	int converted = run_convert(r->run->run, &source, &err);
	int exec_errno = 0, status;
	const char *remark;

	command_begin_line(live_take_ctrl_c(r->live));
	if (r->run->ended)
		r->run->ended(r->run->context, r->live);
	span_engine_end(r->run->engine);
	status = command_exit_status(live_wait(r->live, &exec_errno));
	if (exec_errno) {
		r->run->has_failed = true;
		return cannot_run(&r->run->options->record, name, exec_errno);
	}
	for (uint32_t i = 0; (remark = live_remark(r->live, i)); i++)
		log_warn("%s", remark);
	warn_of_probes(r->run);
	for (uint32_t i = 0; (remark = run_warning(r->run->run, i)); i++)
		log_warn("%s", remark);
	if (converted < 0) {
		command_complain(&err);
		status = STATUS_FAILED;
	}
	return status;
}

static int start(struct recording_run *r, struct error *err)
{
	const struct recording *recording = &r->run->options->record.recording;
	int code = limit_check(err);

	if (!code && recording->ready_fd)
		code = live_keep_ready_fd(recording->ready_fd, err);
	if (!code && r->run->options->spool_memory)
		r->places.spool = mem_strdup("the records in memory");
	else if (!code)
		code = record_places_open(&r->places, &r->run->options->record, err);
	if (!code)
		code = open_live(r, err);
	if (code)
		return code;
	if (r->places.place)
		run_use_directory(r->run->run, place_dir(r->places.place));
	run_fold_late(r->run->run);
	if (!recording->is_system)
		span_engine_choose_tasks(r->run->engine);
	code = span_choice_check_users(r->run->options, r->live, err);
	if (code)
		return code;
	return r->run->started ? r->run->started(r->run->context, r->live, err) : 0;
}

int span_run_live(struct span_run *run, int argc, char **argv)
{
	struct recording_run r = {.run = run};
	struct error err = {0};
	int status = argc ? cannot_find(&run->options->record, argv[0]) : 0;

	if (status) {
		run->has_failed = true;
		return status;
	}
	quiet_begin(&r.quiet);
	live_hold_signals(&r.mask);
	r.cmdline = command_line(argc, argv);
	if (start(&r, &err) || live_start(r.live, &err)) {
		command_complain(&err);
		run->has_failed = true;
		status = err.code == EINTR ? STATUS_SIGNAL + SIGINT : STATUS_FAILED;
	} else {
		run->start = probe_now();
		run->next = run->start + run->options->interval + run->lag;
		log_begin(&r);
		status = follow(&r, argc ? argv[0] : "");
	}
	err = (struct error){0};
	if (r.live && live_close(r.live, &err)) {
		command_complain(&err);
		status = STATUS_FAILED;
	}
	run->live = NULL;
	record_places_release(&r.places);
	free(r.cmdline);
	sigprocmask(SIG_SETMASK, &r.mask, NULL); /* a pending signal ends iotrace now */
	return status;
}
