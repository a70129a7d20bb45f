/*
 * summary_device_text: tables of block devices for people, in 80 columns: what `iostat -x` would show of the run, with
 * the spread of the service time; and what programs asked for against what reached the disks.
 */
#include "device_stat.h"
#include "summary.h"

#include <iotrace/device.h>
#include <stdlib.h>
#include <string.h>

enum {
	TOP_DEVICES = 12,
	COLUMNS_DEFAULT = 80,
	NAME_COLUMNS = 8, /* of a device, and as many as this, where there is room: */
	NAME_COLUMNS_MAX = 24,
	NAME_SIZE = 4 * NAME_COLUMNS_MAX + 16,
};

static int name_columns(const struct summary *summary)
{
	int more = summary->options->columns - COLUMNS_DEFAULT;

	return NAME_COLUMNS + (more < 0 ? 0
			       : more < NAME_COLUMNS_MAX - NAME_COLUMNS
				       ? more
				       : NAME_COLUMNS_MAX - NAME_COLUMNS);
}

static const char *device_name(char out[NAME_SIZE], const struct summary *summary, uint32_t id)
{
	const struct model *model = summary->options->model;
	str_id name = model_device(model, id)->name;

	return summary_name(out, NAME_SIZE, model_text(model, name),
			    strtab_length(model_strings(model), name),
			    (size_t)name_columns(summary));
}

/* Three digits say enough; a column has room for five. */
static const char *rate(char out[SUMMARY_NUMBER], double value)
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

static void put_traffic(const struct summary_device *d, enum request_kind kind, const char *name,
			const char *more, const char **before, FILE *out)
{
	char count[SUMMARY_NUMBER], bytes[SUMMARY_NUMBER];
	const struct summary_traffic *traffic = &d->kind[kind];

	if (!traffic->requests)
		return;
	fprintf(out, "%s%s %s%s%s", *before, summary_count(count, traffic->requests), name,
		plural(traffic->requests, name), more);
	if (kind != REQUEST_FLUSH)
		fprintf(out, " (%s)", summary_bytes(bytes, traffic->bytes));
	*before = ", ";
}

/* What the columns have no room for, if there was any. */
static void put_others(const struct summary_device *d, FILE *out)
{
	char count[SUMMARY_NUMBER];
	const char *before = "          ";

	put_traffic(d, REQUEST_FLUSH, "flush", "", &before, out);
	put_traffic(d, REQUEST_DISCARD, "discard", "", &before, out);
	put_traffic(d, REQUEST_ZEROES, "write", " of zeroes", &before, out);
	put_traffic(d, REQUEST_OTHER, "command", "", &before, out);
	if (d->errors)
		fprintf(out, "%s%s failed", before, summary_count(count, d->errors));
	before = d->errors ? ", " : before;
	if (d->cancelled)
		fprintf(out, "%s%s did not end", before, summary_count(count, d->cancelled));
	if (*before == ',' || d->cancelled)
		fputc('\n', out);
}

static void put_device(const struct summary *summary, uint32_t id, FILE *out)
{
	const struct summary_device *d = summary_device(summary, id);
	struct summary_rates r = summary_device_rates(summary, id);
	char name[NAME_SIZE], reads[SUMMARY_NUMBER], writes[SUMMARY_NUMBER], read[SUMMARY_NUMBER],
		written[SUMMARY_NUMBER], wait[SUMMARY_NUMBER], queue[SUMMARY_NUMBER];
	char p50[SUMMARY_NUMBER], p99[SUMMARY_NUMBER], max[SUMMARY_NUMBER];

	fprintf(out, " %-*s%6s%6s%7s%7s%8s%7s%6.1f", name_columns(summary),
		device_name(name, summary, id), rate(reads, r.reads), rate(writes, r.writes),
		rate(read, r.read_bytes / 1024), rate(written, r.written_bytes / 1024),
		summary_time(wait, (uint64_t)r.wait), rate(queue, r.queue), 100 * r.util);
	fprintf(out, "%8s%8s%8s\n", summary_time(p50, histogram_quantile(&d->service, 500)),
		summary_time(p99, histogram_quantile(&d->service, 990)),
		summary_time(max, d->service.max));
	put_others(d, out);
}

