/*
 * summary_name: names, commands and numbers for people. Whatever bytes they have, what comes out is fit for a terminal.
 */
#pragma once

#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns text that the caller frees. */

/* Foreign bytes, escaped as escape_text() does. */
char *summary_escape(const char *bytes, size_t length);
char *summary_string(const struct trace *trace, str_id id);
/* Words that are separated by NUL, quoted as a shell would need them. */
char *summary_quote(const char *words, size_t length);
/* A process: its command line as far as it is known, else its name. */
char *summary_command(const struct trace *trace, process_id process);
/* "dd(4711)": the last part of its name. */
char *summary_process(const struct trace *trace, process_id process);

/* Returns how many columns of a terminal such text takes. */
size_t summary_columns(const char *text);
/* Cuts text in its middle with "..." if it takes more than `columns` (0: no limit); `head` of 12 parts stay before that. */
char *summary_cut(const char *text, size_t columns, uint32_t head);
/* Cuts each text of a list so that those that differ still do, and replaces it. */
void summary_cut_list(char **text, uint32_t count, size_t columns);

/* Numbers for people; each returns out, as summary_bytes() does. "6.38 MiB/s", "12.3 ms", "1,234,567". */
const char *summary_rate(char out[SUMMARY_NUMBER], double bytes_per_second);
const char *summary_time(char out[SUMMARY_NUMBER], uint64_t ns);
const char *summary_count(char out[SUMMARY_NUMBER], uint64_t count);
