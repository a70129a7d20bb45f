#include "same.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "--source=perf" has one of several values, "--syscalls=+uring" is present or not. */
static size_t name_length(const char *line)
{
	size_t length = strcspn(line, "=\n");

	return line[length] == '=' && line[length + 1] == '+' ? strcspn(line, "\n") : length;
}

/* Returns the line of `text` with the same option as `line`, or NULL. */
static const char *find(const char *text, const char *line)
{
	size_t length = name_length(line);

	while (*text && (name_length(text) != length || strncmp(text, line, length) != 0)) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return *text ? text : NULL;
}

static bool is_same_line(const char *a, const char *b)
{
	size_t length = strcspn(a, "\n");

	return strcspn(b, "\n") == length && !strncmp(a, b, length);
}

/* Returns the first line of `text` that is not in `other`, or NULL. */
static const char *differing(const char *text, const char *other)
{
	for (; *text; text += *text == '\n') {
		const char *same = find(other, text);

		if (!same || !is_same_line(text, same))
			return text;
		text += strcspn(text, "\n");
	}
	return NULL;
}

/* Returns the line as words for a message, which the caller frees; "no --source" if `line` is NULL. */
static char *in_words(const char *line, const char *option)
{
	if (line)
		return mem_format("%.*s", (int)strcspn(line, "\n"), line);
	return mem_format("no %.*s", (int)name_length(option), option);
}

int join_compare(const char *of_host, const char *of_guest, struct error *err)
{
	const char *line = differing(of_host, of_guest);
	char *its, *ours;

	if (!line)
		line = differing(of_guest, of_host);
	if (!line)
		return 0;
	its = in_words(find(of_host, line), line);
	ours = in_words(find(of_guest, line), line);
	error_say(
		err, EINVAL,
		"--join: the recorder of this node has %s, but this command has %s: it must be the "
		"same for all commands of a recorder",
		its, ours);
	error_hint(
		err,
		"Give all commands the same value, or record this one with --alone and another -o");
	free(ours);
	free(its);
	return -EINVAL;
}
