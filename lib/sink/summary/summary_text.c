/*
 * summary_text: the summary for people. For a simple program, it fits a screen of 24 lines of 80 columns. Every untrusted byte
 * goes through summary_name.h, so no file name can reach the terminal unescaped.
 */
#include "collect/collect_rank.h"
#include "collect/collect_resource.h"
#include "summary_page.h"

#include <iotrace/books.h>
#include <iotrace/errname.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_LEAST 0.0005 /* smaller shares are shown as 0.0 % */

enum { COLUMNS_LEAST = 40, COLUMNS_MAX = 240, INDENT = 2, SCREEN = 23, ROWS_LEAST = 3 };

static const char *const resource_title[RESOURCES] = {
	[RESOURCE_FILES] = "files",
	[RESOURCE_PIPES] = "pipes",
	[RESOURCE_SOCKETS] = "sockets",
	[RESOURCE_TERMINALS] = "terminals",
	[RESOURCE_LOCKS] = "locks",
	[RESOURCE_ASYNC] = "asynchronous requests",
	[RESOURCE_KERNEL] = "/dev, /proc, /sys",
	[RESOURCE_UNNAMED] = "descriptors without a name",
	[RESOURCE_OTHER] = "event descriptors and other calls",
};

/* A sentence under construction. end() prints and frees it. */
struct sentence {
	const struct page *page;
	char *text;
	size_t size;
	FILE *out;
};

static bool begin(struct sentence *sentence, const struct page *page)
{
	*sentence = (struct sentence){.page = page};
	sentence->out = open_memstream(&sentence->text, &sentence->size);
	return sentence->out;
}

static void end(struct sentence *sentence, size_t indent)
{
	fclose(sentence->out);
	if (sentence->size)
		page_wrap(sentence->page, sentence->text, 0, indent);
	free(sentence->text);
}

/* Names what an archive recorded. That is unknown if its iotrace.json is missing, or another program wrote it. */
static char *name_archive(const struct summary *summary)
{
	const struct trace *trace = summary->collect->trace;
	const struct trace_host *host = trace_host(trace);
	const char *path = summary->options->archive;
	char *name = host->is_of_others ? summary_string(trace, host->creator)
		     : path             ? summary_quote(path, strlen(path))
					: mem_strdup("");
	char *text = host->is_of_others
			     ? mem_format("an archive of %s", *name ? name : "another program")
			     : mem_format("%s%s", *name ? "archive " : "an archive", name);

	free(name);
	return text;
}

/* Returns "process 12 (dd)", or "processes 12 (dd), 14 (cat) and 3 more". */
static char *name_attached(const struct trace *trace)
{
	const struct trace_host *host = trace_host(trace);
	uint32_t shown = host->attached < TRACE_ATTACHED ? host->attached : TRACE_ATTACHED;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return mem_strdup("running processes");
	fputs(!shown ? "running processes" : shown == 1 ? "process " : "processes ", out);
	for (uint32_t i = 0; i < shown; i++) {
		str_id id = host->attached_name[i];
		char *name = summary_string(trace, id);

		fprintf(out, "%s%u (%s)", i ? ", " : "", host->attached_pid[i], name);
		free(name);
	}
	if (host->attached > shown)
		fprintf(out, " and %u more", host->attached - shown);
	fclose(out);
	return text;
}

static void put_title(const struct summary *summary, const struct page *page)
{
	static const char title[] = "iotrace summary: ";
	const struct trace *trace = summary->collect->trace;
	const struct trace_host *host = trace_host(trace);
	char *command = summary_quote(trace_text(trace, host->argv),
				      strtab_length(trace_strings(trace), host->argv));
	char *attached = host->creator && !host->attached ? name_archive(summary)
							  : name_attached(trace);
	char *joined = host->is_joined && host->commands > 1
			       ? mem_format("%u commands, the first: ", host->commands)
			       : mem_strdup("");
	char *job = host->job.id ? mem_format("job %s: ", trace_text(trace, host->job.id))
				 : mem_strdup("");
	char *what = mem_format("%s%s%s%s%s", job, joined,
				host->is_system ? "the whole machine"
				: *command      ? ""
						: attached,
				host->is_system && *command ? " during " : "", command);
	size_t room = page->columns ? page->columns : SUMMARY_COMMAND_MOST;
	char *cut = summary_cut(what, room - strlen(title), 9);

	fprintf(page->out, "%s%s%s%s\n", page->bold, title, cut, page->plain);
	free(command);
	free(job);
	free(joined);
	free(attached);
	free(what);
	free(cut);
}

