/* stat_published: see stat_published.h. */
#include "stat_published.h"

#include "command.h"
#include "stat_display.h"
#include "stat_frame.h"
#include "stat_out.h"
#include "stat_publishing.h"
#include "stat_remote.h"

#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/interrupt.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/mount_names.h>
#include <iotrace/probe.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BOOT_ID = 40 };

static const uint64_t ns_per_s = 1000000000;

struct reader {
	struct stat_options *options;
	struct stat_out out;
	char *path;
	struct publication_file *file;
	struct stat status; /* of the mapped file */
	struct publication before, now;
	bool has_before;
	bool is_past; /* the daemon had ended when this began, so it is not awaited if a number of intervals is wanted */
	struct stat_frame frame;
	enum publication_state state;
	int trouble;           /* errno of the last failure that was said */
	uint64_t daemon_start; /* of the daemon that was said */
	uint32_t frames;
	char boot_id[BOOT_ID];
};

static const char *const view_names[PUBLICATION_VIEWS + 1] = {[PUBLICATION_DEVICE] = "device",
							      [PUBLICATION_FS] = "fs",
							      [PUBLICATION_FUSE] = "fuse",
							      [PUBLICATION_VIEWS] = "all"};

static bool is_published(const char *by)
{
	for (int i = 0; by && i <= PUBLICATION_VIEWS; i++)
		if (!strcmp(by, view_names[i]))
			return true;
	return !by;
}

static char *path_of(const struct stat_options *options)
{
	return mem_format("%s/%s", options->directory, options->since ? "history" : "stat");
}

static bool has_file(const struct stat_options *options)
{
	char *path = path_of(options);
	bool has = !access(path, R_OK);

	free(path);
	return has;
}

bool stat_may_follow_all(void)
{
	return confine_may(CAP_SYS_ADMIN) || (confine_may(CAP_PERFMON) && confine_may(CAP_BPF));
}

static bool is_shown(const struct stat_options *options)
{
	return is_published(options->span.by) || stat_remote_has(options->span.by);
}

/* A daemon counts for everybody. */
static bool has_filters(const struct stat_options *options)
{
	const struct recording *recording = &options->span.record.recording;

	return recording->cgroups.count || recording->users.names.count ||
	       recording->selection.comms.count || record_has_paths(recording) ||
	       recording->blocks.devices.count || options->span.syscalls;
}

/* A user who may follow the whole machine does not need a daemon that has ended. */
static bool is_alive(const struct stat_options *options)
{
	char *why;
	bool is = stat_is_publishing(options->directory, &why);

	if (why)
		log_warn("%s; iotrace stat follows the whole machine itself", why);
	free(why);
	return is;
}

char *stat_published_lack(const struct stat_options *options)
{
	char *why;

	if (!has_file(options))
		return mem_format("no iotrace daemon publishes in %s", options->directory);
	if (!stat_is_publishing(options->directory, &why))
		return why;
	if (!is_shown(options))
		return mem_format("iotrace daemon publishes in %s, but it has no view %s",
				  options->directory, options->span.by);
	return mem_format(
		"iotrace daemon publishes in %s, but it counts everything: no --span, and nothing that the other options choose",
		options->directory);
}

bool stat_published_is_wanted(struct stat_options *options, int argc)
{
	const struct recording *recording = &options->span.record.recording;
	bool is_of_all = recording->is_system && !stat_may_follow_all();

	if (options->is_of_daemon || options->since)
		return true;
	if (argc || recording->pids.count || options->span.words.count || !is_shown(options) ||
	    (recording->is_system && !is_of_all) || has_filters(options))
		return false;
	options->is_of_daemon = has_file(options) && (!stat_may_follow_all() || is_alive(options));
	return options->is_of_daemon;
}

/* Says a failure once. A daemon that does not run is awaited. */
static void say_trouble(struct reader *reader, const struct error *err)
{
	if (reader->trouble != err->code)
		log_failure(LOG_WARN, err);
	reader->trouble = err->code;
}

static void say_state(const struct reader *reader)
{
	char *why = stat_publishing_state(&reader->now, reader->path, reader->boot_id);

	if (why)
		log_warn("%s; these are its last numbers", why);
	free(why);
}

static void see_daemon(struct reader *reader)
{
	const struct publication_head *head = &reader->now.head;
	enum publication_state state = publication_state(&reader->now, probe_now(),
							 reader->boot_id);
	bool is_new = head->start != reader->daemon_start;

	if (is_new && reader->daemon_start)
		log_warn("another iotrace daemon (process %u, %s) publishes now", head->pid,
			 head->program);
	else if (is_new)
		log_info("%s: of iotrace daemon, process %u, %s", reader->path, head->pid,
			 head->program);
	reader->daemon_start = head->start;
	reader->trouble = 0;
	if (state != reader->state || is_new) {
		reader->state = state;
		say_state(reader);
	}
}

