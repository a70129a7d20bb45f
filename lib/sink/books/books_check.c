/* books_check: the sentence about completeness. */
#include "print/summary_name.h"

#include <iotrace/books.h>
#include <iotrace/pause.h>
#include <iotrace/trace.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is incomplete. */
enum missing { OF_EVENTS, OF_ARCHIVE };
/* When a reason applies. CUT: iotrace had to stop writing early; WHOLE: it could write everything. */
enum when { ALWAYS, CUT, WHOLE };

/* Why events are missing, and a remedy. */
static const struct {
	enum tally_counter counter;
	enum missing of;
	enum when when;
	const char *why, *why_many; /* singular, plural */
	const char *remedy;         /* if calls were recorded with perf; NULL: none */
	const char *remedy_of_bpf;
} loss[] = {
	{TALLY_lost, OF_EVENTS, ALWAYS, "the kernel's ring buffer was full",
	 "the kernel's ring buffers were full", "a larger ring buffer with -m",
	 "a larger ring buffer with -m"},
	{TALLY_unseen, OF_EVENTS, WHOLE, "the kernel did not deliver it",
	 "the kernel did not deliver them", "--source=bpf", NULL},
	{TALLY_unseen, OF_EVENTS, CUT, "iotrace could not write it to its spool",
	 "iotrace could not write them to its spool", NULL, NULL},
	{TALLY_malformed, OF_EVENTS, ALWAYS, "it does not follow its format",
	 "they do not follow their format", NULL, NULL},
	{TALLY_sink_refused, OF_ARCHIVE, ALWAYS, "OTF2 cannot express it",
	 "OTF2 cannot express them", NULL, NULL},
	{TALLY_sink_unwritten, OF_ARCHIVE, ALWAYS, "it could not be written",
	 "they could not be written", NULL, NULL},
};

/* Reasons for an unknown number of missing events. The text follows the value of the counter. */
static const struct {
	enum tally_counter counter;
	const char *text, *text_many; /* singular, plural */
} gap[] = {
	{TALLY_detached,
	 "program continued without being recorded, because it is set-uid or may not be read "
	 "(--source=bpf records it)",
	 "programs continued without being recorded, because they are set-uid or may not be read "
	 "(--source=bpf records them)"},
	{TALLY_resumed,
	 "program was not recorded for a moment after its begin, because it is set-uid or may not be "
	 "read (--source=bpf records all of it)",
	 "programs were not recorded for a moment after their begin, because they are set-uid or may "
	 "not be read (--source=bpf records all of them)"},
	{TALLY_foreign_processes,
	 "process ran a 32-bit program, whose system calls are not recorded",
	 "processes ran 32-bit programs, whose system calls are not recorded"},
	{TALLY_foreign_apart, "32-bit system call of a 64-bit program is not recorded",
	 "32-bit system calls of 64-bit programs are not recorded"},
	{TALLY_cpus_unseen, "CPU came online, and some of its events are missing",
	 "CPUs came online, and some of their events are missing"},
	{TALLY_untraced, "new task could not be followed for lack of memory",
	 "new tasks could not be followed for lack of memory"},
	{TALLY_sampled, "kind of event has only samples, because of -F or -c of perf record",
	 "kinds of events have only samples, because of -F or -c of perf record"},
	{TALLY_unassigned,
	 "system call is in no archive, because the begin of its process was lost",
	 "system calls are in no archive, because the begins of their processes were lost"},
	{TALLY_unstored, "system call was not recorded for lack of memory",
	 "system calls were not recorded for lack of memory"},
	{TALLY_missed,
	 "event did not reach a BPF program: the kernel did not run the program, because it was "
	 "already running on that CPU",
	 "events did not reach a BPF program: the kernel did not run the program, because it was "
	 "already running on that CPU"},
	{TALLY_unkept, "begin of a span found no room in the kernel (--room makes it larger)",
	 "begins of spans found no room in the kernel (--room makes it larger)"},
	{TALLY_refused,
	 "kind of record is missing, because the kernel refuses the BPF programs for it",
	 "kinds of records are missing, because the kernel refuses the BPF programs for them"},
	{TALLY_uring_unseen,
	 "call of io_uring is recorded without its requests, because the kernel refuses the BPF "
	 "programs for them",
	 "calls of io_uring are recorded without their requests, because the kernel refuses the BPF "
	 "programs for them"},
	{TALLY_parts_missing, "part of the archive is missing or cannot be read",
	 "parts of the archive are missing or cannot be read"},
};

enum { LOSSES = sizeof(loss) / sizeof(*loss), GAPS = sizeof(gap) / sizeof(*gap) };

/* The data that a sentence needs. */
struct books_view {
	const struct tally *tally;
	enum when when;
	bool is_perf;
};

