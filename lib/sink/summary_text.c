/*
 * summary_text: the summary for people. Fits 80 columns; a wider terminal gives names more room, and in a narrower one
 * tables leave out what matters least. Every foreign byte goes through summary_name(), so nothing in a file name can
 * reach the terminal as it is.
 */
#include "summary.h"

#include <iotrace/books.h>
#include <iotrace/errname.h>
#include <iotrace/escape.h>
#include <iotrace/model.h>
#include <iotrace/strtab.h>
#include <string.h>
#include <sys/wait.h>

enum {
	TOP_FILES = 8,
	TOP_ERRORS = 6,
	COLUMNS_DEFAULT = 80,
	COLUMNS_LEAST = 45,
	COLUMNS_MAX = 240,
	NAME_SIZE = 4 * COLUMNS_MAX + 16
};

struct page {
	const struct summary *summary;
	FILE *out;
	size_t columns;
	const char *bold, *plain;
};

static void put_heading(const struct page *page, const char *text)
{
	fprintf(page->out, "\n%s%s%s\n", page->bold, text, page->plain);
}

/* Words separated by NUL become words separated by blanks. */
static void put_command(const struct page *page)
{
	const struct model *model = page->summary->options->model;
	str_id argv = model_host(model)->argv;
	size_t length = strtab_length(model_strings(model), argv);
	char words[1024], name[NAME_SIZE];

	if (length > sizeof(words))
		length = sizeof(words);
	memcpy(words, model_text(model, argv), length);
	for (size_t i = 0; i < length; i++) {
		if (!words[i])
			words[i] = ' ';
	}
	while (length && words[length - 1] == ' ')
		length--;
	if (!length)
		return;
	summary_name(name, sizeof(name), words, length, page->columns - 14);
	fprintf(page->out, "  command     %s\n", name);
}