/* Prints "pipes, sockets and locks": the resources with at least a hundredth of the waiting time. */
static void put_waits(const struct summary *summary, uint64_t all, FILE *out)
{
	const char *name[RESOURCES];
	uint32_t count = 0;

	for (int i = 0; i < RESOURCES; i++) {
		uint64_t time = summary->collect->resource[i].time;

		if (collect_is_wait((enum collect_resource)i) && time * 100 >= all)
			name[count++] = resource_title[i];
	}
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", name[i]);
}

static void put_data(const char *before, const char *word, uint64_t bytes, double rate, FILE *out)
{
	char number[SUMMARY_NUMBER], per_second[SUMMARY_NUMBER];

	fprintf(out, "%s%s %s (%s)", before, word, summary_bytes(number, bytes),
		summary_rate(per_second, rate));
}

static void put_end(const struct summary *summary, const struct page *page)
{
	struct sentence s;
	bool is_early;

	if (!begin(&s, page))
		return;
	is_early = summary_end(summary, s.out);
	if (is_early)
		fputs(page->bold, page->out);
	end(&s, INDENT);
	if (is_early)
		fputs(page->plain, page->out);
}

/* Prints wall time, shares and data, which answer most questions. */
static void put_verdict(const struct summary *summary, const struct page *page)
{
	const struct trace_host *host = trace_host(summary->collect->trace);
	struct collect_verdict v = collect_verdict(summary->collect);
	uint32_t threads = collect_threads(summary->collect);
	uint32_t with_io = collect_processes(summary->collect);
	char number[SUMMARY_NUMBER];
	struct sentence s;

	if (!begin(&s, page))
		return;
	fprintf(s.out, "%s", summary_time(number, v.wall));
	if (host->processes_seen != 1)
		fprintf(s.out, ", %s processes", summary_count(number, host->processes_seen));
	if (host->processes_seen > 1 && with_io < host->processes_seen)
		fprintf(s.out, " (%s with I/O)", summary_count(number, with_io));
	fprintf(s.out, ": %.1f %% %sin file I/O", 100 * v.file_share,
		threads > 1 ? "of thread time " : "");
	if (v.wait_share >= SHARE_LEAST) {
		fprintf(s.out, ", %.1f %% waiting for ", 100 * v.wait_share);
		put_waits(summary, v.wait_time, s.out);
	}
	fputs(v.read || v.written ? "; " : "; no file data read or written", s.out);
	if (v.read)
		put_data("", "read", v.read, v.read_rate, s.out);
	if (v.written)
		put_data(v.read ? ", " : "", "wrote", v.written, v.write_rate, s.out);
	end(&s, INDENT);
}

/* Returns whether a resource has a hundredth of all time or data. */
static bool is_worth(const struct collect_row *row, const struct collect_row *all)
{
	return (row->time && row->time * 100 >= all->time) ||
	       (row->async_time && row->async_time * 100 >= all->async_time) ||
	       (row->read && row->read * 100 >= all->read) ||
	       (row->written && row->written * 100 >= all->written);
}

/* Prints I/O on pipes and similar, which the numbers of files do not include. */
static void put_elsewhere(const struct summary *summary, const struct page *page)
{
	const char *before = "besides files: ";
	char number[SUMMARY_NUMBER];
	struct sentence s;

	if (!begin(&s, page))
		return;
	for (int i = RESOURCE_FILES + 1; i < RESOURCES; i++) {
		const struct collect_row *row = &summary->collect->resource[i];

		if (!is_worth(row, &summary->collect->total))
			continue;
		fprintf(s.out, "%s%s %s", before, resource_title[i],
			summary_time(number, row->time + row->async_time));
		if (row->read)
			fprintf(s.out, ", read %s", summary_bytes(number, row->read));
		if (row->written)
			fprintf(s.out, ", wrote %s", summary_bytes(number, row->written));
		if (i == RESOURCE_UNNAMED)
			fputs(" (iotrace could not look them up in time, or no path of their "
			      "process leads to the file)",
			      s.out);
		before = "; ";
	}
	end(&s, INDENT);
}

/* Prints counters of -E, summed over all threads. */
static void put_counters(const struct summary *summary, const struct page *page)
{
	const struct trace *trace = summary->collect->trace;
	const struct collect_counters *counters = &summary->collect->counters;
	char number[SUMMARY_NUMBER];
	struct sentence s;

	if (!begin(&s, page))
		return;
	for (uint32_t i = 0; i < counters->metrics; i++) {
		str_id id = trace_metric(trace, counters->metric + i)->name;
		char *name = summary_string(trace, id);

		fprintf(s.out, "%s%s %s", i ? ", " : "counters: ", name,
			summary_count(number, collect_counter(counters, i)));
		free(name);
	}
	end(&s, INDENT);
}