struct text {
	char *at;
	size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
	va_list list;
	int length = 0;

	va_start(list, format);
	if (text->used < text->size)
		length = vsnprintf(text->at + text->used, text->size - text->used, format, list);
	va_end(list);
	text->used += length > 0 ? (size_t)length : 0;
}

bool books_is_loss(enum tally_counter counter)
{
	for (int i = 0; i < LOSSES; i++)
		if (loss[i].counter == counter)
			return true;
	return false;
}

bool books_is_gap(enum tally_counter counter)
{
	for (int i = 0; i < GAPS; i++)
		if (gap[i].counter == counter)
			return true;
	return false;
}

/* Names the first missing parts of an archive, and the processes whose events they contain. */
static void add_parts(struct text *text, const struct trace *trace, uint64_t count)
{
	char number[SUMMARY_NUMBER];
	uint64_t i;

	for (i = 0; i < count && i < TRACE_MISSING; i++) {
		const struct trace_missing *missing = &trace_host(trace)->missing[i];
		bool has_events = missing->thread < trace_threads(trace);
		char *what = summary_string(trace, missing->what);
		char *who = has_events
				    ? summary_process(trace,
						      trace_thread(trace, missing->thread)->process)
				    : NULL;

		add(text, has_events ? "%s the events of %s (%s)" : "%s%s %s", i ? ";" : ":",
		    who ? who : "", what);
		free(who);
		free(what);
	}
	if (i < count)
		add(text, "; and %s more", summary_count(number, count - i));
}

/* Appends the gaps. Returns whether there are any. */
static bool add_gaps(struct text *text, const struct trace *trace, const struct tally *tally,
		     const char *before)
{
	char number[SUMMARY_NUMBER];
	bool has_any = false;

	for (int i = 0; i < GAPS; i++) {
		uint64_t count = tally->n[gap[i].counter];

		if (!count)
			continue;
		add(text, "%s%s %s", has_any ? "; " : before, summary_count(number, count),
		    count == 1 ? gap[i].text : gap[i].text_many);
		if (gap[i].counter == TALLY_parts_missing)
			add_parts(text, trace, count);
		has_any = true;
	}
	if (has_any)
		add(text, ".");
	return has_any;
}

static bool is_row_of(int row, const struct books_view *view)
{
	enum when when = loss[row].when;

	return view->tally->n[loss[row].counter] && (when == ALWAYS || when == view->when);
}

static uint64_t count_missing(const struct books_view *view, enum missing of)
{
	uint64_t missing = 0;

	for (int i = 0; i < LOSSES; i++)
		if (loss[i].of == of && is_row_of(i, view))
			missing += view->tally->n[loss[i].counter];
	return missing;
}

static void add_reasons(struct text *text, const struct books_view *view, enum missing of)
{
	uint64_t missing = count_missing(view, of);
	const char *before = " (";
	char number[SUMMARY_NUMBER];

	for (int i = 0; i < LOSSES; i++) {
		uint64_t count = view->tally->n[loss[i].counter];

		if (loss[i].of != of || !is_row_of(i, view))
			continue;
		add(text, "%s", before);
		if (count != missing)
			add(text, "%s: ", summary_count(number, count));
		add(text, "%s", count == 1 ? loss[i].why : loss[i].why_many);
		before = "; ";
	}
	add(text, ").");
}

/* Returns the remedy of a row whose counter is not 0, or NULL. */
static const char *remedy_of(int row, const struct books_view *view)
{
	const char *remedy = view->is_perf ? loss[row].remedy : loss[row].remedy_of_bpf;

	/* Chosen tracepoints can only be recorded with perf. */
	if (loss[row].counter == TALLY_unseen &&
	    tally_get(view->tally, unseen_chosen) == tally_get(view->tally, unseen))
		return NULL;
	return is_row_of(row, view) ? remedy : NULL;
}

static bool is_said_before(int row, const struct books_view *view)
{
	for (int i = 0; i < row; i++)
		if (remedy_of(i, view) && !strcmp(remedy_of(i, view), remedy_of(row, view)))
			return true;
	return false;
}

static void add_remedies(struct text *text, const struct books_view *view)
{
	const char *before = " Try ";

	for (int i = 0; i < LOSSES; i++) {
		const char *remedy = remedy_of(i, view);

		if (!remedy || is_said_before(i, view))
			continue;
		add(text, "%s%s", before, remedy);
		before = ", or ";
	}
	if (*before == ',')
		add(text, ".");
}

