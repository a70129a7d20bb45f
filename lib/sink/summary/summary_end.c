/*
 * summary_end: reports that the recording or its archive ends before the command. This comes before all numbers, because they
 * describe only a part of the run.
 */
#include "summary.h"

#include <errno.h>
#include <iotrace/errname.h>
#include <iotrace/pause.h>
#include <iotrace/trace.h>

/* Used instead of an errno, which is positive. */
enum { AT_LIMIT = -1 };

static const struct {
	int error; /* 0: any other error */
	const char *what, *remedy;
} cause[] = {
	{AT_LIMIT, "--limit was reached", "choose a larger --limit"},
	{ENOSPC, "the disk was full", "choose a disk with more space (-o, --capture)"},
	{EDQUOT, "the disk quota was used up", "choose a disk with more space (-o, --capture)"},
	{EFBIG, "a file reached its size limit", "raise that limit (ulimit -f)"},
	{0, NULL, "choose another directory (-o, --capture)"},
};

static size_t cause_of(int error)
{
	size_t i = 0;

	while (cause[i].error && cause[i].error != error)
		i++;
	return i;
}

static void put_cause(int error, FILE *out)
{
	const char *what = cause[cause_of(error)].what;

	if (what)
		fputs(what, out);
	else
		fprintf(out, "iotrace could not write (%s)",
			error ? errname_text(error) : "the capture does not say why");
}

/* Relative to the begin of the run, like its duration. */
static uint64_t archive_time(const struct summary *summary)
{
	const struct sink_end *end = summary->options->archive_end;
	uint64_t first = trace_host(summary->collect->trace)->first_time;

	return end->time > first ? end->time - first : 0;
}

void summary_end_of_archive(const struct summary *summary, FILE *out)
{
	const struct sink_end *end = summary->options->archive_end;
	char number[SUMMARY_NUMBER];

	if (end && end->is_cut)
		fprintf(out, " (the first %s; later events could not be written)",
			summary_time(number, archive_time(summary)));
}

int summary_end_error(const struct summary *summary)
{
	const struct trace_host *host = trace_host(summary->collect->trace);

	return host->end_reason == TRACE_END_ERROR ? host->end_errno : 0;
}

/* Returns whether there were pauses. */
static bool put_pauses(const struct summary *summary, FILE *out)
{
	const struct trace *trace = summary->collect->trace;
	uint64_t recorded = trace_recorded(trace);
	uint64_t paused = trace_paused(trace, trace_host(trace)->first_time,
				       trace_host(trace)->last_time);
	char number[SUMMARY_NUMBER], whole[SUMMARY_NUMBER];

	if (!paused)
		return false;
	if (!recorded) {
		fputs("nothing was recorded: the recording was paused the whole time (--delay, "
		      "--start-stopped, iotrace pause).",
		      out);
		return true;
	}
	fprintf(out, "the recording was paused for %s of %s. All numbers exclude the pauses.",
		summary_time(number, paused), summary_time(whole, paused + recorded));
	return true;
}

bool summary_end(const struct summary *summary, FILE *out)
{
	const struct trace_host *host = trace_host(summary->collect->trace);
	const struct sink_end *archive = summary->options->archive_end;
	bool is_limited = host->end_reason == TRACE_END_LIMIT;
	bool is_cut = is_limited || host->end_reason == TRACE_END_ERROR;
	bool has_cut = archive && archive->is_cut;
	int error = is_limited ? AT_LIMIT : is_cut ? host->end_errno : has_cut ? -archive->code : 0;
	char number[SUMMARY_NUMBER];

	if (!is_cut && !has_cut)
		return put_pauses(summary, out);
	if (is_cut)
		fprintf(out, "recorded until %s, then ",
			summary_time(number, collect_wall(summary->collect)));
	else
		fprintf(out, "the archive ends at %s, then ",
			summary_time(number, archive_time(summary)));
	put_cause(error, out);
	fputs(is_cut ? ". All numbers cover that time" : ". The numbers here cover the whole run",
	      out);
	if (is_cut && has_cut)
		fprintf(out, "; the archive ends at %s",
			summary_time(number, archive_time(summary)));
	fprintf(out, ". To record more, %s.", cause[cause_of(error)].remedy);
	return true;
}