/* Names the lost events. Only losses that the kernel counted are known for each event. */
static void put_lost(const struct summary *summary, FILE *out)
{
	const struct trace *trace = summary->collect->trace;
	const char *before = " Missing: ";
	char number[SUMMARY_NUMBER];

	for (uint32_t i = 0; i < trace_counts(trace); i++) {
		const struct trace_count *count = trace_count(trace, i);
		char *name;

		if (!count->has_lost || !count->lost)
			continue;
		name = summary_string(trace, count->name);
		fprintf(out, "%s%s of %s", before, summary_count(number, count->lost), name);
		before = ", ";
		free(name);
	}
	if (*before == ',')
		fputc('.', out);
}

/* Prints one sentence: complete, or what is missing and a remedy. */
static void put_completeness(const struct summary *summary, const struct page *page)
{
	char sentence[512];
	enum books_state state = books_check(summary->collect->trace, summary->options->tally,
					     sentence, sizeof(sentence));
	struct sentence s;

	if (!begin(&s, page))
		return;
	fputs(sentence, s.out);
	if (state == BOOKS_LOSS)
		put_lost(summary, s.out);
	if (state != BOOKS_BALANCED)
		fputs(page->bold, page->out);
	end(&s, INDENT);
	if (state != BOOKS_BALANCED)
		fputs(page->plain, page->out);
}

static void put_remarks(const struct summary *summary, const struct page *page)
{
	char text[1024];
	struct sentence s;

	for (uint32_t i = 0; i < summary_remarks(); i++) {
		if (!summary_remark(summary, i, text, sizeof(text)) || !begin(&s, page))
			continue;
		fprintf(s.out, "note: %s", text);
		end(&s, INDENT);
	}
}

static const char *const fault_title[FAULT_KINDS] = {
	[FAULT_FAILED] = "failed: ",
	[FAULT_LOOKUP] = "not found: ",
	[FAULT_USUAL] = "usually harmless: ",
	[FAULT_INTERRUPTED] = "interrupted by signals: ",
};

static void put_fault(const struct trace *trace, const struct collect_fault *fault,
		      const char *before, FILE *out)
{
	str_id region = trace_region(trace, fault->region)->name;
	char *call = summary_string(trace, region);
	const char *name = errname(fault->error);
	char number[SUMMARY_NUMBER];

	fprintf(out, "%s%s %s of %s", before, summary_count(number, fault->count),
		name ? name : "errors", call);
	free(call);
}

static void put_named_fault(const struct summary *summary, const struct page *page,
			    const char *before, uint32_t index)
{
	const struct collect_named_fault *named = &summary->collect->faults.named[index];
	const struct trace *trace = summary->collect->trace;
	char *name = summary_string(trace, named->name);
	char *text = NULL, *cut;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		put_fault(trace, &named->fault, before, out);
		fputs(": ", out);
		fclose(out);
		cut = summary_cut(name, page->columns > size ? page->columns - size : 0, 4);
		fprintf(page->out, "%s%s\n", text, cut);
		free(cut);
	}
	free(text);
	free(name);
}

/* Prints the errors, and the number of each, for each call. */
static void put_errors(const struct summary *summary, const struct page *page,
		       const struct top *top, uint32_t rows, const char *title, uint64_t besides)
{
	char number[SUMMARY_NUMBER];
	struct sentence s;

	if (!begin(&s, page))
		return;
	for (uint32_t i = 0; i < top->count && i < rows; i++)
		put_fault(summary->collect->trace, &summary->collect->faults.fault[top->id[i]],
			  i ? ", " : title, s.out);
	if (rows && top->count > rows)
		fprintf(s.out, ", %u more", top->count - rows);
	if (top->count && besides)
		fprintf(s.out, "; %s usually harmless", summary_count(number, besides));
	end(&s, INDENT);
}

