/*
 * summary_device_text: tables of block devices and control groups for people: the columns of `iostat -x` for the run, the
 * distribution of the time whose mean is await, and how much of what programs requested reached the disks.
 */
#include "collect/collect_rank.h"
#include "summary_page.h"
#include <iotrace/device_stat.h>

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

#define TABLE(column) ((struct page_table){column, sizeof(column) / sizeof(*(column))})

enum { NAME_LEAST = 8, NAME_MOST = 24, WIDE = 80, OTHERS_INDENT = 11 };

/* Returns the width of the first column: names of devices get all space that is left. */
static int name_width(const struct page *page)
{
	size_t more = page->columns > WIDE ? page->columns - WIDE : 0;

	if (!page->columns || more > NAME_MOST - NAME_LEAST)
		more = NAME_MOST - NAME_LEAST;
	return NAME_LEAST + (int)more + 2;
}

static char *device_name(const struct summary *summary, const struct page *page, uint32_t id)
{
	const struct trace *trace = summary->collect->trace;
	str_id name = trace_device(trace, id)->name;
	char *safe = summary_string(trace, name);
	char *cut = summary_cut(safe, page->columns ? (size_t)name_width(page) - 2 : 0, 4);

	free(safe);
	return cut;
}

/* Three digits are enough; thousands are "k". */
static const char *number(char out[SUMMARY_NUMBER], double value)
{
	static const char *const unit[] = {"", "k", "M", "G"};
	uint32_t i = 0;

	for (; value >= (i ? 999.5 : 99999.5) && i + 1 < sizeof(unit) / sizeof(unit[0]); i++)
		value /= 1e3;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(out, SUMMARY_NUMBER, "%.*f%s", value > 0 ? decimals : 0, value, unit[i]);
	return out;
}

static const char *plural(uint64_t count, const char *name)
{
	if (count == 1)
		return "";
	return name[strlen(name) - 1] == 'h' ? "es" : "s";
}

static void put_traffic(const struct collect_device *d, enum request_kind kind, const char *name,
			const char *more, const char **before, FILE *out)
{
	char count[SUMMARY_NUMBER], bytes[SUMMARY_NUMBER];
	const struct collect_traffic *traffic = &d->kind[kind];

	if (!traffic->requests)
		return;
	fprintf(out, "%s%s %s%s%s", *before, summary_count(count, traffic->requests), name,
		plural(traffic->requests, name), more);
	if (kind != REQUEST_FLUSH)
		fprintf(out, " (%s)", summary_bytes(bytes, traffic->bytes));
	*before = ", ";
}

/* Prints requests for which there is no column. */
static void put_others(const struct collect_device *d, const struct page *page)
{
	char count[SUMMARY_NUMBER], *text = NULL;
	const char *before = "";
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put_traffic(d, REQUEST_FLUSH, "flush", "", &before, out);
	put_traffic(d, REQUEST_DISCARD, "discard", "", &before, out);
	put_traffic(d, REQUEST_ZEROES, "write", " of zeroes", &before, out);
	put_traffic(d, REQUEST_OTHER, "command", "", &before, out);
	if (d->errors)
		fprintf(out, "%s%s failed", before, summary_count(count, d->errors));
	before = d->errors ? ", " : before;
	if (d->cancelled)
		fprintf(out, "%s%s did not end", before, summary_count(count, d->cancelled));
	before = d->cancelled ? ", " : before;
	if (d->unseen_ends)
		fprintf(out, "%s%s without an end, not counted in %%util and aqu-sz", before,
			summary_count(count, d->unseen_ends));
	fclose(out);
	if (size)
		page_wrap(page, text, OTHERS_INDENT, OTHERS_INDENT);
	free(text);
}

