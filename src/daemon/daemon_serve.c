/*
 * daemon_serve: see daemon_serve.h.
 *
 * The request is a line "stat VIEW INTERVAL COUNT FORMAT TOP TOTALS", or "snapshot". The programs in the kernel count only the calls of
 * this user, so there is nothing to filter later.
 */
#include "daemon_serve.h"

#include "command.h"
#include "option/duration.h"
#include "recorder.h"
#include "stat/stat_options.h"
#include "stat/stat_remote.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int refuse(const char *request)
{
	log_error("the daemon does not understand the request '%s'", request);
	return STATUS_FAILED;
}

/* Returns whether the request is one. */
static bool parse(struct stat_options *options, char view[STAT_REMOTE_WORD], const char *request)
{
	char format[STAT_REMOTE_WORD];
	unsigned long long interval;
	unsigned count, top, has_totals;

	if (sscanf(request, "stat %15s %llu %u %15s %u %u", view, &interval, &count, format, &top,
		   &has_totals) != 6 ||
	    !stat_remote_has(view) || !duration_is_interval(interval))
		return false;
	options->span.by = view;
	options->span.interval = interval;
	options->span.top = top;
	options->count = count;
	options->has_totals = has_totals;
	options->span.json.is_wanted = !strcmp(format, "json");
	options->csv.is_wanted = !strcmp(format, "csv");
	return true;
}

/* The recorder is asked as its own user would ask it. */
static int snapshot(const struct daemon_serving *serving, uint32_t uid)
{
	char pid[16];
	char *argv[] = {pid, NULL};
	int status;

	if (uid != 0 && uid != geteuid()) {
		log_error("only root and the user of the daemon may ask for a snapshot");
		return STATUS_FOUND;
	}
	if (!serving->flight) {
		log_error("this daemon has no flight recorder; it needs --flight");
		return STATUS_FOUND;
	}
	snprintf(pid, sizeof(pid), "%d", serving->flight);
	status = recorder_run(serving->snapshot, CONTROL_SNAPSHOT, 1, argv);
	fflush(stdout);
	return status;
}

int daemon_serve(void *context, uint32_t uid, const char *request)
{
	const struct daemon_serving *serving = context;
	struct stat_options options = {0};
	char view[STAT_REMOTE_WORD];
	int status;

	log_set_columns(0);
	if (!strcmp(request, "snapshot"))
		return snapshot(serving, uid);
	stat_options_init(&options);
	options.is_batch = true;
	options.span.record.recording.is_system = true;
	options.span.has_user = uid != 0;
	options.span.user = uid;
	status = parse(&options, view, request) ? serving->stat->run(&options, 0, NULL)
						: refuse(request);
	stat_options_release(&options);
	return status;
}
