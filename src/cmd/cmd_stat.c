/*
 * stat: what system calls, devices, file systems or any span do now: a table for each interval.
 *
 * Events arrive in the order of time, but some time after they happened. So an interval ends with the first event after it, or when no
 * earlier event can arrive any more.
 */
#include "analysis/span_counted.h"
#include "analysis/span_print.h"
#include "analysis/span_run.h"
#include "command.h"
#include "stat/stat_before.h"
#include "stat/stat_counted.h"
#include "stat/stat_display.h"
#include "stat/stat_hang.h"
#include "stat/stat_losses.h"
#include "stat/stat_names.h"
#include "stat/stat_options.h"
#include "stat/stat_out.h"
#include "stat/stat_paths.h"
#include "stat/stat_published.h"

#include <errno.h>
#include <iotrace/counted_read.h>
#include <iotrace/error.h>
#include <iotrace/frame.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/probe.h>
#include <iotrace/users.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of the recorder are shorter, and events of one round leave it with the next. */
static const uint64_t lag_ns = 300000000;

/* After a longer silence, one table is printed for all of it. */
enum { SILENT_INTERVALS = 10 };

struct stat_job {
	struct stat_options *options;
	struct span_run *run;
	struct frames *frames;
	struct stat_out out;
	struct stat_hangs hangs;
	uint64_t next; /* end of this interval; 0: not begun */
	uint32_t frames_reported;
	bool is_counted; /* in the kernel */
	struct stat_names names;
	struct stat_before before; /* of FUSE connections */
	struct stat_paths paths;
	bool is_over;
};

/* As with head(1). The command of --on-hang needs no reader. */
static bool is_for_nobody(const struct stat_job *job)
{
	return stat_out_is_unread(&job->out) && !job->options->on_hang;
}

static void end_frame(struct stat_job *job, uint64_t to)
{
	struct span_run *run = job->run;
	struct frame_report report;

	if (job->is_counted) {
		run_define_spans(run->run);
		stat_counted_cut(job->frames, run, &job->paths, to);
	} else {
		frames_cut(job->frames, to);
		span_engine_look(run->engine, to, frames_open, job->frames);
	}
	if (job->names.has_connections) {
		stat_before_look(&job->before, job->frames, false);
		stat_before_open(&job->before, job->frames, to, false);
	}
	report = stat_out_report(&job->out, run, frames_get(job->frames));
	/* The model names the file systems of samples. */
	if (job->is_counted || !stat_names_are_of_file_systems(&job->names))
		stat_names_use(&job->names, &report);
	if (job->hangs.watch)
		stat_hangs_take(&job->hangs, &report);
	stat_out_frame(&job->out, run->fd, &report);
	frames_next(job->frames);
	if (++job->frames_reported != job->options->count && !is_for_nobody(job))
		return;
	job->is_over = true;
	live_end_at_limit(run->live);
}

/* Events from the start of the recording itself belong to the first interval. */
static void begin_frames(struct stat_job *job, uint64_t first)
{
	uint64_t start = first && first < job->run->start ? first : job->run->start;

	if (job->next)
		return;
	frames_start(job->frames, start);
	job->next = job->run->start + job->options->span.interval;
}

static void see_time(struct stat_job *job, uint64_t time)
{
	uint64_t interval = job->options->span.interval;

	begin_frames(job, time);
	while (!job->is_over && time >= job->next) {
		if (time - job->next > SILENT_INTERVALS * interval)
			job->next += (time - job->next) / interval * interval;
		end_frame(job, job->next);
		job->next += interval;
	}
}

static void begun(void *context, const struct span_seen *span)
{
	struct stat_job *job = context;

	see_time(job, span->begin);
	frames_begun(job->frames, span);
}

static void left(void *context, const struct span_seen *span)
{
	struct stat_job *job = context;

	see_time(job, span->end);
	frames_left(job->frames, span);
}

static void seen(void *context, const struct span_seen *span)
{
	struct stat_job *job = context;

	see_time(job, span->end);
	frames_seen(job->frames, span);
}

static void moved(void *context, const struct span_moved *moved)
{
	struct stat_job *job = context;

	see_time(job, moved->time);
	frames_moved(job->frames, moved);
}

/* The row of a process or thread that has ended is not that of the next one with its number. */
static void born(void *context, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct stat_job *job = context;
	const char *by = job->options->span.by;

	if (!job->is_counted)
		see_time(job, time);
	if (by && !strcmp(by, "thread"))
		frames_renew(job->frames, tid, time);
	else if (by && !strcmp(by, "process") && pid == tid)
		frames_renew(job->frames, pid, time);
}

static void report_now(void *context)
{
	struct stat_job *job = context;

	if (job->is_counted)
		begin_frames(job, live_counted_books(job->run->live, 0).first);
	if (job->is_counted && !job->is_over)
		end_frame(job, job->run->now);
	else if (job->run->now > job->run->lag)
		see_time(job, job->run->now - job->run->lag);
}

/* The rest of the last interval, so that the tables add up to the whole. */
static void report_last(void *context, struct live *live)
{
	struct stat_job *job = context;
	uint64_t end = job->is_counted ? live_counted_books(live, 0).last
				       : span_engine_last(job->run->engine);

	begin_frames(job, job->is_counted ? live_counted_books(live, 0).first : end);
	if (!job->is_counted)
		see_time(job, end);
	if (!job->is_over && end > frames_get(job->frames)->from)
		end_frame(job, end);
	job->is_over = true;
	if (job->is_counted)
		stat_losses_of_counters(job->run, live);
}

static void name_user(void *engine, uint32_t uid, const char *name)
{
	span_engine_name_user(engine, uid, name);
}