static void put_device(const struct summary *summary, const struct page *page,
		       const struct page_table *table, uint32_t id)
{
	const struct collect_device *d = collect_device(summary->collect, id);
	struct collect_rates r = collect_device_rates(summary->collect, id);
	char text[10][SUMMARY_NUMBER], *name = device_name(summary, page, id);

	page_row(page, table,
		 (const char *const[]){name, number(text[0], r.reads), number(text[1], r.writes),
				       r.read_bytes > 0 ? summary_rate(text[2], r.read_bytes)
							: NULL,
				       r.written_bytes > 0 ? summary_rate(text[3], r.written_bytes)
							   : NULL,
				       summary_time(text[4], (uint64_t)r.wait),
				       number(text[5], r.queue), number(text[6], 100 * r.util),
				       summary_time(text[7], histogram_quantile(&d->latency, 500)),
				       summary_time(text[8], histogram_quantile(&d->latency, 990)),
				       summary_time(text[9], d->latency.max)});
	free(name);
	put_others(d, page);
}

/* Prints "12 more reads", or, if only sizes differ, "8 more sectors of reads"; nothing if they are equal. */
static void put_difference(const char **before, const char *name, struct device_stat seen,
			   struct device_stat kernel, FILE *out)
{
	bool is_size = seen.requests == kernel.requests;
	uint64_t a = is_size ? seen.sectors : seen.requests;
	uint64_t b = is_size ? kernel.sectors : kernel.requests;
	char count[SUMMARY_NUMBER];

	if (a == b)
		return;
	fprintf(out, "%s %s %s %s%s%s", *before, summary_count(count, a < b ? b - a : a - b),
		a < b ? "more" : "fewer", is_size ? "sectors of " : "", name,
		plural(is_size ? 2
		       : a < b ? b - a
			       : a - b,
		       name));
	*before = ",";
}

/* Prints the difference between the kernel's counters of a device and the events, if there is one. */
static void put_difference_of(const struct summary *summary, const struct page *page, uint32_t id)
{
	const struct trace_device *device = trace_device(summary->collect->trace, id);
	const char *before = ": the kernel itself counted";
	char *name = device_name(summary, page, id), *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	fputs(name, out);
	for (int i = 0; i < STAT_KINDS; i++) {
		enum device_stat_kind kind = (enum device_stat_kind)i;

		put_difference(&before, device_stat_name(kind), device_stat_seen(device, kind),
			       device_stat_kernel(device, kind), out);
	}
	fclose(out);
	page_wrap(page, text, 1, OTHERS_INDENT);
	free(text);
	free(name);
}

/* Returns whether undelivered ends explain the whole difference; then the previous line already says it. */
static bool is_said(const struct summary *summary, uint32_t id)
{
	const struct trace_device *device = trace_device(summary->collect->trace, id);
	const struct collect_device *d = collect_device(summary->collect, id);
	uint64_t more = 0;

	for (int i = 0; i < STAT_KINDS; i++) {
		uint64_t seen = device_stat_seen(device, (enum device_stat_kind)i).requests;
		uint64_t kernel = device_stat_kernel(device, (enum device_stat_kind)i).requests;

		if (kernel < seen)
			return false;
		more += kernel - seen;
	}
	return d && more && more == d->unseen_ends;
}

static void put_differences(const struct summary *summary, const struct page *page)
{
	const struct trace *trace = summary->collect->trace;

	for (uint32_t id = 0; id < trace_devices(trace); id++) {
		const struct trace_device *device = trace_device(trace, id);

		if (device->has_stat && !device_stat_balance(device) && !is_said(summary, id))
			put_difference_of(summary, page, id);
	}
}

static const char *share(char out[SUMMARY_NUMBER], uint64_t asked, uint64_t disk)
{
	double part = collect_cache_share(asked, disk);

	if (part < 0)
		return NULL;
	snprintf(out, SUMMARY_NUMBER, "%.1f %%", 100 * part);
	return out;
}

static const char *bytes_of(char out[SUMMARY_NUMBER], uint64_t bytes)
{
	return bytes ? summary_bytes(out, bytes) : NULL;
}

static void put_cache(const struct summary *summary, const struct page *page,
		      const struct page_table *table, const struct collect_cache *c, uint32_t id)
{
	char text[6][SUMMARY_NUMBER], *name = device_name(summary, page, id);

	page_row(page, table,
		 (const char *const[]){name, bytes_of(text[0], c->asked_read),
				       bytes_of(text[1], c->disk_read),
				       share(text[2], c->asked_read, c->disk_read),
				       bytes_of(text[3], c->asked_written),
				       bytes_of(text[4], c->disk_written),
				       share(text[5], c->asked_written, c->disk_written)});
	free(name);
}

