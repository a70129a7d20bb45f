/*
 * exposition: see <iotrace/exposition.h>.
 *
 * Labels have values of a bounded number: devices, file systems, connections and kinds of operations, at most PUBLICATION_ROWS. Buckets
 * are powers of two, from 1.024 us to 137 s.
 */
#include <inttypes.h>
#include <iotrace/errname.h>
#include <iotrace/exposition.h>

enum { SUB = 8, OCTAVES = (PUBLICATION_BUCKETS - 2) / SUB, FIRST_OCTAVE = 10 };

/* Names of each view: of its histogram, and of its labels. */
static const struct {
	const char *histogram, *help, *owner, *operation, *view;
} views[PUBLICATION_VIEWS] = {
	[PUBLICATION_DEVICE] = {"iotrace_block_request_duration_seconds",
				"Time from the insertion or issue of a block request to its end.",
				"device", "operation", "device"},
	[PUBLICATION_FS] = {"iotrace_operation_duration_seconds",
			    "Time that system calls on files took.", "fs", "operation", "fs"},
	[PUBLICATION_FUSE] = {"iotrace_fuse_request_duration_seconds",
			      "Time until the daemon of a FUSE file system has answered a request.",
			      "connection", "opcode", "fuse"},
};

struct page {
	const struct totals *totals;
	uint64_t now;
	bool is_classic;
	FILE *out;
};

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* In OpenMetrics, the name of a family of counters lacks the suffix of its samples. */
static void head(const struct page *page, const char *name, const char *type, const char *unit,
		 const char *help)
{
	const char *suffix = page->is_classic && *type == 'c' ? "_total" : "";

	fprintf(page->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix,
		type);
	if (unit && !page->is_classic)
		fprintf(page->out, "# UNIT %s %s\n", name, unit);
}

/* Returns the length of the UTF-8 character, 0 if the bytes are none. */
static size_t character(const unsigned char *at)
{
	size_t length = *at < 0x80       ? 1
			: *at >> 5 == 6  ? 2
			: *at >> 4 == 14 ? 3
			: *at >> 3 == 30 ? 4
					 : 0;

	for (size_t i = 1; i < length; i++)
		if (at[i] >> 6 != 2)
			return 0;
	return length;
}

static void put_value(const char *text, FILE *out)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t length = character(at);

		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		if (*at == '\n')
			fputs("\\n", out);
		else if (length)
			fwrite(at, length, 1, out);
		else
			fprintf(out, "\\\\x%02x", *at);
		at += length ? length : 1;
	}
}

static void put_label(const char *name, const char *value, FILE *out)
{
	fprintf(out, "%s=\"", name);
	put_value(value, out);
	fputc('"', out);
}

static void put_labels(const struct publication_row *row, FILE *out)
{
	put_label(views[row->view].owner, row->name, out);
	fputc(',', out);
	put_label(views[row->view].operation, row->operation, out);
}

static void put_histogram(const struct page *page, const struct publication_row *row)
{
	const char *name = views[row->view].histogram;
	uint64_t below = row->bucket[0];

	for (uint32_t octave = 0; octave <= OCTAVES; octave++) {
		fprintf(page->out, "%s_bucket{", name);
		put_labels(row, page->out);
		fprintf(page->out, ",le=\"%.9g\"} %" PRIu64 "\n",
			seconds(UINT64_C(1) << (FIRST_OCTAVE + octave)), below);
		for (uint32_t i = 0; octave < OCTAVES && i < SUB; i++)
			below += row->bucket[1 + octave * SUB + i];
	}
	below += row->bucket[PUBLICATION_BUCKETS - 1];
	fprintf(page->out, "%s_bucket{", name);
	put_labels(row, page->out);
	fprintf(page->out, ",le=\"+Inf\"} %" PRIu64 "\n%s_sum{", below, name);
	put_labels(row, page->out);
	fprintf(page->out, "} %.9f\n%s_count{", seconds(row->sum), name);
	put_labels(row, page->out);
	fprintf(page->out, "} %" PRIu64 "\n", below);
}

static void put_histograms(const struct page *page)
{
	for (uint32_t view = 0; view < PUBLICATION_VIEWS; view++) {
		head(page, views[view].histogram, "histogram", "seconds", views[view].help);
		for (uint32_t i = 0; i < totals_rows(page->totals); i++) {
			const struct publication_row *row = totals_row(page->totals, i);

			if (row->view == view && row->kind != PUBLICATION_ALL)
				put_histogram(page, row);
		}
	}
}

/* Prints the begin of a sample of an owner: name and labels. */
static void put_owner(const struct page *page, const char *name, const struct publication_row *row,
		      const char *more)
{
	fprintf(page->out, "%s{view=\"%s\",", name, views[row->view].view);
	put_label("name", row->name, page->out);
	fprintf(page->out, "%s} ", more);
}

static void put_number(const struct page *page, uint64_t number)
{
	fprintf(page->out, "%" PRIu64 "\n", number);
}

