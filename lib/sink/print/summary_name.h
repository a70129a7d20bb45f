/*
 * summary_name: names, commands and numbers for people. The result is always safe for a terminal.
 */
#pragma once

#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns text that the caller frees. */

/* Untrusted bytes, escaped as by escape_text(). */
char *summary_escape(const char *bytes, size_t length);
char *summary_string(const struct trace *trace, str_id id);
/* Words that are separated by NUL, quoted as a shell would need them. */
char *summary_quote(const char *words, size_t length);
/* The command line of a process as far as it is known, otherwise its name. */
char *summary_command(const struct trace *trace, process_id process);
/* "dd(4711)": the last part of its name. */
char *summary_process(const struct trace *trace, process_id process);

/* Returns the number of terminal columns of such a text. */
size_t summary_columns(const char *text);
/* Replaces the middle of a text by "..." if it needs more than `columns` (0: no limit); `head` twelfths stay before it. */
char *summary_cut(const char *text, size_t columns, uint32_t head);
/* Cuts each text of a list, and replaces it. Texts that differ still differ afterwards. */
void summary_cut_list(char **text, uint32_t count, size_t columns);

/* Numbers for people; each returns out, as summary_bytes() does. "6.38 MiB/s", "12.3 ms", "1,234,567". */
const char *summary_rate(char out[SUMMARY_NUMBER], double bytes_per_second);
const char *summary_time(char out[SUMMARY_NUMBER], uint64_t ns);
const char *summary_count(char out[SUMMARY_NUMBER], uint64_t count);