/* The most frequent names follow. A single error with a single name takes one line. */
static void put_faults_of(const struct summary *summary, const struct page *page,
			  enum collect_fault_kind kind, uint32_t rows, uint32_t names,
			  uint64_t besides)
{
	const struct collect_faults *faults = &summary->collect->faults;
	struct top errors = collect_top_faults(faults, 1U << kind, UINT32_MAX);
	struct top named = collect_top_named_faults(faults, 1U << kind, names);
	bool is_one = errors.count == 1 && !besides && named.count == 1 &&
		      faults->named[named.id[0]].fault.count == faults->fault[errors.id[0]].count;

	if (!is_one)
		put_errors(summary, page, &errors, rows, fault_title[kind], besides);
	for (uint32_t i = 0; i < named.count; i++)
		put_named_fault(summary, page, is_one ? fault_title[kind] : "  ", named.id[i]);
	top_release(&errors);
	top_release(&named);
}

static uint64_t count_of(const struct collect_faults *faults, enum collect_fault_kind kind)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < faults->faults; i++)
		if (faults->fault[i].kind == kind)
			count += faults->fault[i].count;
	return count;
}

/*
 * Failures come first, then look-ups of missing names, which are seldom faults. Harmless errors have a line only if there are
 * no such look-ups, or if the user asks for more rows.
 */
static void put_faults(const struct summary *summary, const struct page *page, uint32_t rows)
{
	const struct collect_faults *faults = &summary->collect->faults;
	uint32_t few = rows > 1 ? rows / 2 : rows;
	bool is_short = summary->options->top == SINK_TOP_DEFAULT && count_of(faults, FAULT_LOOKUP);
	uint64_t usual = is_short ? count_of(faults, FAULT_USUAL) : 0;

	put_faults_of(summary, page, FAULT_FAILED, rows, rows, 0);
	put_faults_of(summary, page, FAULT_LOOKUP, few, few, usual);
	if (!is_short)
		put_faults_of(summary, page, FAULT_USUAL, few, few, 0);
	put_faults_of(summary, page, FAULT_INTERRUPTED, rows, 0, 0);
}

/* Paths are not cut, because users copy them. */
static void put_capture(const char *path, const struct page *page)
{
	fputs("capture: ", page->out);
	escape_print(page->out, path, strlen(path));
	fputc('\n', page->out);
}

static void put_archive(const struct summary *summary, const struct page *page)
{
	const struct sink_options *options = summary->options;

	if (options->is_archive_lost)
		fputs("archive: none, because it could not be written\n", page->out);
	if (!options->archive)
		return;
	fputs("archive: ", page->out);
	escape_print(page->out, options->archive, strlen(options->archive));
	summary_end_of_archive(summary, page->out);
	fputc('\n', page->out);
}

static void put_all(const struct summary *summary, const struct page *page, uint32_t rows)
{
	put_title(summary, page);
	put_end(summary, page);
	put_verdict(summary, page);
	put_elsewhere(summary, page);
	put_counters(summary, page);
	put_completeness(summary, page);
	put_remarks(summary, page);
	summary_processes(summary, page, rows);
	summary_devices(summary, page, rows);
	summary_files(summary, page, rows);
	summary_groups(summary, page, rows);
	summary_calls(summary, page, rows);
	put_faults(summary, page, rows);
	put_archive(summary, page);
	if (summary->options->capture)
		put_capture(summary->options->capture, page);
}

static uint32_t count_lines(const struct summary *summary, struct page page, uint32_t rows)
{
	char *text = NULL;
	size_t size = 0, lines = 0;

	page.out = open_memstream(&text, &size);
	if (!page.out)
		return 0;
	put_all(summary, &page, rows);
	fclose(page.out);
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	free(text);
	return (uint32_t)lines;
}

/* On a terminal, tables have one or two rows less if the summary then fits a screen, with a line for the prompt. */
static uint32_t fitting_rows(const struct summary *summary, const struct page *page)
{
	for (uint32_t rows = SUMMARY_TOP_TEXT; rows >= ROWS_LEAST; rows--)
		if (count_lines(summary, *page, rows) <= SCREEN)
			return rows;
	return SUMMARY_TOP_TEXT;
}

void summary_text(const struct summary *summary, bool is_color, FILE *out)
{
	const struct sink_options *options = summary->options;
	struct page page = page_new(out, 0, is_color);
	uint32_t rows = options->top == SINK_TOP_DEFAULT ? SUMMARY_TOP_TEXT : options->top;

	if (options->columns > 0)
		page.columns = options->columns > COLUMNS_MAX     ? COLUMNS_MAX
			       : options->columns < COLUMNS_LEAST ? COLUMNS_LEAST
								  : (size_t)options->columns;
	if (page.columns && options->top == SINK_TOP_DEFAULT)
		rows = fitting_rows(summary, &page);
	put_all(summary, &page, rows);
}
