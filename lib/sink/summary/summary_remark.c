/* summary_remark: notes on the numbers. A remark is a function and its row in a table; text and JSON have the same remarks. */
#include "summary.h"

#include <iotrace/books.h>
#include <iotrace/capture.h>
#include <iotrace/trace.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The remark appears from this length of the recording on, and from this share of time in which a task waited. */
enum { BUSY_LEAST_NS = 100000000 };
static const double BUSY_LEAST = 0.2;

static bool remark_status(const struct summary *summary, char *text, size_t size)
{
	int status = trace_host(summary->collect->trace)->status;

	if (status < 0 || !status)
		return false;
	if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		snprintf(text, size, "the command was ended by signal %d%s%s%s.", WTERMSIG(status),
			 name ? " (SIG" : "", name ? name : "", name ? ")" : "");
	}
	if (WIFEXITED(status))
		snprintf(text, size, "the command ended with exit status %d.", WEXITSTATUS(status));
	return true;
}

static bool remark_early_end(const struct summary *summary, char *text, size_t size)
{
	const struct trace *trace = summary->collect->trace;

	int reason = trace_host(trace)->end_reason;

	if (!books_ends_early(trace) || reason == TRACE_END_ERROR || reason == TRACE_END_LIMIT)
		return false;
	snprintf(text, size, "the recording was stopped before %s ended.",
		 trace_host(trace)->is_joined ? "all commands" : "the command");
	return true;
}

static bool remark_left(const struct summary *summary, char *text, size_t size)
{
	const struct trace_host *host = trace_host(summary->collect->trace);
	bool is_one = host->processes_left == 1;
	bool can_wait = host->argv && !host->is_joined && host->end_reason >= 0 &&
			!books_ends_early(summary->collect->trace);
	char number[SUMMARY_NUMBER];

	if (!host->processes_left || host->is_system)
		return false;
	snprintf(text, size, "%s %s still running when the recording ended.%s",
		 summary_count(number, host->processes_left),
		 is_one ? "process was" : "processes were",
		 !can_wait ? ""
		 : is_one  ? " To wait for it, use --wait."
			   : " To wait for them, use --wait.");
	return true;
}

static bool remark_perf(const struct summary *summary, str_id why, const char *what, char *text,
			size_t size)
{
	const struct trace *trace = summary->collect->trace;
	char *reason = summary_string(trace, why);

	snprintf(text, size, "%s recorded with perf instead of BPF: %s", what, reason);
	free(reason);
	return true;
}

/* Whether the user has requested perf. */
static bool is_asked_for(const struct summary *summary, str_id why)
{
	return !strcmp(trace_text(summary->collect->trace, why), "--source=perf");
}

static bool remark_source(const struct summary *summary, char *text, size_t size)
{
	const struct trace_host *host = trace_host(summary->collect->trace);

	return host->source == TRACE_SOURCE_PERF && host->source_why &&
	       !is_asked_for(summary, host->source_why) &&
	       remark_perf(summary, host->source_why, "calls were", text, size);
}

static bool remark_block_source(const struct summary *summary, char *text, size_t size)
{
	const struct trace_host *host = trace_host(summary->collect->trace);

	return host->block_source == TRACE_SOURCE_PERF && host->source != TRACE_SOURCE_PERF &&
	       host->block_why &&
	       remark_perf(summary, host->block_why, "block requests were", text, size);
}

/* Appends as much as fits. */
static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

static bool remark_refused(const struct summary *summary, char *text, size_t size)
{
	const struct trace *trace = summary->collect->trace;
	uint32_t refusals = trace_refusals(trace);

	snprintf(text, size, "the kernel refuses BPF programs:");
	for (uint32_t i = 0; i < refusals; i++) {
		const struct trace_refused *refused = trace_refused(trace, i);
		char *name = summary_string(trace, refused->name);
		char *why = summary_string(trace, refused->why);
		char *instead = summary_string(trace, refused->instead);

		append(text, size, "%s %s: %s%s%s", i ? ";" : "", name, why,
		       *instead ? "; recorded with " : "", instead);
		free(name);
		free(why);
		free(instead);
	}
	return refusals;
}

