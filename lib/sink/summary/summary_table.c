/*
 * summary_table: processes, files and kinds of calls. Rows with names are built before any is printed, because names are cut
 * together, so that different names do not look the same.
 */
#include "collect/collect_rank.h"
#include "summary_page.h"

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

#define TABLE(column) ((struct page_table){column, sizeof(column) / sizeof(*(column))})

/* Zero bytes are printed as a dash, so that other values stand out. */
static const char *bytes_of(char out[SUMMARY_NUMBER], uint64_t bytes)
{
	return bytes ? summary_bytes(out, bytes) : NULL;
}

static const char *time_of(char out[SUMMARY_NUMBER], uint64_t ns)
{
	return ns ? summary_time(out, ns) : NULL;
}

/* The title of the rate: that of the sort key, or of all data. */
static const char *rate_title(const struct summary *summary)
{
	return summary->options->sort == SORT_READ      ? "read/s"
	       : summary->options->sort == SORT_WRITTEN ? "written/s"
							: "per second";
}

static const char *rate_of(char out[SUMMARY_NUMBER], const struct summary *summary,
			   const struct collect_row *row)
{
	const struct collect *collect = summary->collect;
	enum sink_sort sort = summary->options->sort;
	uint64_t bytes = (sort == SORT_WRITTEN ? 0 : row->read) +
			 (sort == SORT_READ ? 0 : row->written);

	return bytes ? summary_rate(out, collect_rate(collect, bytes)) : NULL;
}

static const char *count_of(char out[SUMMARY_NUMBER], uint64_t count)
{
	return count ? summary_count(out, count) : NULL;
}

/* Writes "file", or "file (5 of 38)". */
static void title_of(char *out, size_t size, const char *word, const struct top *top, uint64_t of)
{
	char all[SUMMARY_NUMBER];

	if (top->seen > top->count)
		snprintf(out, size, "%s (%u of %s)", word, top->count, summary_count(all, of));
	else
		snprintf(out, size, "%s", word);
}

static void free_names(char **name, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(name[i]);
	free(name);
}

static void put_process(const struct summary *summary, const struct page *page,
			const struct page_table *table, process_id id, const char *command)
{
	const struct collect_process *process = &summary->collect->process[id];
	const struct collect_row *files = &process->files;
	uint32_t number = trace_process(summary->collect->trace, id)->pid;
	char pid[16], text[5][SUMMARY_NUMBER];

	snprintf(pid, sizeof(pid), "%u", number);
	page_row(page, table,
		 (const char *const[]){number ? pid : NULL, bytes_of(text[0], files->read),
				       bytes_of(text[1], files->written),
				       rate_of(text[2], summary, files),
				       time_of(text[3], files->time),
				       time_of(text[4], process->wait), command});
}

/* Whether there is only the command, without children: the first line already names it. */
static bool is_alone(const struct summary *summary, const struct top *top)
{
	const struct trace_host *host = trace_host(summary->collect->trace);

	return top->seen <= 1 && host->argv && !host->is_system;
}

void summary_processes(const struct summary *summary, const struct page *page, uint32_t rows)
{
	struct top top = collect_top_processes(summary->collect, summary->options->sort, rows);
	char **name = mem_array(top.count + 1, sizeof(*name)), title[64];
	const struct page_column column[] = {
		{"pid", 7, 0, false},       {"read", 9, 0, false},
		{"written", 9, 0, false},   {rate_title(summary), 11, 68, false},
		{"file I/O", 9, 48, false}, {"waiting", 9, 57, false},
		{title, 0, 0, false},
	};
	const struct page_table table = TABLE(column);

	title_of(title, sizeof(title), "process", &top, collect_processes(summary->collect));
	for (uint32_t i = 0; i < top.count; i++)
		name[i] = summary_command(summary->collect->trace, top.id[i]);
	summary_cut_list(name, top.count,
			 page->columns ? page_rest(page, &table) : SUMMARY_COMMAND_MOST);
	if (top.count && !is_alone(summary, &top))
		page_heading(page, &table);
	for (uint32_t i = 0; i < top.count && !is_alone(summary, &top); i++)
		put_process(summary, page, &table, top.id[i], name[i]);
	free_names(name, top.count);
	top_release(&top);
}

/* Returns "dd(4711)", or "dd(4711)+2" if two other processes used the file as well. */
static char *users_of(const struct collect *collect, file_id id)
{
	struct top top = collect_top_shares(collect, id, 1);
	char *name = top.count ? summary_process(collect->trace, collect->share[top.id[0]].process)
			       : mem_strdup("");
	char *all = top.seen > 1 ? mem_format("%s+%u", name, (uint32_t)top.seen - 1)
				 : mem_strdup(name);

	free(name);
	top_release(&top);
	return all;
}

static char *device_of(const struct trace *trace, file_id id)
{
	uint32_t device = collect_device_of_file(trace, id);
	const char *name = device == ID_NONE ? ""
					     : trace_text(trace, trace_device(trace, device)->name);

	return summary_escape(name, strlen(name));
}

/* Names of the files of a table, of their users, and of their devices. */
struct file_names {
	char **path, **user, **device;
	size_t user_columns, device_columns;
};

enum { USER_MOST = 19, DEVICE_MOST = 12 };

static size_t widest(char **name, uint32_t count, size_t least)
{
	for (uint32_t i = 0; i < count; i++)
		least = summary_columns(name[i]) > least ? summary_columns(name[i]) : least;
	return least;
}

