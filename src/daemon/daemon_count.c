/* daemon_count: see daemon_count.h. */
#include "daemon_count.h"

#include "analysis/span_run.h"
#include "command.h"
#include "daemon_hang.h"
#include "daemon_line.h"
#include "stat/stat_before.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/http.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/peer.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/publication.h>
#include <iotrace/trace.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Space in the kernel, and for the records of tasks. Groups need cells on each CPU. */
enum { RING = 256 << 10, SPOOL = 8 << 20, QUEUE = 1 << 20 };
enum { ROOM = 1 << 14, CELLS_LEAST = 1 << 12, CELLS_OF_CPU = 1 << 10, CELLS_MOST = 1 << 17 };
enum { FRAMES_TO_TRIM = 60 };

static const struct {
	const char *span;
	const char *needs; /* a tracepoint; NULL: none */
} views[PUBLICATION_VIEWS] = {
	[PUBLICATION_DEVICE] = {"block", NULL},
	[PUBLICATION_FS] = {"syscall", NULL},
	[PUBLICATION_FUSE] = {"fuse", "fuse:fuse_request_send"},
};

struct count_job {
	const struct daemon_count *count;
	struct span_options *options;
	struct span_run *run;
	struct daemon_view view[PUBLICATION_VIEWS];
	struct stat_before before;
	struct daemon_hangs hangs; /* if they are wanted */
	uint32_t frames;           /* written */
	bool has_begun, has_failed;
};

static void write_frame(struct count_job *job, uint64_t now)
{
	int64_t realtime = trace_host(run_trace(job->run->run))->realtime_offset;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	daemon_line_begin(out, job->view[0].from, now, now + (uint64_t)realtime);
	for (int i = 0; i < PUBLICATION_VIEWS; i++)
		if (job->view[i].is_counted)
			daemon_view_write(&job->view[i], job->run->live, now, out);
	daemon_line_end(out);
	fclose(out);
	if (job->count->hang)
		daemon_hangs_tell(&job->hangs, job->run, now);
	if (place_write_all(STDOUT_FILENO, text, size)) {
		job->has_failed = true;
		live_end_at_limit(job->run->live);
	}
	free(text);
}

static void begin(struct count_job *job)
{
	for (int i = 0; i < PUBLICATION_VIEWS && !job->has_begun; i++)
		if (job->view[i].is_counted)
			daemon_view_begin(&job->view[i], job->run->live);
	job->has_begun = true;
}

/* Gives back what the kernel's types took while programs were loaded, and later, what many tasks and files took that are gone. */
static void trim_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static void report_now(void *context)
{
	struct count_job *job = context;

	begin(job);
	write_frame(job, job->run->now);
	if (!(++job->frames % FRAMES_TO_TRIM))
		trim_memory();
}

static void report_last(void *context, struct live *live)
{
	struct count_job *job = context;

	(void)live;
	begin(job);
	if (!job->has_failed)
		write_frame(job, probe_now());
}

static int report_all(void *context, struct error *err)
{
	(void)context;
	(void)err;
	return 0;
}

/* Returns the index among the counted spans, or -1. */
static int counted_index(const struct span_options *options, const char *name)
{
	for (uint32_t i = 0; i < options->counted_count; i++)
		if (!strcmp(options->counted[i].name, name))
			return (int)i;
	return -1;
}

/* Returns whether the view is counted. */
static bool start_view(struct count_job *job, int view, struct live *live)
{
	int index = counted_index(job->options, views[view].span);
	const char *why = index < 0 ? "this kernel or user has no such events"
				    : live_counted_why(live, (uint32_t)index);

	job->view[view] = (struct daemon_view){.view = (uint32_t)view,
					       .index = (uint32_t)index,
					       .is_counted = !why,
					       .hang = job->count->hang,
					       .hangs = job->count->hang ? &job->hangs : NULL};
	if (view == PUBLICATION_FUSE && !why) {
		stat_before_begin(&job->before, job->count->names, probe_now());
		job->view[view].before = &job->before;
	}
	if (why)
		log_warn("%s are not counted: %s", daemon_view_title((uint32_t)view), why);
	return !why;
}

static int started(void *context, struct live *live, struct error *err)
{
	struct count_job *job = context;
	int counted = 0;

	for (int i = 0; i < PUBLICATION_VIEWS; i++)
		counted += start_view(job, i, live);
	job->run->is_prompt = true;
	trim_memory();
	return counted ? 0 : error_say(err, ENOTSUP, "the kernel counts nothing for this user");
}

static void found(void *context, const char *type, const char *name)
{
	(void)type;
	(void)name;
	*(bool *)context = true;
}

static bool has_events(const char *tracepoint)
{
	bool is_there = !tracepoint;

	if (tracepoint)
		probe_fields(tracepoint, found, &is_there);
	return is_there;
}

static void choose(const struct count_job *job)
{
	struct span_options *options = job->options;
	const struct daemon_count *count = job->count;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	long cells = (cpus > 0 ? cpus : 1) * CELLS_OF_CPU;

	span_options_init(options);
	options->interval = count->interval;
	options->is_stat = options->is_of_owners = options->is_countable = true;
	options->record.recording.is_system = true;
	options->record.recording.has_only_counts = true;
	options->record.recording.own_pid[RECORDING_OWN_DISPLAY] = (uint32_t)getppid();
	options->record.verbosity = count->verbosity;
	options->record.recording.ring_bytes = RING;
	options->record.recording.buffer_bytes = QUEUE;
	options->spool_memory = SPOOL;
	options->room = ROOM;
	options->cells = (uint32_t)(cells < CELLS_LEAST  ? CELLS_LEAST
				    : cells > CELLS_MOST ? CELLS_MOST
							 : cells);
	for (int i = 0; i < PUBLICATION_VIEWS; i++)
		if (has_events(views[i].needs))
			text_list_add(&options->words, views[i].span);
}

static void ignore(void *context, const struct span_seen *seen)
{
	(void)context;
	(void)seen;
}

/* The daemon holds them; the recording asks for them itself. */
void daemon_count_release_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The process that looks at tasks is begun before there are threads. Returns false after a message. */
static bool open_hangs(struct count_job *job)
{
	struct error err = {0};

	if (!job->count->hang)
		return true;
	if (daemon_hangs_open(&job->hangs, job->count->on_hang, job->count->names, &err)) {
		command_complain(&err);
		return false;
	}
	job->options->record.recording.own_pid[RECORDING_OWN_WATCH] = (uint32_t)watch_pid(
		job->hangs.hangs.watch);
	return true;
}

int daemon_count_run(void *context)
{
	static const struct span_output output = {.seen = ignore};
	struct span_options options = {0};
	struct count_job job = {.count = context, .options = &options};
	struct span_run run = {.options = &options,
			       .output = &output,
			       .round = report_now,
			       .started = started,
			       .ended = report_last,
			       .report = report_all,
			       .context = &job};
	int status;

	log_set_columns(0);
	daemon_count_release_signals();
	http_leave(job.count->http);
	peers_leave(job.count->peers);
	choose(&job);
	if (!open_hangs(&job))
		return STATUS_FAILED;
	job.run = &run;
	status = span_run_command(&run, job.count->command, views[0].span, 0, NULL);
	for (int i = 0; i < PUBLICATION_VIEWS; i++)
		daemon_view_release(&job.view[i]);
	if (job.count->hang)
		daemon_hangs_close(&job.hangs);
	span_options_release(&options);
	return status;
}
