/*
 * latency: what the outputs of `iotrace latency` share.
 */
#pragma once

#include <iotrace/span_report.h>

struct json_object;
struct page;

/* Returns the name of a group, safe for a terminal, which the caller frees. */
char *latency_group_text(const struct span_report *report, const struct latency_group *group);
/* The same for the file or the key of a span. */
char *latency_about_text(const struct span_report *report, const struct span_seen *seen);
/* Appends text such as "12 ended", unless the count is 0. */
void latency_append(char **text, const char *before, uint64_t count, const char *what);
/* Prints the heat map of a span as text. */
void latency_heat_text(const struct span_report *report, const struct latency_heat *heat,
		       FILE *out);
/* Returns { span, group, pid, tid, comm, file, key, begun_ns } of one span. */
struct json_object *span_seen_json(const struct span_report *report, const struct span_seen *seen);
/* Returns { span, begun, ended, ... } of each span, and the completeness of the recording. */
struct json_object *span_books_json(const struct span_report *report);
/* Returns how long the recording lasted between `from` and `to`, in ns, without its pauses. */
uint64_t span_report_duration(const struct span_report *report);
/* If a recording is printed in parts, prints a line with the times of this part. Otherwise it prints nothing. */
void span_part_text(const struct span_report *report, const struct page *page);
/* Prints a line such as "12 ended, 1 open at the end" for each span, and one about missing events. */
void span_books_text(const struct span_report *report, const struct page *page);