/* When the recording is open, it is known whether the kernel counts. */
static int started(void *context, struct live *live, struct error *err)
{
	struct stat_job *job = context;
	const struct span_options *options = &job->options->span;
	const char *why = options->counted_count ? live_counted_why(live, 0)
			  : options->why         ? options->why
						 : "its begins and ends come from the model";
	bool is_of_fs = stat_names_are_of_file_systems(&job->names);

	if (why && options->has_user)
		return error_say(err, ENOTSUP, "the kernel cannot count the calls of one user: %s",
				 why);
	span_engine_keep_names(job->run->engine);
	users_each(name_user, job->run->engine);
	if (why && (is_of_fs || record_has_paths(&options->record.recording)))
		span_engine_choose_calls(job->run->engine, options->record.recording.raw_groups);
	job->is_counted = !why;
	job->run->is_prompt = job->is_counted;
	if (job->names.has_connections)
		stat_before_begin(&job->before, job->names.mounts, probe_now());
	span_counted_begin(job->run);
	if (job->is_counted)
		return 0;
	if (options->by && (!strcmp(options->by, "user") || !strcmp(options->by, "cgroup")))
		return error_say(err, ENOTSUP,
				 "--by %s: only BPF programs know whose a call is, and: %s",
				 options->by, why);
	job->run->lag = lag_ns;
	log_warn(
		options->set.span[0]->source == SPAN_OF_TRACEPOINTS
			? "each event is recorded, which costs the programs about three times as "
			  "much as counting in the kernel: %s"
			: "each operation is recorded, which costs the programs two to five times as "
			  "much as counting in the kernel: %s",
		why);
	return 0;
}

static int report_all(void *context, struct error *err)
{
	struct stat_job *job = context;

	if (!job->is_counted)
		stat_losses_of_records(job->run);
	return stat_out_end(&job->out, err);
}

static int stat_run(struct stat_options *options, const char *span, int argc, char **argv)
{
	struct stat_job job = {.options = options};
	const struct span_output output = {.seen = seen,
					   .begun = begun,
					   .left = left,
					   .moved = moved,
					   .born = born,
					   .context = &job};
	struct span_run run = {.options = &options->span,
			       .output = &output,
			       .round = report_now,
			       .started = started,
			       .ended = report_last,
			       .report = report_all,
			       .context = &job};
	struct error err = {0};
	int status;

	if (stat_out_open(&job.out, options, &err) ||
	    stat_names_open(&job.names, options->span.by, &err) ||
	    (options->hang && stat_hangs_open(&job.hangs, options->on_hang, &err))) {
		stat_out_close(&job.out);
		stat_names_close(&job.names);
		command_complain(&err);
		return STATUS_FAILED;
	}
	job.run = &run;
	stat_paths_open(&job.paths, &options->span.record.recording);
	if (job.hangs.watch)
		options->span.record.recording.own_pid[RECORDING_OWN_WATCH] = (uint32_t)watch_pid(
			job.hangs.watch);
	options->span.is_countable = true;
	job.frames = frames_new(options->hang);
	status = span_run_command(&run, &command_stat, span, argc, argv);
	if (status == STATUS_OK && job.hangs.met)
		status = STATUS_HANG;
	stat_hangs_close(&job.hangs);
	frames_free(job.frames);
	stat_out_close(&job.out);
	stat_names_close(&job.names);
	stat_paths_close(&job.paths);
	return status;
}

/* Without anything to follow, the whole machine is, as in other tools of this kind. Returns 0, or -EPERM with a message. */
static int follow_all(struct stat_options *options, int argc, struct error *err)
{
	struct recording *recording = &options->span.record.recording;
	char *why;

	if (argc || recording->pids.count || recording->is_system)
		return 0;
	recording->is_system = stat_may_follow_all();
	if (recording->is_system)
		return 0;
	why = stat_published_lack(options);
	error_say(err, EPERM, "%s, and this user may not follow the whole machine", why);
	free(why);
	error_hint(err, "To follow a command: iotrace stat -- COMMAND");
	error_hint(
		err,
		"To see the whole machine, as root: iotrace stat, or for all users: iotrace daemon");
	return -EPERM;
}

static int run_stat(void *context, int argc, char **argv)
{
	struct stat_options *options = context;
	struct error err = {0};
	const char *span;
	int status = -1;

	if (stat_options_check(options, &err))
		return command_misused(&command_stat, &err);
	if (stat_published_is_wanted(options, argc))
		return stat_published(options, &command_stat, argc, argv);
	if (follow_all(options, argc, &err)) {
		command_complain(&err);
		return STATUS_FAILED;
	}
	span = stat_options_view(options, &err);
	if (!span)
		return command_misused(&command_stat, &err);
	if (stat_display_is_wanted(options, argc))
		status = stat_display_run(options, span, stat_run, argc, argv);
	return status < 0 ? stat_run(options, span, argc, argv) : status;
}

const struct command command_stat = {
	.name = "stat",
	.help = "Shows what system calls, processes, devices, FUSE file systems or other spans\ndo now: a table for each interval.",
	.operands = "[--] COMMAND [ARG]...",
	.about =
		"On a terminal and without a COMMAND, the table is interactive; h shows its keys.\n"
		"Otherwise tables go to standard output, with a COMMAND to standard error.\n"
		"The exit status is 3 if something hung (--hang), or that of a COMMAND that\nfails.\n",
	.row = stat_rows,
	.runs_command = true,
	.needs_rights = true,
	.size = sizeof(struct stat_options),
	.init = stat_options_init,
	.run = run_stat,
	.release = stat_options_release,
};
