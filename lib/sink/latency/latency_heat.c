/*
 * latency_heat: the heat map, for a terminal and as an image.
 *
 * The horizontal axis is the time, the vertical axis the latency, with two rows for each power of two. The shade is the count on
 * a logarithmic scale, so that one slow request among a million is visible.
 */
#include "latency.h"
#include "print/summary_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MARGIN = 11,
	COLUMNS_PLAIN = 80,
	COLUMNS_LEAST = 20,
	SHADES = 8,
	CELL_WIDTH = 4,
	CELL_HEIGHT = 14,
	EMPTY_MOST = 4
};

static const char letters[SHADES + 1] = ".:-=+*#@";
/* 256 colours: from dark blue over green to yellow and red. */
static const int colours[SHADES] = {17, 19, 26, 37, 71, 148, 214, 196};
static const char *const web_colours[SHADES] = {"#1a237e", "#283593", "#1976d2", "#00a5a5",
						"#66bb6a", "#c0ca33", "#ffa726", "#e53935"};

/* A map that fits the available columns: each column combines `per` columns of the original map. */
struct drawing {
	const struct latency_heat *heat;
	uint32_t columns, per;
	uint64_t most;
};

static uint64_t count_at(const struct drawing *d, uint32_t column, uint32_t row)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < d->per; i++)
		count += heat_cell(d->heat, column * d->per + i, row);
	return count;
}

static struct drawing draw(const struct latency_heat *heat, uint32_t room)
{
	struct drawing d = {.heat = heat};

	d.per = (heat->columns + room - 1) / room;
	d.per = d.per ? d.per : 1;
	d.columns = (heat->columns + d.per - 1) / d.per;
	for (uint32_t row = heat->first; row < heat->first + heat->rows; row++)
		for (uint32_t column = 0; column < d.columns; column++) {
			uint64_t count = count_at(&d, column, row);

			d.most = count > d.most ? count : d.most;
		}
	return d;
}

/* Returns a shade from 0 to SHADES - 1 for a count from one to the maximum. */
static uint32_t shade(const struct drawing *d, uint64_t count)
{
	if (d->most < 2)
		return SHADES - 1;
	return (uint32_t)(log2((double)count) / log2((double)d->most) * (SHADES - 1) + 0.5);
}

static void put_cell(const struct span_report *report, const struct drawing *d, uint64_t count,
		     FILE *out)
{
	if (!count)
		fputc(' ', out);
	else if (report->has_style)
		fprintf(out, "\033[38;5;%dm\xe2\x96\x88", colours[shade(d, count)]);
	else
		fputc(letters[shade(d, count)], out);
}

static void put_axis(const struct drawing *d, FILE *out)
{
	uint64_t whole = (uint64_t)d->columns * d->per * d->heat->step;
	char middle[SUMMARY_NUMBER], end[SUMMARY_NUMBER], step[SUMMARY_NUMBER],
		most[SUMMARY_NUMBER];
	int half = (int)d->columns / 2;

	fprintf(out, "%*s+", MARGIN - 1, "");
	for (uint32_t i = 0; i < d->columns; i++)
		fputc('-', out);
	summary_time(middle, whole / 2);
	summary_time(end, whole);
	fprintf(out, "\n%*s0", MARGIN, "");
	if (half > 10)
		fprintf(out, "%*s", half + (int)strlen(middle) / 2 - 1, middle);
	if (d->columns > 10)
		fprintf(out, "%*s",
			(int)d->columns - (half > 10 ? half + (int)strlen(middle) / 2 : 1), end);
	fprintf(out, "\n%*sa column: %s; the darkest or brightest cell: %s\n", MARGIN, "",
		summary_time(step, d->heat->step * d->per), summary_count(most, d->most));
}

static void put_row(const struct span_report *report, const struct drawing *d, uint32_t row,
		    FILE *out)
{
	char text[SUMMARY_NUMBER];

	fprintf(out, "%9s |", row % HEAT_OCTAVE ? "" : summary_time(text, heat_from(row)));
	for (uint32_t column = 0; column < d->columns; column++)
		put_cell(report, d, count_at(d, column, row), out);
	fputs(report->has_style ? "\033[0m\n" : "\n", out);
}