static void put_caches(const struct summary *summary, const struct page *page, uint32_t rows)
{
	const struct collect *collect = summary->collect;
	const struct page_column column[] = {
		{"cache", -name_width(page), 0, false},
		{"read", 10, 0, false},
		{"from disk", 10, 69, false},
		{"cached", 9, 49, false},
		{"written", 11, 0, false},
		{"to disk", 10, 69, false},
		{"cached", 9, 49, false},
	};
	const struct page_table table = TABLE(column);
	struct collect_cache *cache = collect_caches(collect);
	uint32_t shown = 0;

	for (uint32_t id = 0; id < trace_devices(collect->trace) && shown < rows; id++) {
		if ((!cache[id].asked_read && !cache[id].asked_written) ||
		    !collect_device_is_recorded(collect, id))
			continue;
		if (!shown++)
			page_heading(page, &table);
		put_cache(summary, page, &table, &cache[id], id);
	}
	free(cache);
}

void summary_devices(const struct summary *summary, const struct page *page, uint32_t rows)
{
	struct top top = collect_top_devices(summary->collect, summary->options->sort, rows);
	const struct page_column column[] = {
		{"device", -name_width(page), 0, false},
		{"r/s", 6, 53, false},
		{"w/s", 7, 53, false},
		{"read/s", 11, 0, false},
		{"written/s", 11, 0, false},
		{"await", 8, 0, false},
		{"aqu-sz", 7, 64, false},
		{"%util", 6, 70, false},
		{"p50", 8, 112, false},
		{"p99", 8, 78, false},
		{"max", 8, 104, false},
	};
	const struct page_table table = TABLE(column);

	if (top.count)
		page_heading(page, &table);
	for (uint32_t i = 0; i < top.count; i++)
		put_device(summary, page, &table, top.id[i]);
	if (top.seen > top.count && rows)
		fprintf(page->out, " and %u more\n", (uint32_t)top.seen - top.count);
	if (rows)
		put_differences(summary, page);
	put_caches(summary, page, rows);
	top_release(&top);
}

enum { ROOT_GROUP = 1 }; /* id of the root group, which has no name if cgroup2 is not mounted */

/* Without other groups, everything belongs to the root group. */
static bool has_groups(const struct collect *collect)
{
	for (uint32_t id = 0; id < collect->groups; id++) {
		const struct trace_cgroup *group = trace_cgroup(collect->trace, id);

		if (group->id != ROOT_GROUP && strcmp(trace_text(collect->trace, group->name), "/"))
			return true;
	}
	return false;
}

static char *group_name(const struct trace *trace, uint32_t id)
{
	str_id name = trace_cgroup(trace, id)->name;

	return summary_string(trace, name);
}

void summary_groups(const struct summary *summary, const struct page *page, uint32_t rows)
{
	static const struct page_column column[] = {
		{"requests", 10, 44, false},
		{"read", 10, 0, false},
		{"written", 10, 0, false},
		{"control group", 0, 0, false},
	};
	const struct page_table table = TABLE(column);
	struct top top = collect_top_groups(summary->collect, summary->options->sort,
					    has_groups(summary->collect) ? rows : 0);
	char **name = mem_array(top.count + 1, sizeof(*name)), text[3][SUMMARY_NUMBER];

	for (uint32_t i = 0; i < top.count; i++)
		name[i] = group_name(summary->collect->trace, top.id[i]);
	summary_cut_list(name, top.count, page_rest(page, &table));
	if (top.count)
		page_heading(page, &table);
	for (uint32_t i = 0; i < top.count; i++) {
		const struct collect_group *group = &summary->collect->group[top.id[i]];

		page_row(page, &table,
			 (const char *const[]){summary_count(text[0], group->requests),
					       bytes_of(text[1], group->read),
					       bytes_of(text[2], group->written), name[i]});
		free(name[i]);
	}
	free(name);
	top_release(&top);
}