static void add_missing(struct text *text, const struct books_view *view)
{
	const struct tally *tally = view->tally;
	uint64_t samples = tally_get(tally, samples), missing = count_missing(view, OF_EVENTS);
	uint64_t all = samples + tally_get(tally, lost) + tally_get(tally, unseen);
	uint64_t records = count_missing(view, OF_ARCHIVE);
	char of[SUMMARY_NUMBER], number[SUMMARY_NUMBER];

	if (missing) {
		add(text, "incomplete: %s of %s event%s %s missing", summary_count(number, missing),
		    summary_count(of, all), all == 1 ? "" : "s", missing == 1 ? "is" : "are");
		add_reasons(text, view, OF_EVENTS);
	} else {
		add(text, "incomplete: %s event%s recorded", summary_count(of, samples),
		    samples == 1 ? " was" : "s were");
	}
	if (records) {
		add(text, "%s archive lacks %s record%s", missing ? " The" : ", but the",
		    summary_count(number, records), records == 1 ? "" : "s");
		add_reasons(text, view, OF_ARCHIVE);
	}
	add_remedies(text, view);
}

/* Then nobody knows what the rest of the capture has. */
static bool add_early_end(struct text *text, const struct trace_host *host, const char *before)
{
	if (host->conversion == TRACE_CONVERSION_STOPPED)
		add(text, "%s conversion was stopped. Later events were not converted.", before);
	else if (host->conversion == TRACE_CONVERSION_UNWRITTEN)
		add(text,
		    "%s conversion ended early, because its output could not be written. Later "
		    "events were not converted.",
		    before);
	return host->conversion != TRACE_CONVERSION_WHOLE;
}

/* A capture of iotrace has an END fact with the reason; one of perf has none. */
static bool add_broken_end(struct text *text, const struct trace_host *host,
			   const struct tally *tally)
{
	bool is_ours = host->source != TRACE_SOURCE_UNKNOWN;

	if (host->end_reason == TRACE_END_ERROR)
		add(text, "incomplete: an error ended the recording early");
	else if ((is_ours && host->end_reason < 0) || tally_get(tally, torn))
		add(text,
		    "incomplete: the capture has no end, because iotrace was killed, its disk "
		    "was full or the file was truncated. Later events are unknown.");
	else
		return false;
	return true;
}

static void add_complete(struct text *text, uint64_t samples)
{
	char number[SUMMARY_NUMBER];

	if (samples > 1)
		add(text, "complete: all %s events recorded", summary_count(number, samples));
	else
		add(text, samples ? "complete: the only event was recorded"
				  : "complete: there was nothing to record");
}

/* The user has chosen it, so no event counts as missing. */
static void add_limited(struct text *text, const struct trace *trace, uint64_t samples)
{
	char number[SUMMARY_NUMBER];

	add(text, "incomplete: --limit ended the recording after %s",
	    summary_time(number, trace_recorded(trace)));
	if (samples == 1)
		add(text, ". The only event until then was recorded");
	else if (samples)
		add(text, ". All %s events until then were recorded",
		    summary_count(number, samples));
}

bool books_gaps(const struct trace *trace, const struct tally *tally, char *text, size_t size)
{
	struct text out = {text, size, 0};

	return add_gaps(&out, trace, tally, "incomplete: ");
}

enum books_state books_check(const struct trace *trace, const struct tally *tally, char *text,
			     size_t size)
{
	const struct trace_host *host = trace_host(trace);
	const struct books_view view = {tally, host->end_reason == TRACE_END_ERROR ? CUT : WHOLE,
					host->source != TRACE_SOURCE_BPF};
	struct text out = {text, size, 0};
	char wrong[256];

	if (!tally_balance(tally, wrong, sizeof(wrong))) {
		add(&out,
		    "the event counts contradict each other: %s. If the capture is not damaged, "
		    "this is a bug in iotrace: please report it.",
		    wrong);
		return BOOKS_WRONG;
	}
	if (count_missing(&view, OF_EVENTS) || count_missing(&view, OF_ARCHIVE)) {
		add_missing(&out, &view);
		add_gaps(&out, trace, tally, " ");
		add_early_end(&out, host, " The");
		return BOOKS_LOSS;
	}
	if (add_gaps(&out, trace, tally, "incomplete: ")) {
		add_early_end(&out, host, " The");
		return BOOKS_LOSS;
	}
	if (add_early_end(&out, host, "incomplete: the") ||
	    add_broken_end(&out, trace_host(trace), tally))
		return BOOKS_LOSS;
	if (host->end_reason == TRACE_END_LIMIT)
		add_limited(&out, trace, tally_get(tally, samples));
	else if (host->is_of_others) {
		add(&out, "the archive does not say whether events are missing");
		return BOOKS_UNKNOWN;
	} else
		add_complete(&out, tally_get(tally, samples));
	return BOOKS_BALANCED;
}