/* Writes "'a', 'b'": the filters of a kind. Returns whether there is any. */
static bool name_filters(const struct trace *trace, enum fact_filter kind, char *text, size_t size)
{
	bool has_any = false;

	*text = '\0';
	for (uint32_t i = 0; i < trace_filters(trace); i++) {
		const struct trace_filter *filter = trace_filter(trace, i);
		char *name;

		if (filter->kind != kind)
			continue;
		name = summary_string(trace, filter->text);
		append(text, size, "%s'%s'", has_any ? ", " : "", name);
		free(name);
		has_any = true;
	}
	return has_any;
}

static bool remark_path(const struct summary *summary, char *text, size_t size)
{
	const struct trace *trace = summary->collect->trace;
	uint64_t elsewhere = trace_calls_elsewhere(trace);
	char names[512], number[SUMMARY_NUMBER];

	if (trace_met_path(trace) ||
	    !name_filters(trace, FILTER_PATH_INCLUDED, names, sizeof(names)))
		return false;
	snprintf(text, size, "no file matched --path %s.", names);
	if (elsewhere)
		append(text, size, " %s calls on other files, or on no file, were excluded.",
		       summary_count(number, elsewhere));
	return true;
}

/* Remarks that the chosen tasks made no call at all. A task must match each kind of filter, so one sentence names all of them. */
static bool remark_tasks(const struct summary *summary, char *text, size_t size)
{
	static const struct {
		enum fact_filter kind;
		const char *option;
	} chosen[] = {{FILTER_COMM, "--comm"}, {FILTER_USER, "--uid"}, {FILTER_CGROUP, "--cgroup"}};
	const struct trace *trace = summary->collect->trace;
	str_id name[TRACE_OTHERS];
	uint32_t others = trace_others(trace, name);
	char names[512];
	bool has_any = false;

	if (tally_get(summary->options->tally, calls))
		return false;
	snprintf(text, size, "no task that matches");
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		if (!name_filters(trace, chosen[i].kind, names, sizeof(names)))
			continue;
		append(text, size, "%s %s %s", has_any ? " and" : "", chosen[i].option, names);
		has_any = true;
	}
	append(text, size, " made a call.");
	for (uint32_t i = 0; i < others; i++) {
		char *other = summary_string(trace, name[i]);

		append(text, size, "%s'%s'", i ? ", " : " Calls of ", other);
		free(other);
	}
	if (others)
		append(text, size, "%s",
		       others == TRACE_OTHERS ? " and perhaps others were excluded."
					      : " were excluded.");
	return has_any;
}

static bool has_requests(const struct collect *collect)
{
	for (uint32_t id = 0; id < trace_devices(collect->trace); id++)
		if (collect_device(collect, id))
			return true;
	return false;
}

static bool remark_device(const struct summary *summary, char *text, size_t size)
{
	uint64_t others = tally_get(summary->options->tally, requests_excluded);
	char names[512], number[SUMMARY_NUMBER];

	if (has_requests(summary->collect) ||
	    !name_filters(summary->collect->trace, FILTER_DEVICE, names, sizeof(names)))
		return false;
	snprintf(text, size, "no block request of %s was recorded.", names);
	if (others)
		append(text, size, " %s of tasks that are not recorded were excluded.",
		       summary_count(number, others));
	return true;
}

/* The tables contain only calls, so events of -e are remarked here. */
static bool remark_tracepoints(const struct summary *summary, char *text, size_t size)
{
	static const char prefix[] = CAPTURE_CHOSEN_PREFIX;
	const struct trace *trace = summary->collect->trace;
	const char *before = "events of -e: ";
	char names[512], number[SUMMARY_NUMBER];

	*text = '\0';
	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		char *name = summary_string(trace, count->name);

		if (!strncmp(name, prefix, strlen(prefix))) {
			append(text, size, "%s%s of %.*s", before,
			       summary_count(number, count->counted),
			       (int)strcspn(name + strlen(prefix), "="), name + strlen(prefix));
			before = ", ";
		}
		free(name);
	}
	/* The kernel counts them without looking at users. */
	if (name_filters(trace, FILTER_USER, names, sizeof(names)))
		append(text, size, ", of all users. Only those of %s are in the output", names);
	append(text, size, ".");
	return *before == ',';
}

