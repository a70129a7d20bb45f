/*
 * left: messages about the work directories that place.h finds. Names are quoted for a shell, so that the commands can be
 * copied.
 */
#include "left.h"

#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_MOST = 100 };

/* Returns the word quoted for a shell; the caller frees it. */
static char *quote(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+,:@%=";
	char *quoted, *at;

	if (*word && word[0] != '-' && strspn(word, plain) == strlen(word))
		return mem_strdup(word);
	quoted = at = mem_alloc(4 * strlen(word) + sizeof("''"));
	*at++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			at = stpcpy(at, "'\\'");
		*at++ = *word;
	}
	memcpy(at, "'", sizeof("'"));
	return quoted;
}

static char *describe(const struct place_left *left)
{
	char *path = quote(left->path), *spool = left->spool ? quote(left->spool) : NULL;
	char *text;

	if (left->is_converted)
		text = mem_format("left by a killed recording: %s (converted)\n"
				  "To remove it: rm -r %s",
				  path, path);
	else if (spool)
		text = mem_format("left by a killed recording: %s (%llu KiB)\n"
				  "To convert it: iotrace convert %s\n"
				  "To remove it: rm -r %s",
				  path, (unsigned long long)left->bytes >> 10, spool, path);
	else
		text = mem_format("left by a killed recording: %s (empty)\n"
				  "To remove it: rm -r %s",
				  path, path);
	free(spool);
	free(path);
	return text;
}

void left_log(const char *directory)
{
	struct place_left left[LEFT_MOST];
	uint32_t count = place_find_left(directory, left, LEFT_MOST), open = 0;
	char *first = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (!left[i].spool || left[i].is_converted)
			continue;
		if (!open++)
			first = quote(left[i].spool);
	}
	if (open == 1)
		log_warn("left by a killed recording; to convert it: iotrace convert %s", first);
	else if (open)
		log_warn(
			"left by killed recordings: %u captures; to convert the first: iotrace convert %s",
			open, first);
	free(first);
	place_left_release(left, count);
}

uint32_t left_list(const char *directory, FILE *out)
{
	struct place_left left[LEFT_MOST];
	uint32_t count = place_find_left(directory, left, LEFT_MOST);

	for (uint32_t i = 0; i < count; i++) {
		char *text = describe(&left[i]);

		fprintf(out, "%s%s\n", i ? "" : "\n", text);
		free(text);
	}
	place_left_release(left, count);
	return count;
}

void left_converted(const char *spool, bool is_quiet)
{
	char *made = place_of_spool(spool);
	char *directory = made ? mem_format("%.*s", (int)(strrchr(spool, '/') - spool), spool)
			       : NULL;
	char *quoted = made ? quote(directory) : NULL;

	if (made && !is_quiet)
		log_warn("all of %s is converted; it may be removed: rm -r %s", directory, quoted);
	place_note_converted(spool);
	free(quoted);
	free(directory);
	free(made);
}
