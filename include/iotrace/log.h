/*
 * log: messages for users, on standard error.
 *
 * A line is built first and written with one call, so lines of two threads or programs do not mix. Bytes that are
 * not printable UTF-8 are escaped. Code that processes the stream never calls it. The level and the width are the library's
 * only global variables; a test may replace the writer by its own function.
 */
#pragma once

#include <stddef.h>

struct error;

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

typedef void (*log_writer)(enum log_level level, const char *line);

/* Sets the level (default LOG_WARN). Lines above it are not formatted. */
void log_set_level(enum log_level level);
enum log_level log_level(void);
/*
 * Sets the width of the terminal (default 0: no terminal), in which lines are wrapped. What follows the last ": " of a line and is
 * no list stays whole, because it may be a command to copy.
 */
void log_set_columns(size_t columns);
/* Replaces the writer; NULL restores the default ("iotrace: LINE" on stderr). */
void log_set_writer(log_writer writer);
/* Writes one line; use the macros below. A '\n' is escaped like any other byte, because it may be part of a name. */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the sentence of the error, and each of its hints as a further line. */
void log_failure(enum log_level level, const struct error *err);

#define log_at(level, ...) ((level) <= log_level() ? log_write((level), __VA_ARGS__) : (void)0)
#define log_error(...)     log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)      log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...)      log_at(LOG_INFO, __VA_ARGS__)
#define log_debug(...)     log_at(LOG_DEBUG, __VA_ARGS__)
