/* summary: the summary for people (summary_text.c) and for programs (summary_json.c). All numbers come from collect.h. */
#pragma once

#include "collect/collect.h"
#include "print/summary_name.h"

#include <iotrace/sink.h>
#include <stdio.h>

/* The version of the output of summary_json(): it increases if a key is removed or changes its meaning. */
enum { SUMMARY_SCHEMA = 3 };

/* Rows of each table, unless options say otherwise: for a screen, and for a program. */
enum { SUMMARY_TOP_TEXT = 5, SUMMARY_TOP_JSON = 100 };

struct summary {
	const struct sink_options *options; /* lent */
	const struct collect *collect;      /* lent */
};

void summary_text(const struct summary *summary, bool is_color, FILE *out);
void summary_json(const struct summary *summary, FILE *out);
struct json_object *summary_device_json(const struct summary *summary);
struct json_object *summary_group_json(const struct summary *summary);

/* Prints one sentence if the recording or its archive ends early, with the cause and a remedy. Returns whether it does. */
bool summary_end(const struct summary *summary, FILE *out);
/* Prints what an archive that ends early contains, and what it lacks. */
void summary_end_of_archive(const struct summary *summary, FILE *out);
/* Returns the errno of the write that ended the recording early, or 0. */
int summary_end_error(const struct summary *summary);

/*
 * Returns remark number `index`, which a reader of the numbers should know, as one sentence in text; false if it does not apply.
 * Safe for a terminal. There are SUMMARY_REMARKS.
 */
bool summary_remark(const struct summary *summary, uint32_t index, char *text, size_t size);
uint32_t summary_remarks(void);