/* Returns how many rows from this one on downwards are empty. */
static uint32_t empty_rows(const struct latency_heat *heat, uint32_t row)
{
	uint32_t rows = 0;

	for (; row >= heat->first && row < heat->first + heat->rows; row--, rows++)
		for (uint32_t column = 0; column < heat->columns; column++)
			if (heat_cell(heat, column, row))
				return rows;
	return rows;
}

/* Many empty rows are printed as one line. */
void latency_heat_text(const struct span_report *report, const struct latency_heat *heat, FILE *out)
{
	size_t columns = report->columns ? report->columns : COLUMNS_PLAIN;
	size_t room = columns > MARGIN + COLUMNS_LEAST ? columns - MARGIN - 1 : COLUMNS_LEAST;
	const struct drawing d = draw(heat, (uint32_t)room);

	fputs("\n latency  | count over time\n", out);
	for (uint32_t row = heat->first + heat->rows; row-- > heat->first;) {
		uint32_t empty = empty_rows(heat, row);

		if (empty <= EMPTY_MOST) {
			put_row(report, &d, row, out);
			continue;
		}
		fputs("      ... |\n", out);
		row -= empty - 1;
	}
	put_axis(&d, out);
}

static void put_xml(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '&' || *text == '>' || *text == '"')
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
	}
}

static void svg_span(const struct span_report *report, uint32_t span, uint32_t top, FILE *out)
{
	const struct latency_heat *heat = &latency_total(report->latency, span)->heat;
	const struct drawing d = draw(heat, HEAT_COLUMNS);
	uint32_t bottom = top + 24 + heat->rows * CELL_HEIGHT, width = d.columns * CELL_WIDTH;
	char text[SUMMARY_NUMBER];

	fprintf(out, "<text x=\"80\" y=\"%u\" font-weight=\"bold\">", top + 14);
	put_xml(out, report->span[span]->name);
	fprintf(out, ": latency over time</text>\n");
	for (uint32_t row = heat->first; row < heat->first + heat->rows; row++) {
		uint32_t y = bottom - (row - heat->first + 1) * CELL_HEIGHT;

		if (row % HEAT_OCTAVE == 0)
			fprintf(out, "<text x=\"74\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
				y + CELL_HEIGHT, summary_time(text, heat_from(row)));
		for (uint32_t column = 0; column < d.columns; column++) {
			uint64_t count = count_at(&d, column, row);

			if (count)
				fprintf(out,
					"<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%llu</title></rect>\n",
					80 + column * CELL_WIDTH, y, CELL_WIDTH, CELL_HEIGHT,
					web_colours[shade(&d, count)], (unsigned long long)count);
		}
	}
	fprintf(out, "<path d=\"M80 %u V%u H%u\" fill=\"none\" stroke=\"#888\"/>\n", top + 24,
		bottom, 80 + (width > 200 ? width : 200));
	fprintf(out, "<text x=\"80\" y=\"%u\">0</text>\n", bottom + 14);
	fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
		80 + (width > 200 ? width : 200), bottom + 14,
		summary_time(text, (uint64_t)d.columns * d.per * heat->step));
}

static uint32_t svg_height(const struct span_report *report, uint32_t span)
{
	const struct latency_heat *heat = &latency_total(report->latency, span)->heat;

	return heat->rows ? heat->rows * CELL_HEIGHT + 60 : 0;
}

void latency_svg(const struct span_report *report, FILE *out)
{
	uint32_t height = 10, top = 0;

	for (uint32_t span = 0; span < report->spans; span++)
		height += svg_height(report, span);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		100 + HEAT_COLUMNS * CELL_WIDTH, height);
	for (uint32_t span = 0; span < report->spans; span++) {
		if (svg_height(report, span))
			svg_span(report, span, top, out);
		top += svg_height(report, span);
	}
	fputs("</svg>\n", out);
}
