#include "record_places.h"

#include "path/paths.h"
#include "record_options.h"
#include "run/output.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_NAMES = 100 };

/* A capture that the user wants to keep grows beside its target. */
struct place *record_places_spool(const struct record_places *places)
{
	return places->capture_place ? places->capture_place : places->place;
}

/* All names use the same values of placeholders. */
static int choose_names(struct record_places *places, const struct record_options *options,
			struct error *err)
{
	const struct output_options *output = &options->output;
	const struct {
		const char *what, *pattern;
		char **name;
	} row[] = {{"-o", output->path, &places->path},
		   {"--capture", options->capture, &places->capture},
		   {"--summary", output->summary.path, &places->summary}};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if (!row[i].pattern)
			continue;
		*row[i].name = naming_expand(&places->naming, row[i].what, row[i].pattern, err);
		if (!*row[i].name)
			return -err->code;
	}
	return 0;
}

/* Refuses a name that several recordings of a job have. */
static int refuse_name(const struct record_places *places, const char *name, struct error *err)
{
	if (naming_has_ranks(&places->naming))
		error_hint(
			err,
			"Give each recording of a job its own name, for example %s.%%t, or %s.%%r for "
			"each rank with --alone",
			name, name);
	else if (err->code == EBUSY)
		error_hint(err, "Give each recording a name of its own, for example %s.%%p", name);
	return -err->code;
}

static bool is_taken(const struct error *err)
{
	return err->code == EEXIST || err->code == EBUSY;
}

/* If the default name is taken, another one is used. */
static int open_default(struct record_places *places, const char *directory, struct error *err)
{
	char *name = naming_default(&places->naming);
	char *base = directory ? mem_format("%s/%s", directory, name) : mem_strdup(name);

	for (int i = 2;; i++) {
		places->path = i == 2 ? mem_strdup(base) : mem_format("%s-%d", base, i - 1);
		*err = (struct error){0};
		places->place = place_open("-o", places->path, err);
		if (places->place || i > DEFAULT_NAMES || !is_taken(err))
			break;
		free(places->path);
	}
	free(base);
	free(name);
	return places->place ? 0 : -err->code;
}

/* Without an output, only the spool needs a place while the recording runs. */
static int open_temporary(struct record_places *places, struct error *err)
{
	int code = open_default(places, NULL, err);
	const struct error here = *err;
	const char *directory;

	for (uint32_t i = 0; code && (directory = path_temporary(i)); i++) {
		free(places->path);
		code = open_default(places, directory, err);
	}
	*err = here;
	return code ? -here.code : 0;
}

static int open_capture(struct record_places *places, struct error *err)
{
	if (!places->capture)
		return 0;
	if (place_is_same(places->place, places->capture))
		return error_say(err, EEXIST, "--capture: -o already has the name %s",
				 places->capture);
	places->capture_place = place_open("--capture", places->capture, err);
	return places->capture_place ? 0 : refuse_name(places, places->capture, err);
}

static int check_summary(const struct record_places *places, struct error *err)
{
	if (!places->summary || !strcmp(places->summary, "-"))
		return 0;
	if (place_is_same(places->place, places->summary) ||
	    (places->capture_place && place_is_same(places->capture_place, places->summary)))
		return error_say(err, EEXIST, "--summary: another output already has the name %s",
				 places->summary);
	return place_may_write(places->summary, err) ? error_wrap(err, "--summary") : 0;
}

static int open_archive(struct record_places *places, struct error *err)
{
	if (!places->path)
		return open_default(places, NULL, err);
	places->place = place_open("-o", places->path, err);
	return places->place ? 0 : refuse_name(places, places->path, err);
}

/* Opens the outputs other than the archive. */
static int open_others(struct record_places *places, struct error *err)
{
	int code = open_capture(places, err);

	if (!code)
		code = check_summary(places, err);
	if (!code)
		places->spool = mem_format("%s/" PLACE_SPOOL,
					   place_work(record_places_spool(places)));
	return code;
}

int record_places_open(struct record_places *places, const struct record_options *options,
		       struct error *err)
{
	int code;

	naming_init(&places->naming);
	code = choose_names(places, options, err);
	if (!code && !places->path && !output_is_made(&options->output))
		code = open_temporary(places, err);
	else if (!code)
		code = open_archive(places, err);
	return code ? code : open_others(places, err);
}

int record_places_open_archive(struct record_places *places, const struct record_options *options,
			       struct error *err)
{
	int code;

	naming_init(&places->naming);
	code = choose_names(places, options, err);
	return code ? code : open_archive(places, err);
}

/* Returns the directory, which the caller frees; NULL: the current directory. */
static char *directory_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return !slash ? NULL : mem_format("%.*s", (int)(slash - path) + (slash == path), path);
}

int record_places_open_whole(struct record_places *places, const struct record_options *options,
			     struct error *err)
{
	char *directory;
	int code;

	naming_init(&places->naming);
	code = choose_names(places, options, err);
	if (code)
		return code;
	directory = directory_of(places->path);
	free(places->path);
	code = open_default(places, directory, err);
	free(directory);
	return code ? code : open_others(places, err);
}

int record_places_publish_capture(struct record_places *places, unsigned mode, const char **path,
				  struct error *err)
{
	int code = places->capture_place
			   ? place_publish(places->capture_place, PLACE_SPOOL, mode, err)
			   : 0;

	if (!code && places->capture_place)
		*path = places->capture;
	return code;
}

void record_places_leave(struct record_places *places)
{
	if (places->place)
		place_forget_closed(places->place);
	places->place = NULL;
	record_places_release(places);
	*places = (struct record_places){.place = NULL};
}

void record_places_release(struct record_places *places)
{
	place_close(places->capture_place);
	place_close(places->place);
	free(places->spool);
	free(places->summary);
	free(places->capture);
	free(places->path);
}
