/*
 * stat_remote: see stat_remote.h. What a daemon sends is escaped, but another program may answer at the socket. Messages begin like those
 * of this program.
 */
#include "stat_remote.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/escape.h>
#include <iotrace/interrupt.h>
#include <iotrace/mem.h>
#include <iotrace/peer.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool stat_remote_has(const char *view)
{
	static const char *const views[] = {"op", "process", "thread", "user", "cgroup"};

	for (size_t i = 0; view && i < sizeof(views) / sizeof(*views); i++)
		if (!strcmp(view, views[i]))
			return true;
	return false;
}

/* A file that the user has named is written by this process. */
static FILE *open_output(const struct stat_options *options, struct error *err)
{
	const char *path = options->span.json.path ? options->span.json.path : options->csv.path;
	FILE *out = path ? fopen(path, "we") : stdout;

	if (!out)
		error_set(err, errno, "open %s", path);
	return out;
}

static void put_safe(const char *line, size_t length, FILE *to)
{
	escape_print_again(to, line, length - (line[length - 1] == '\n'));
	fputc('\n', to);
}

/* Programs that read JSON or CSV get what was sent. */
static int copy(FILE *from, FILE *to, bool is_for_programs, struct error *err)
{
	static const char mark[] = "iotrace: ";
	bool is_raw = is_for_programs && probe_columns(fileno(to)) <= 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int code = 1;

	while (code >= 0 && (length = getline(&line, &room, from)) >= 0) {
		bool is_message = !strncmp(line, mark, sizeof(mark) - 1);

		if (is_raw && !is_message)
			fwrite(line, 1, (size_t)length, to);
		else
			put_safe(line, (size_t)length, is_message ? stderr : to);
		if (!is_message)
			code = fflush(to) && errno != EPIPE
				       ? error_set(err, errno, "write the numbers")
				       : 0;
	}
	free(line);
	return code;
}

int stat_remote(const struct stat_options *options, struct error *err)
{
	const char *format = options->span.json.is_wanted ? "json"
			     : options->csv.is_wanted     ? "csv"
							  : "table";
	char *path = mem_format("%s/socket", options->directory);
	char *request = mem_format("stat %s %llu %u %s %u %d", options->span.by,
				   (unsigned long long)options->span.interval, options->count,
				   format, options->span.top, options->has_totals);
	int fd = peer_ask(path, request, err);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
	FILE *to = from ? open_output(options, err) : NULL;
	int code;

	if (fd >= 0)
		interrupt_catch(fd);
	code = fd < 0 ? fd : to ? copy(from, to, strcmp(format, "table") != 0, err) : -err->code;
	if (interrupt_has_come() && (code == -EINTR || code > 0))
		code = 0;
	if (to && to != stdout)
		fclose(to);
	if (from)
		fclose(from);
	free(path);
	free(request);
	return code;
}
