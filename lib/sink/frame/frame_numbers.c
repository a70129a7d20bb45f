/* frame_numbers: the numbers of a row, in the units of the outputs. */
#include <iotrace/frame_report.h>
#include <stdio.h>
#include <string.h>

void frame_numbers(struct frame_numbers *numbers, const struct frame *frame,
		   const struct frame_row *row)
{
	const struct histogram *h = &row->histogram;
	double seconds = frame_seconds(frame), per = seconds > 0 ? 1 / seconds : 0;

	*numbers = (struct frame_numbers){
		.ops = (double)row->now.ops * per,
		.read = (double)row->now.read * per,
		.written = (double)row->now.written * per,
		.errors = (double)row->now.errors * per,
		.service_us = h->count ? (double)h->sum / (double)h->count / 1e3 : 0,
		.p50_us = (double)histogram_quantile(h, 500) / 1e3,
		.p99_us = (double)histogram_quantile(h, 990) / 1e3,
		.max_us = (double)h->max / 1e3,
		.util = (double)row->busy * per / 1e7,
		.oldest_s = row->oldest ? (double)(frame->to - row->oldest) / 1e9 : 0,
	};
}

static size_t name_of_group(const struct frame_report *report, const struct frame_row *row,
			    char *text, size_t size)
{
	return report->name ? report->name(report->name_context, row, text, size)
			    : span_engine_group(report->engine, 0, row->group, text, size);
}

size_t frame_name(const struct frame_report *report, const struct frame_row *row, char *text,
		  size_t size)
{
	static const char rest[] = "(groups that found no room)", none[] = "-";
	size_t length = row == report->frame->total || row->is_rest
				? 0
				: name_of_group(report, row, text, size);
	const char *instead = row == report->frame->total ? "TOTAL" : row->is_rest ? rest : none;

	if (length)
		return length;
	length = strlen(instead);
	snprintf(text, size, "%s", instead);
	return length < size ? length : size - 1;
}

size_t frame_group_name(const struct frame_report *report, uint64_t group, char *text, size_t size)
{
	const struct frame_row row = {.group = group};

	return name_of_group(report, &row, text, size);
}