static struct file_names name_files(const struct collect *collect, const struct top *top,
				    const struct page *page)
{
	const struct trace *trace = collect->trace;
	struct file_names n = {.path = mem_array(top->count + 1, sizeof(*n.path)),
			       .user = mem_array(top->count + 1, sizeof(*n.user)),
			       .device = mem_array(top->count + 1, sizeof(*n.device))};

	for (uint32_t i = 0; i < top->count; i++) {
		str_id path = trace_file(trace, top->id[i])->path;

		n.path[i] = summary_string(trace, path);
		n.user[i] = users_of(collect, top->id[i]);
		n.device[i] = device_of(trace, top->id[i]);
	}
	summary_cut_list(n.user, top->count, page->columns ? USER_MOST : 0);
	summary_cut_list(n.device, top->count, page->columns ? DEVICE_MOST : 0);
	n.user_columns = widest(n.user, top->count, strlen("process"));
	n.device_columns = widest(n.device, top->count, strlen("device"));
	return n;
}

static void free_file_names(struct file_names *n, uint32_t count)
{
	free_names(n->path, count);
	free_names(n->user, count);
	free_names(n->device, count);
}

static void put_file(const struct summary *summary, const struct page *page,
		     const struct page_table *table, file_id id, const char *const name[3])
{
	const struct collect_row *row = &summary->collect->file[id].row;
	char text[5][SUMMARY_NUMBER];

	page_row(page, table,
		 (const char *const[]){bytes_of(text[0], row->read),
				       bytes_of(text[1], row->written),
				       rate_of(text[2], summary, row),
				       time_of(text[3], row->time + row->async_time),
				       count_of(text[4], row->calls + row->asyncs), name[0],
				       *name[1] ? name[1] : NULL, name[2]});
}

/* Returns whether all requests are of one device, so that its name in each row would be useless. */
static bool is_one_device(const struct collect *collect)
{
	uint32_t count = 0;

	for (uint32_t id = 0; id < collect->devices; id++)
		count += collect->device[id] != NULL;
	return count < 2;
}

void summary_files(const struct summary *summary, const struct page *page, uint32_t rows)
{
	const struct collect *collect = summary->collect;
	struct top top = collect_top_files(collect, RESOURCE_FILES, summary->options->sort, rows);
	struct file_names n = name_files(collect, &top, page);
	bool is_one = collect_processes(collect) < 2, is_on_one = is_one_device(collect);
	char title[64];
	const struct page_column column[] = {
		{"read", 9, 0, false},
		{"written", 9, 0, false},
		{rate_title(summary), 11, is_one ? 90 : 100, false},
		{"time", 8, 0, false},
		{"calls", 8, is_one ? 72 : 108, false},
		{"process", -(int)n.user_columns - 2, 70, is_one},
		{"device", -(int)n.device_columns - 2, 80, is_on_one},
		{title, 0, 0, false},
	};
	const struct page_table table = TABLE(column);

	title_of(title, sizeof(title), "file", &top, top.seen);
	summary_cut_list(n.path, top.count, page_rest(page, &table));
	if (top.count)
		page_heading(page, &table);
	for (uint32_t i = 0; i < top.count; i++)
		put_file(summary, page, &table, top.id[i],
			 (const char *const[]){n.user[i], n.device[i], n.path[i]});
	free_file_names(&n, top.count);
	top_release(&top);
}

static void put_class(const struct page *page, const struct page_table *table, const char *name,
		      const struct collect_call_class *class)
{
	const struct histogram *latency = &class->latency;
	char text[8][SUMMARY_NUMBER];

	page_row(page, table,
		 (const char *const[]){name, summary_count(text[0], latency->count),
				       count_of(text[1], class->failed),
				       bytes_of(text[2], class->row.read),
				       bytes_of(text[3], class->row.written),
				       summary_time(text[4],
						    class->row.time + class->row.async_time),
				       summary_time(text[5], histogram_quantile(latency, 500)),
				       summary_time(text[6], histogram_quantile(latency, 990)),
				       summary_time(text[7], latency->max)});
}

/* The sum of all further rows, so that the table adds up. */
static void put_rest(const struct summary *summary, const struct page *page,
		     const struct page_table *table, const uint32_t *id, uint32_t count)
{
	struct collect_call_class *rest = mem_zero(sizeof(*rest));
	char name[16];

	histogram_init(&rest->latency);
	for (uint32_t i = 0; i < count; i++) {
		const struct collect_call_class *class = &summary->collect->classes[id[i]];

		rest->failed += class->failed;
		rest->row.read += class->row.read;
		rest->row.written += class->row.written;
		rest->row.time += class->row.time;
		rest->row.async_time += class->row.async_time;
		histogram_merge(&rest->latency, &class->latency);
	}
	snprintf(name, sizeof(name), "%u more", count);
	put_class(page, table, name, rest);
	histogram_release(&rest->latency);
	free(rest);
}

void summary_calls(const struct summary *summary, const struct page *page, uint32_t rows)
{
	static const struct page_column column[] = {
		{"calls", -7, 0, false}, {"count", 10, 0, false},  {"failed", 8, 79, false},
		{"read", 9, 0, false},   {"written", 9, 0, false}, {"time", 9, 44, false},
		{"p50", 9, 71, false},   {"p99", 9, 53, false},    {"max", 9, 62, false},
	};
	const struct page_table table = TABLE(column);
	struct top top = collect_top_classes(summary->collect, summary->options->sort, CLASSES);
	/* One more row needs as much space as the row "1 more". */
	uint32_t shown = rows && top.count <= rows + 1 ? top.count : rows;

	if (shown)
		page_heading(page, &table);
	for (uint32_t i = 0; i < shown; i++)
		put_class(page, &table, collect_class_name((enum collect_class)top.id[i]),
			  &summary->collect->classes[top.id[i]]);
	if (shown && shown < top.count)
		put_rest(summary, page, &table, top.id + shown, top.count - shown);
	top_release(&top);
}