/* Maps the file if it is another one than before. Returns 0, or -errno with a message. */
static int open_file(struct reader *reader, struct error *err)
{
	size_t row_size = reader->options->since ? sizeof(struct history_row)
						 : sizeof(struct publication_row);
	const char *magic = reader->options->since ? HISTORY_MAGIC : PUBLICATION_MAGIC;
	struct publication_file *file;
	struct stat status;

	if (stat(reader->path, &status))
		return error_set(err, errno, "%s: no iotrace daemon publishes there", reader->path);
	if (reader->file && status.st_dev == reader->status.st_dev &&
	    status.st_ino == reader->status.st_ino)
		return 0;
	file = publication_open(reader->path, magic, row_size, err);
	if (!file)
		return -err->code;
	publication_close(reader->file);
	reader->file = file;
	reader->status = status;
	reader->has_before = false;
	return 0;
}

static struct frame_report report_of(struct reader *reader)
{
	const struct stat_options *options = reader->options;
	const char *name = view_names[reader->frame.view];
	struct frame_report report = {
		.frame = &reader->frame.frame,
		.name = stat_frame_name,
		.name_context = &reader->frame,
		.view = name,
		.title = reader->frame.view == PUBLICATION_VIEWS ? "name" : name,
		.realtime = (int64_t)(reader->now.slot.realtime - reader->now.slot.monotonic),
		.has_no_total = reader->frame.view == PUBLICATION_VIEWS,
		.has_totals = options->has_totals,
		.top = options->span.top,
	};

	stat_out_style(&report, STDOUT_FILENO);
	return report;
}

static void show(struct reader *reader)
{
	struct frame_report report = report_of(reader);

	stat_out_frame(&reader->out, STDOUT_FILENO, &report);
	reader->frames++;
}

/* Of a daemon that had ended before, there is only its last interval. */
static void show_last(struct reader *reader)
{
	uint64_t newest = reader->now.slot.generation;

	reader->is_past = true;
	if (newest > 1 && publication_copy(reader->file, newest - 1, &reader->before))
		return;
	stat_frame_between(&reader->frame, newest > 1 ? &reader->before : NULL, &reader->now);
	show(reader);
}

static void say_uncounted(uint64_t ns)
{
	if (ns)
		log_warn(
			"nothing was counted for %.1f s before these numbers, because another process counts now",
			(double)ns / (double)ns_per_s);
}

/* Nothing was published since this began. */
static bool had_ended(const struct reader *reader, bool is_same)
{
	return reader->state != PUBLICATION_RUNS && !reader->frames && !reader->is_past &&
	       (is_same || !reader->has_before);
}

/* Shows what was published since the last time. */
static void show_now(struct reader *reader)
{
	struct publication swap;
	bool is_same = reader->has_before &&
		       reader->now.slot.generation == reader->before.slot.generation;

	see_daemon(reader);
	if (had_ended(reader, is_same)) {
		show_last(reader);
	} else if (is_same) {
		return;
	} else if (reader->has_before) {
		say_uncounted(stat_frame_uncounted(&reader->before, &reader->now));
		stat_frame_between(&reader->frame, &reader->before, &reader->now);
		show(reader);
	}
	swap = reader->before;
	reader->before = reader->now;
	reader->now = swap;
	reader->has_before = true;
}

static bool is_over(const struct reader *reader)
{
	return interrupt_has_come() || reader->out.is_closed || reader->out.code ||
	       (reader->options->count &&
		(reader->is_past || reader->frames >= reader->options->count));
}

/* A daemon publishes now and then, so a reading that is a bit later than that finds something new. */
static int follow(struct reader *reader, struct error *err)
{
	uint64_t interval = reader->options->span.interval, next = probe_now();
	bool has_begun = false;

	while (!is_over(reader)) {
		int code = open_file(reader, err);

		if (!code)
			code = publication_copy(reader->file, 0, &reader->now);
		if (!code) {
			show_now(reader);
			has_begun = true;
		} else if (!has_begun && code != -ENODATA && code != -EAGAIN) {
			return code;
		} else if (err->code) {
			say_trouble(reader, err);
		}
		*err = (struct error){0};
		next += interval;
		if (next < probe_now())
			next = probe_now();
		if (!is_over(reader))
			interrupt_wait(next);
	}
	return 0;
}