/* The table has one row for all of them. */
static bool remark_shared(const struct summary *summary, char *text, size_t size)
{
	const struct trace *trace = summary->collect->trace;
	char number[SUMMARY_NUMBER];

	for (process_id id = 0; id < trace_processes(trace); id++) {
		uint32_t sharing = trace_process(trace, id)->sharing;

		if (!sharing)
			continue;
		snprintf(text, size,
			 "%s process%s in one row, because an archive has room for few threads. "
			 "With --format null each process has its own row.",
			 summary_count(number, sharing), sharing == 1 ? " is" : "es are");
		return true;
	}
	return false;
}

/* If a task waits for a CPU during a call, the wait is part of the call's time. */
static bool remark_busy(const struct summary *summary, char *text, size_t size)
{
	const struct trace_host *host = trace_host(summary->collect->trace);
	uint64_t wall = host->last_time > host->first_time ? host->last_time - host->first_time : 0;
	double share = wall ? (double)host->cpu_wait / (double)wall : 0;

	if (wall < BUSY_LEAST_NS || share < BUSY_LEAST)
		return false;
	snprintf(text, size,
		 "calls may have taken longer: some task waited for a CPU %.0f %% of the time.",
		 share < 1 ? share * 100 : 100);
	return true;
}

static bool remark_init(const struct summary *summary, char *text, size_t size)
{
	snprintf(text, size,
		 "process 1 ran, but this kernel reports none of its system calls; those of other "
		 "processes are recorded.");
	return tally_get(summary->options->tally, untraceable);
}

/* A user who names process 1 may mean all its descendants. */
static bool remark_attached_init(const struct summary *summary, char *text, size_t size)
{
	const struct trace_host *host = trace_host(summary->collect->trace);

	snprintf(
		text, size,
		"-p 1 records process 1 and the processes that it starts during the recording, but "
		"not those that were running already; -a records all.");
	for (uint32_t i = 0; i < host->attached && i < TRACE_ATTACHED; i++)
		if (host->attached_pid[i] == 1)
			return true;
	return false;
}

static bool (*const remark[])(const struct summary *summary, char *text, size_t size) = {
	remark_status,  remark_early_end, remark_left,  remark_source,        remark_block_source,
	remark_refused, remark_path,      remark_tasks, remark_device,        remark_tracepoints,
	remark_shared,  remark_busy,      remark_init,  remark_attached_init,
};

enum { REMARKS = sizeof(remark) / sizeof(*remark) };

/* Undelivered ends of requests are missing events, too, and the table of devices shows them. */
static uint64_t unseen_ends(const struct collect *collect)
{
	uint64_t ends = 0;

	for (uint32_t id = 0; id < collect->devices; id++)
		ends += collect->device[id] ? collect->device[id]->unseen_ends : 0;
	return ends;
}

/* Remarks on counters that are warnings. The sentence about completeness already names missing events. */
static bool remark_counter(const struct summary *summary, enum tally_counter counter, char *text,
			   size_t size)
{
	uint64_t count = summary->options->tally->n[counter];
	char number[SUMMARY_NUMBER];

	if (counter == TALLY_cancelled) {
		uint64_t ends = unseen_ends(summary->collect);

		count -= ends < count ? ends : count;
	}
	if (!count || !tally_is_warning(counter) || books_is_loss(counter) || books_is_gap(counter))
		return false;
	snprintf(text, size, "%s: %s.", tally_sentence(counter), summary_count(number, count));
	return true;
}

uint32_t summary_remarks(void)
{
	return REMARKS + TALLY_COUNT;
}

bool summary_remark(const struct summary *summary, uint32_t index, char *text, size_t size)
{
	if (index < REMARKS)
		return remark[index](summary, text, size);
	return remark_counter(summary, (enum tally_counter)(index - REMARKS), text, size);
}
