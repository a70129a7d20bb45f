/*
 * log: formats a message, splits it into lines, escapes them, and passes them to the writer.
 *
 * The only state of the library is here: the level and the writer.
 */
#include <iotrace/log.h>

#include <iotrace/escape.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_stderr(enum log_level level, const char *line);

static struct {
	enum log_level level;
	log_writer writer;
} state = {LOG_WARN, write_stderr};

/* stderr is unbuffered, so one fwrite() is one write(). */
static void write_stderr(enum log_level level, const char *line)
{
	char *text = mem_format("iotrace: %s\n", line);

	(void)level;
	fwrite(text, 1, strlen(text), stderr);
	free(text);
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
	char *at;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	for (at = text; *at || at == text;) {
		char *end = strchrnul(at, '\n');

		write_line(level, at, (size_t)(end - at));
		if (!*end)
			break;
		at = end + 1;
	}
	free(text);
	errno = saved;
}