/* Shows the steps of the last hour that are young enough, the oldest first. */
static int show_history(struct reader *reader, struct error *err)
{
	uint64_t newest, first, now = probe_now();
	int code = open_file(reader, err);

	if (code)
		return code;
	code = publication_copy(reader->file, 0, &reader->now);
	newest = reader->now.head.generation;
	if (code == -ENODATA && !newest)
		return error_say(err, EAGAIN, "%s: it is empty until %.0f s after the daemon began",
				 reader->path, (double)reader->now.head.interval / 1e9);
	if (code)
		return error_set(err, -code, "%s", reader->path);
	see_daemon(reader);
	first = newest >= reader->now.head.slots ? newest - reader->now.head.slots + 1 : 1;
	for (uint64_t generation = first; generation <= newest && !is_over(reader); generation++) {
		if (publication_copy(reader->file, generation, &reader->now))
			continue;
		if (now > reader->options->since &&
		    reader->now.slot.monotonic < now - reader->options->since)
			continue;
		stat_frame_of_step(&reader->frame, &reader->now);
		show(reader);
	}
	return 0;
}

static uint32_t view_of(const char *by)
{
	uint32_t view = 0;

	while (by && view < PUBLICATION_VIEWS && strcmp(by, view_names[view]) != 0)
		view++;
	return by ? view : PUBLICATION_VIEWS;
}

static int ask(const struct stat_options *options)
{
	struct error err = {0};
	int code = stat_remote(options, &err);

	if (code < 0)
		command_complain(&err);
	return code ? STATUS_FAILED : STATUS_OK;
}

/* For stat_display_run(), too. */
static int run(struct stat_options *options, const char *span, int argc, char **argv)
{
	struct reader reader = {.options = options, .frame.view = view_of(options->span.by)};
	struct error err = {0};
	int code;

	if (!is_published(options->span.by))
		return ask(options);
	(void)span;
	(void)argc;
	(void)argv;
	interrupt_catch(-1);
	probe_boot_id(reader.boot_id, sizeof(reader.boot_id));
	reader.path = path_of(options);
	histogram_init(&reader.frame.total.histogram);
	reader.frame.mounts = mount_names_open("/proc", "/sys", &err);
	err = (struct error){0};
	code = stat_out_open(&reader.out, options, &err);
	if (!code)
		code = options->since ? show_history(&reader, &err) : follow(&reader, &err);
	if (!code)
		code = stat_out_end(&reader.out, &err);
	if (code == -EINTR && interrupt_has_come())
		code = 0;
	stat_out_close(&reader.out);
	mount_names_close(reader.frame.mounts);
	stat_frame_release(&reader.frame);
	publication_release(&reader.before);
	publication_release(&reader.now);
	publication_close(reader.file);
	free(reader.path);
	if (code)
		command_complain(&err);
	return code ? STATUS_FAILED : STATUS_OK;
}

static int check(const struct stat_options *options, int argc, struct error *err)
{
	const struct recording *recording = &options->span.record.recording;

	if (argc || recording->pids.count)
		return error_say(
			err, EINVAL,
			"--daemon and --since show the whole machine: they go without a COMMAND or -p");
	if (options->since && recording->is_system)
		return error_say(err, EINVAL,
				 "--since shows what a daemon has counted, so it goes without -a");
	if (options->span.words.count || options->hang)
		return error_say(
			err, EINVAL,
			"--daemon: a daemon counts no --span, and its own option --hang decides");
	if (has_filters(options))
		return error_say(
			err, EINVAL,
			"--daemon and --since: a daemon counts everything, so they go without "
			"--syscalls, --path, --exclude-path, --cgroup, --uid, --comm and --device");
	if (!is_shown(options) || (options->since && !is_published(options->span.by)))
		return error_say(
			err, EINVAL,
			"--by %s: a daemon has the views all, device, fs and fuse, and without "
			"--since also op, process, thread, user and cgroup",
			options->span.by);
	return 0;
}

int stat_published(struct stat_options *options, const struct command *command, int argc,
		   char **argv)
{
	struct error err = {0};
	int status = -1;

	if (check(options, argc, &err))
		return command_misused(command, &err);
	if (options->span.record.verbosity)
		log_set_level(options->span.record.verbosity > 1 ? LOG_DEBUG : LOG_INFO);
	options->view = options->title = options->span.by ? options->span.by : "all";
	if (!options->since && stat_display_is_wanted(options, argc))
		status = stat_display_run(options, "", run, argc, argv);
	return status < 0 ? run(options, NULL, argc, argv) : status;
}