/* "12 more reads", or where only sizes differ "8 more sectors of reads"; nothing if they are the same. */
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
	*before = ",\n      ";
}

/* Where the kernel's own count is known and another one: a line for each device. */
static void put_differences(const struct summary *summary, FILE *out)
{
	const struct model *model = summary->options->model;
	char name[NAME_SIZE];

	for (uint32_t id = 0; id < model_devices(model); id++) {
		const struct model_device *device = model_device(model, id);
		const char *before = ": the kernel itself counted";

		if (!device->has_stat || device_stat_balance(device))
			continue;
		fprintf(out, " %s", device_name(name, summary, id));
		for (int i = 0; i < STAT_KINDS; i++) {
			enum device_stat_kind kind = (enum device_stat_kind)i;

			put_difference(&before, device_stat_name(kind),
				       device_stat_seen(device, kind),
				       device_stat_kernel(device, kind), out);
		}
		fputc('\n', out);
	}
}

static void put_heading(const char *bold, const char *plain, const char *text, FILE *out)
{
	fprintf(out, "\n%s%s%s\n", bold, text, plain);
}

static const char *share(char out[SUMMARY_NUMBER], uint64_t asked, uint64_t disk)
{
	double part = summary_cache_share(asked, disk);

	if (part < 0)
		snprintf(out, SUMMARY_NUMBER, "-");
	else
		snprintf(out, SUMMARY_NUMBER, "%.1f %%", 100 * part);
	return out;
}

static const char *bytes_or_dash(char out[SUMMARY_NUMBER], uint64_t bytes)
{
	return bytes ? summary_bytes(out, bytes) : "-";
}

/* Programs and disks: only where both sides are known. */
static void put_caches(const struct summary *summary, const char *bold, const char *plain,
		       FILE *out)
{
	const struct model *model = summary->options->model;
	struct summary_cache *cache = summary_device_cache(summary);
	char heading[128], name[NAME_SIZE], text[6][SUMMARY_NUMBER];
	bool is_first = true;

	snprintf(heading, sizeof(heading), " %-*s%11s%11s%9s%14s%11s%9s", name_columns(summary), "",
		 "asked: read", "from disk", "cached", "written", "to disk", "cached");
	for (uint32_t id = 0; id < model_devices(model); id++) {
		const struct summary_cache *c = &cache[id];

		if ((!c->asked_read && !c->asked_written) ||
		    !summary_device_is_recorded(summary, id))
			continue;
		if (is_first)
			put_heading(bold, plain, heading, out);
		is_first = false;
		fprintf(out, " %-*s%11s%11s%9s%14s%11s%9s\n", name_columns(summary),
			device_name(name, summary, id), bytes_or_dash(text[0], c->asked_read),
			bytes_or_dash(text[1], c->disk_read),
			share(text[2], c->asked_read, c->disk_read),
			bytes_or_dash(text[3], c->asked_written),
			bytes_or_dash(text[4], c->disk_written),
			share(text[5], c->asked_written, c->disk_written));
	}
	free(cache);
}

void summary_device_text(const struct summary *summary, const char *bold, const char *plain,
			 FILE *out)
{
	uint32_t top[TOP_DEVICES], count;
	uint32_t all = summary_device_top(summary, top, TOP_DEVICES, &count);
	char heading[128];

	snprintf(heading, sizeof(heading), " %-*s%6s%6s%7s%7s%8s%7s%6s%8s%8s%8s",
		 name_columns(summary), "device", "r/s", "w/s", "rkB/s", "wkB/s", "await", "aqu-sz",
		 "%util", "p50", "p99", "max");
	if (count)
		put_heading(bold, plain, heading, out);
	for (uint32_t i = 0; i < count; i++)
		put_device(summary, top[i], out);
	if (all > count)
		fprintf(out, " and %u more that were less busy\n", all - count);
	put_differences(summary, out);
	put_caches(summary, bold, plain, out);
}