static const char *plural(uint32_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static void put_run(const struct page *page)
{
	const struct model *model = page->summary->options->model;
	const struct model_host *host = model_host(model);
	uint32_t active = summary_threads(page->summary);
	char number[SUMMARY_NUMBER];

	fprintf(page->out, "  time        %s; %u %s, %u %s",
		summary_time(number, summary_wall(page->summary)), host->processes_seen,
		plural(host->processes_seen, "process", "processes"), host->threads_seen,
		plural(host->threads_seen, "thread", "threads"));
	if (active < host->threads_seen)
		fprintf(page->out, ", %u of them with I/O", active);
	if (host->status >= 0 && WIFSIGNALED(host->status))
		fprintf(page->out, "; ended by signal %d", WTERMSIG(host->status));
	else if (host->status >= 0 && WEXITSTATUS(host->status))
		fprintf(page->out, "; exit status %d", WEXITSTATUS(host->status));
	fputc('\n', page->out);
	if (books_ends_early(model))
		fputs("              the recording was stopped before the command ended\n",
		      page->out);
	if (host->processes_left)
		fprintf(page->out, "              %u %s still running when the recording ended%s\n",
			host->processes_left,
			plural(host->processes_left, "process was", "processes were"),
			host->argv && !host->is_system ? " (see --wait)" : "");
}

/* Time in calls, and the share that it is of the time that the threads lived. */
static void put_time(const struct page *page)
{
	const struct summary *summary = page->summary;
	uint64_t lived = summary_lifetimes(summary);
	char number[SUMMARY_NUMBER];
	const char *before = "  in I/O      ";

	fprintf(page->out, "%s%s in calls of all threads", before,
		summary_time(number, summary->total.time));
	if (lived)
		fprintf(page->out, ": %.1f %% of the time these threads lived",
			100.0 * (double)summary->total.time / (double)lived);
	fputc('\n', page->out);
	before = "              ";
	for (int i = 0; i < SUMMARY_PLACES; i++) {
		if (!summary->place[i].time || summary->place[i].time == summary->total.time)
			continue;
		fprintf(page->out, "%s%s %s", before, summary_place_name((enum summary_place)i),
			summary_time(number, summary->place[i].time));
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', page->out);
}

static void put_data(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct summary_row *files = &summary->place[SUMMARY_FILES];
	uint64_t all = summary->total.read + summary->total.written;
	char read[SUMMARY_NUMBER], written[SUMMARY_NUMBER];

	fprintf(page->out, "  data        read %s, wrote %s",
		summary_bytes(read, summary->total.read),
		summary_bytes(written, summary->total.written));
	if (files->read + files->written == all)
		fprintf(page->out, all ? ", all in files\n" : "\n");
	else
		fprintf(page->out, "; in files: read %s, wrote %s\n",
			summary_bytes(read, files->read), summary_bytes(written, files->written));
}

static void put_source_line(const struct page *page, const char *before, uint32_t source,
			    str_id why)
{
	const struct model *model = page->summary->options->model;
	const char *who = source == MODEL_SOURCE_BPF ? "by BPF" : "by perf";
	char name[NAME_SIZE];

	summary_name(name, sizeof(name), model_text(model, why),
		     strtab_length(model_strings(model), why),
		     page->columns - strlen(before) - strlen("by perf: "));
	fprintf(page->out, "%s%s%s%s\n", before, who, why ? ": " : "", why ? name : "");
}

/* Who paired the calls, and why it was not the other; who told of block requests, if that was another. */
static void put_source(const struct page *page)
{
	const struct model_host *host = model_host(page->summary->options->model);

	if (host->source == MODEL_SOURCE_UNKNOWN)
		return;
	put_source_line(page, "  recorded    ", host->source, host->source_why);
	if (host->block_source && host->block_source != host->source)
		put_source_line(page, "              block requests ", host->block_source,
				host->block_why);
}

/* A column of bytes that are none is a dash: the eye finds the others. */
static const char *bytes_or_dash(char out[SUMMARY_NUMBER], uint64_t bytes)
{
	return bytes ? summary_bytes(out, bytes) : "-";
}

/* A cell of a table, in a terminal that has at least `from` columns. */
static void put_cell(const struct page *page, size_t from, int width, const char *text)
{
	if (page->columns >= from)
		fprintf(page->out, "%*s", width, text);
}

enum class_cell { CALLS, FAILED, READ, WRITTEN, TIME, P50, P99, MAX, CLASS_CELLS };

static const struct class_column {
	const char *title;
	int width;
	size_t from;
} class_column[CLASS_CELLS] = {
	[CALLS] = {"calls", 11, 0},    [FAILED] = {"failed", 8, 77}, [READ] = {"read", 9, 0},
	[WRITTEN] = {"written", 9, 0}, [TIME] = {"time", 8, 0},      [P50] = {"p50", 8, 69},
	[P99] = {"p99", 8, 53},        [MAX] = {"max", 8, 61},
};

static void put_class_row(const struct page *page, const char *name, const char *const *cell)
{
	fprintf(page->out, "  %-6s", name);
	for (int i = 0; i < CLASS_CELLS; i++)
		put_cell(page, class_column[i].from, class_column[i].width, cell[i]);
}

static void put_class(const struct page *page, enum summary_class id)
{
	const struct summary_call_class *class = &page->summary->classes[id];
	const struct histogram *latency = &class->latency;
	char text[CLASS_CELLS][SUMMARY_NUMBER];
	const char *cell[CLASS_CELLS];

	if (!latency->count)
		return;
	cell[CALLS] = summary_count(text[CALLS], latency->count);
	cell[FAILED] = class->failed ? summary_count(text[FAILED], class->failed) : "-";
	cell[READ] = bytes_or_dash(text[READ], class->row.read);
	cell[WRITTEN] = bytes_or_dash(text[WRITTEN], class->row.written);
	cell[TIME] = summary_time(text[TIME], class->row.time);
	cell[P50] = summary_time(text[P50], histogram_quantile(latency, 500));
	cell[P99] = summary_time(text[P99], histogram_quantile(latency, 990));
	cell[MAX] = summary_time(text[MAX], latency->max);
	put_class_row(page, summary_class_name(id), cell);
	fputc('\n', page->out);
}

static void put_classes(const struct page *page)
{
	const char *cell[CLASS_CELLS];

	if (!page->summary->total.ops && !page->summary->classes[SUMMARY_ASYNC].row.ops)
		return;
	for (int i = 0; i < CLASS_CELLS; i++)
		cell[i] = class_column[i].title;
	fprintf(page->out, "\n%s", page->bold);
	put_class_row(page, "", cell);
	fprintf(page->out, "%s\n", page->plain);
	for (int i = 0; i < SUMMARY_CLASSES; i++)
		put_class(page, (enum summary_class)i);
}

/* From here on a table of files has these; names and their title have 30 columns then. */
enum {
	FILE_CALLS = 72,
	FILE_BYTES = 61,
	FILE_TIME = 11,
	FILE_CALLS_WIDTH = 11,
	FILE_BYTES_WIDTH = 10
};

static void put_file_row(const struct page *page, const char *time, const char *calls,
			 const char *read, const char *written)
{
	fprintf(page->out, "%*s", FILE_TIME - 2, time);
	put_cell(page, FILE_CALLS, FILE_CALLS_WIDTH, calls);
	put_cell(page, FILE_BYTES, FILE_BYTES_WIDTH, read);
	put_cell(page, FILE_BYTES, FILE_BYTES_WIDTH, written);
	fputs("  ", page->out);
}

static size_t name_columns(const struct page *page)
{
	return page->columns - FILE_TIME - (page->columns >= FILE_CALLS ? FILE_CALLS_WIDTH : 0) -
	       (page->columns >= FILE_BYTES ? 2 * FILE_BYTES_WIDTH : 0);
}

static void put_file(const struct page *page, file_id id)
{
	const struct model *model = page->summary->options->model;
	const struct summary_row *row = &page->summary->file[id];
	str_id path = model_file(model, id)->path;
	char time[SUMMARY_NUMBER], ops[SUMMARY_NUMBER], read[SUMMARY_NUMBER],
		written[SUMMARY_NUMBER];
	char name[NAME_SIZE];

	summary_name(name, sizeof(name), model_text(model, path),
		     strtab_length(model_strings(model), path), name_columns(page));
	put_file_row(page, summary_time(time, row->time), summary_count(ops, row->ops),
		     bytes_or_dash(read, row->read), bytes_or_dash(written, row->written));
	fprintf(page->out, "%s\n", name);
}

static void put_files(const struct page *page, const char *title, const file_id *file,
		      uint32_t files)
{
	if (!files)
		return;
	fprintf(page->out, "\n%s", page->bold);
	put_file_row(page, "time", "calls", "read", "written");
	fprintf(page->out, "%s%s\n", title, page->plain);
	for (uint32_t i = 0; i < files; i++)
		put_file(page, file[i]);
}

static bool is_listed(file_id id, const file_id *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (list[i] == id)
			return true;
	}
	return false;
}

static void put_tables(const struct page *page)
{
	file_id busy[TOP_FILES], slow[TOP_FILES];
	uint32_t busies = summary_top(page->summary, false, busy, TOP_FILES);
	uint32_t slows = summary_top(page->summary, true, slow, TOP_FILES);
	bool is_news = false;

	put_files(page, "files with the most data", busy, busies);
	/* A second table is worth its lines if a file that is not in the first took at least 1 % of the time. */
	for (uint32_t i = 0; i < slows; i++)
		is_news |= !is_listed(slow[i], busy, busies) &&
			   page->summary->file[slow[i]].time * 100 >=
				   page->summary->place[SUMMARY_FILES].time;
	if (is_news)
		put_files(page, "files that took the most time", slow, slows);
}

static void put_errors(const struct page *page)
{
	struct summary_error error[TOP_ERRORS];
	uint32_t errors = summary_errors(page->summary, error, TOP_ERRORS);
	char number[SUMMARY_NUMBER];

	if (!errors)
		return;
	put_heading(page, "    calls  error");
	for (uint32_t i = 0; i < errors; i++) {
		const char *name = errname(error[i].error);

		fprintf(page->out, "%9s  %s (%s), most often in %s\n",
			summary_count(number, error[i].count), name ? name : "?",
			errname_text(error[i].error), call_row(error[i].call)->name);
	}
}

/* Of which events; what the kernel counted as lost only is known for each. */
static void put_lost(const struct page *page)
{
	const struct model *model = page->summary->options->model;
	char number[SUMMARY_NUMBER], name[NAME_SIZE];

	for (uint32_t i = 0; i < model_counts(model); i++) {
		const struct model_count *count = model_count(model, i);

		if (!count->has_lost || !count->lost)
			continue;
		summary_name(name, sizeof(name), model_text(model, count->name),
			     strtab_length(model_strings(model), count->name), COLUMNS_DEFAULT / 2);
		fprintf(page->out, "      %s of %s\n", summary_count(number, count->lost), name);
	}
}

/* One line if nothing is missing; else a line for each thing that is. */
static void put_books(const struct page *page)
{
	const struct tally *tally = page->summary->options->tally;
	char sentence[512], number[SUMMARY_NUMBER];
	enum books_state state = books_check(tally, sentence, sizeof(sentence));

	fprintf(page->out, "\n  %s%s%s\n", state == BOOKS_BALANCED ? "" : page->bold, sentence,
		state == BOOKS_BALANCED ? "" : page->plain);
	for (int i = 0; i < TALLY_COUNT; i++) {
		if (!tally->n[i] || !tally_is_warning((enum tally_counter)i))
			continue;
		fprintf(page->out, "    %s %s\n", summary_count(number, tally->n[i]),
			tally_sentence((enum tally_counter)i));
		if (i == TALLY_lost)
			put_lost(page);
	}
}

void summary_text(const struct summary *summary, bool is_color, FILE *out)
{
	int columns = summary->options->columns;
	struct page page = {summary, out, COLUMNS_DEFAULT, is_color ? "\033[1m" : "",
			    is_color ? "\033[0m" : ""};
	const char *archive = summary->options->archive;

	if (columns > 0)
		page.columns = columns > COLUMNS_MAX     ? COLUMNS_MAX
			       : columns < COLUMNS_LEAST ? COLUMNS_LEAST
							 : (size_t)columns;
	fprintf(out, "%siotrace: what was done%s\n", page.bold, page.plain);
	put_command(&page);
	put_run(&page);
	put_time(&page);
	put_data(&page);
	put_source(&page);
	put_classes(&page);
	put_tables(&page);
	summary_device_text(summary, page.bold, page.plain, out);
	summary_group_text(summary, page.bold, page.plain, out);
	put_errors(&page);
	put_books(&page);
	if (archive) {
		fputs("  archive: ", out);
		escape_print(out, archive, strlen(archive)); /* whole: it will be copied */
		fputc('\n', out);
	}
}