static void put_in_flight(const struct page *page, const struct publication_row *row)
{
	put_owner(page, "iotrace_operations_in_flight", row, "");
	put_number(page, row->in_flight);
}

static void put_oldest(const struct page *page, const struct publication_row *row)
{
	bool has_any = row->oldest && row->oldest < page->now;

	put_owner(page, "iotrace_oldest_operation_age_seconds", row, "");
	fprintf(page->out, "%.6f\n", has_any ? seconds(page->now - row->oldest) : 0);
}

static void put_busy(const struct page *page, const struct publication_row *row)
{
	put_owner(page, "iotrace_busy_seconds_total", row, "");
	fprintf(page->out, "%.9f\n", seconds(row->busy));
}

static void put_bytes(const struct page *page, const struct publication_row *row)
{
	put_owner(page, "iotrace_bytes_total", row, ",direction=\"read\"");
	put_number(page, row->read);
	put_owner(page, "iotrace_bytes_total", row, ",direction=\"written\"");
	put_number(page, row->written);
}

static void put_failed(const struct page *page, const struct publication_row *row)
{
	put_owner(page, "iotrace_failed_operations_total", row, "");
	put_number(page, row->errors);
}

static void put_owners(const struct page *page)
{
	static const struct {
		const char *name, *type, *unit, *help;
		void (*put)(const struct page *page, const struct publication_row *row);
	} family[] = {
		{"iotrace_operations_in_flight", "gauge", NULL,
		 "Operations that have begun and not ended.", put_in_flight},
		{"iotrace_oldest_operation_age_seconds", "gauge", "seconds",
		 "For how long the oldest of these has been in flight; 0 if there is none.",
		 put_oldest},
		{"iotrace_busy_seconds", "counter", "seconds",
		 "Time in which any operation was in flight.", put_busy},
		{"iotrace_bytes", "counter", "bytes", "Bytes that operations moved.", put_bytes},
		{"iotrace_failed_operations", "counter", NULL, "Operations that failed.",
		 put_failed},
	};

	for (size_t k = 0; k < sizeof(family) / sizeof(*family); k++) {
		head(page, family[k].name, family[k].type, family[k].unit, family[k].help);
		for (uint32_t i = 0; i < totals_rows(page->totals); i++)
			if (totals_row(page->totals, i)->kind == PUBLICATION_ALL)
				family[k].put(page, totals_row(page->totals, i));
	}
}

static void put_errors(const struct page *page)
{
	const struct publication_slot *slot = totals_slot(page->totals);

	head(page, "iotrace_errors", "counter", NULL,
	     "System calls on files and FUSE requests that failed, by error.");
	for (uint32_t i = 0; i < PUBLICATION_ERRNOS; i++) {
		const char *name = i ? errname(i) : NULL;

		if (!slot->failed[i])
			continue;
		fputs("iotrace_errors_total{errno=\"", page->out);
		if (name || !i)
			fputs(name ? name : "other", page->out);
		else
			fprintf(page->out, "%u", i);
		fprintf(page->out, "\"} %" PRIu64 "\n", slot->failed[i]);
	}
}

static void put_books(const struct page *page)
{
	const struct publication_slot *slot = totals_slot(page->totals);

	head(page, "iotrace_spans", "counter", NULL,
	     "Accounting: begun = ended + cancelled + left + begun_again + those in flight.");
	for (int i = 0; i < PUBLICATION_VIEWS; i++) {
		const struct publication_books *books = &slot->books[i];
		const struct {
			const char *fate;
			uint64_t count;
		} row[] = {{"begun", books->begun},
			   {"ended", books->ended},
			   {"cancelled", books->cancelled},
			   {"left", books->left},
			   {"begun_again", books->begun_again},
			   {"without_room", books->full},
			   {"without_group", books->ungrouped},
			   {"missed", books->missed}};

		for (size_t k = 0; k < sizeof(row) / sizeof(*row); k++)
			fprintf(page->out,
				"iotrace_spans_total{view=\"%s\",fate=\"%s\"} %" PRIu64 "\n",
				views[i].view, row[k].fate, row[k].count);
	}
	head(page, "iotrace_counted", "gauge", NULL,
	     "1 if the kernel counts this view, otherwise 0.");
	for (int i = 0; i < PUBLICATION_VIEWS; i++)
		fprintf(page->out, "iotrace_counted{view=\"%s\"} %u\n", views[i].view,
			slot->books[i].is_counted);
	head(page, "iotrace_restarts", "counter", NULL,
	     "How often the process that counts was started again.");
	fprintf(page->out, "iotrace_restarts_total %u\n", slot->books[0].restarts);
}

void exposition_print(const struct totals *totals, uint64_t now, bool is_classic, FILE *out)
{
	const struct page page = {totals, now, is_classic, out};

	head(&page, "iotrace_build_info", "gauge", NULL, "The version of iotrace.");
	fprintf(out, "iotrace_build_info{version=\"%s\"} 1\n", IOTRACE_VERSION);
	put_histograms(&page);
	put_owners(&page);
	put_errors(&page);
	put_books(&page);
	if (!is_classic)
		fputs("# EOF\n", out);
}
