/*
 * log: formats a message, escapes it, and passes it to the writer.
 *
 * The only state of the library is here: the level, the width of the terminal and the writer.
 */
#include <iotrace/log.h>

#include <iotrace/error.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <iotrace/wrap.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_stderr(enum log_level level, const char *line);

static struct {
	enum log_level level;
	log_writer writer;
	size_t columns;
} state = {.level = LOG_WARN, .writer = write_stderr};

static const char prefix[] = "iotrace: ";
enum { INDENT = 2 };

/* Returns where the last words begin that stay together: what follows the last ": ", unless it is a list. */
static const char *last_words(const char *line)
{
	const char *end = line + strlen(line), *at = NULL;

	for (const char *next = strstr(line, ": "); next; next = strstr(next + 1, ": "))
		at = next + 2;
	return !at || strstr(at, ", ") ? end : at;
}

static void wrap(FILE *out, const char *line)
{
	const char *last = last_words(line + strlen(prefix));
	size_t used = wrap_print(out, line, (size_t)(last - line), state.columns, 0, INDENT);
	bool fits = used + 1 + wrap_columns(last, strlen(last)) <= state.columns;

	if (*last)
		fprintf(out, "%s%*s%s", fits ? "" : "\n", fits ? 1 : INDENT, "", last);
}

/* stderr is unbuffered, so one fwrite() is one write(). */
static void write_stderr(enum log_level level, const char *line)
{
	char *text = mem_format("%s%s", prefix, line), *lines = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&lines, &size);

	(void)level;
	if (out) {
		if (state.columns)
			wrap(out, text);
		else
			fputs(text, out);
		fputc('\n', out);
		fclose(out);
		fwrite(lines, 1, size, stderr);
	}
	free(lines);
	free(text);
}

void log_set_columns(size_t columns)
{
	state.columns = columns;
}

void log_set_level(enum log_level level)
{
	state.level = level;
}

enum log_level log_level(void)
{
	return state.level;
}

void log_set_writer(log_writer writer)
{
	state.writer = writer ? writer : write_stderr;
}

static void write_line(enum log_level level, const char *text, size_t length)
{
	size_t size = ESCAPE_MAX * length + 1;
	char *line = mem_alloc(size);

	escape_text(line, size, text, length);
	state.writer(level, line);
	free(line);
}

void log_write(enum log_level level, const char *format, ...)
{
	int saved = errno;
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	write_line(level, text, (size_t)length);
	free(text);
	errno = saved;
}

void log_failure(enum log_level level, const struct error *err)
{
	log_at(level, "%s", err->text);
	for (const char *hint = error_next_hint(err, NULL); hint; hint = error_next_hint(err, hint))
		log_at(level, "%s", hint);
}
