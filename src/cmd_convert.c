/*
 * convert: an archive from a capture: a spool that was left, one that --capture kept, or what perf record wrote.
 */
#include "command.h"
#include "option/limit.h"
#include "path/archive_path.h"
#include "path/left.h"
#include "path/naming.h"
#include "path/paths.h"
#include "run/output.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/quiet.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct convert_options {
	struct output_options output;
};

static const struct option_row rows[] = {
	{'o', "output", "DIR",
	 "write the archive to DIR (default: the file's name without .spool or .data)", OPTION_TEXT,
	 offsetof(struct convert_options, output.path), NULL, NULL},
	OUTPUT_ROWS(struct convert_options, output),
	OPTION_ROW_HELP,
	{0},
};

/* SIGINT and SIGTERM stay pending and are looked for: an archive of what came until then is better than none. */
static void hold_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigprocmask(SIG_BLOCK, set, NULL);
}

static bool is_asked_to_stop(void *context)
{
	sigset_t pending;

	(void)context;
	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

static void show_progress(void *context, uint64_t bytes, uint64_t total)
{
	output_progress(context, bytes, total);
}

static void tell_remarks(const struct run *run, bool is_quiet)
{
	static const enum tally_counter unread[] = {TALLY_records_unread, TALLY_attributes_unread};
	const char *remark;

	for (uint32_t i = 0; (remark = run_warning(run, i)); i++)
		log_at(is_quiet ? LOG_INFO : LOG_WARN, "%s", remark);
	if (run_gone(run))
		log_at(is_quiet ? LOG_INFO : LOG_WARN,
		       "%llu MiB in the middle of the capture are missing: the killed recorder "
		       "had already converted them, and freed their space on the disk",
		       (unsigned long long)run_gone(run) >> 20);
	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++)
		if (run_tally(run)->n[unread[i]])
			log_at(is_quiet ? LOG_INFO : LOG_WARN, "%s: %" PRIu64,
			       tally_sentence(unread[i]), run_tally(run)->n[unread[i]]);
	if (run_torn(run))
		log_at(is_quiet ? LOG_INFO : LOG_WARN,
		       "the capture is truncated: %llu bytes at its end are missing or not a "
		       "complete record",
		       (unsigned long long)run_torn(run));
}

static int convert_file(struct output *output, const char *file, bool is_archive, struct error *err)
{
	const struct run_source source = {
		.path = file,
		.should_stop = is_asked_to_stop,
		.progress = show_progress,
		.context = output,
	};
	struct error trouble = {0};
	int rc = output_open(output, err);
	int closed;

	if (rc) {
		output_discard(output);
		return rc;
	}
	rc = is_archive ? run_archive(output->run, &source, &trouble)
			: run_convert(output->run, &source, &trouble);
	/* Not even the header could be read: there is nothing to keep. */
	if (rc < 0 && !tally_get(run_tally(output->run), samples)) {
		*err = trouble;
		output_discard(output);
		return rc;
	}
	output_end_progress(output);
	tell_remarks(output->run, output->options->is_quiet);
	closed = output_close(output, rc == RUN_COMPLETE, err);
	if (rc < 0)
		*err = trouble;
	else if (rc == RUN_STOPPED)
		rc = error_say(err, EINTR, "stopped: only a part of %s is converted", file);
	return rc ? rc : closed;
}

static bool has_file(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s", directory, name);
	bool has = path_exists(path);

	free(path);
	return has;
}

static bool is_archive(const char *file)
{
	const char *slash = strrchr(file, '/');

	return has_file(file, "traces.otf2") || !strcmp(slash ? slash + 1 : file, "traces.otf2");
}

/* What is surely no input. Each case has a sentence that says what to do instead. */
static int refuse_others(const char *file, const struct output_options *options, struct error *err)
{
	struct stat st;

	if (stat(file, &st) < 0)
		return error_set(err, errno, "%s", file);
	if (is_archive(file) && output_is_archive(options)) {
		error_say(err, EINVAL, "%s: is already an OTF2 archive", file);
		error_hint(err, "'iotrace report' prints its summary, 'iotrace convert --format "
				"text' its records, and 'iotrace check-archive' checks it");
	} else if (!is_archive(file) && has_file(file, "spool")) {
		error_say(err, EISDIR, "%s: is a directory; the recording in it is %s/spool", file,
			  file);
		error_hint(err, "To convert it: iotrace convert %s/spool", file);
	}
	return -err->code;
}

/* What is made here. */
struct conversion {
	const struct convert_options *options;
	const char *file;
	char *path, *summary; /* NULL: a standard stream */
	char *archive;        /* its directory, if the file is none but an archive */
	struct quiet quiet;
	struct output output;
};

/* Names, with their placeholders filled in. */
static int choose_names(struct conversion *c, struct error *err)
{
	const struct output_options *options = &c->options->output;
	struct naming naming;

	naming_init(&naming);
	if (options->path)
		c->path = naming_expand(&naming, "-o", options->path, err);
	else if (output_is_archive(options))
		c->path = path_of_conversion(c->file);
	if (!err->code && options->summary.path)
		c->summary = naming_expand(&naming, "--summary", options->summary.path, err);
	if (c->path && !strcmp(c->path, "-") && !output_is_archive(options)) {
		free(c->path);
		c->path = NULL;
	}
	return -err->code;
}

/* What is read must not be written over. */
static int check_summary(const struct conversion *c, struct error *err)
{
	struct stat input;

	if (!c->summary || !strcmp(c->summary, "-"))
		return 0;
	if (!stat(c->file, &input) && place_is_file(c->summary, &input))
		return error_say(err, EINVAL, "--summary: %s is the file to convert", c->summary);
	if (c->output.place && place_is_same(c->output.place, c->summary))
		return error_say(err, EEXIST, "--summary: another output already has the name %s",
				 c->summary);
	return place_may_write(c->summary, err) ? error_wrap(err, "--summary") : 0;
}

static int open_places(struct conversion *c, struct error *err)
{
	int code = choose_names(c, err);

	if (!code && c->path && output_is_made(&c->options->output)) {
		const char *what = c->output.path ? "-o" : "-o, by default";

		c->output.place = place_open(what, c->path, err);
		code = c->output.place ? 0 : -err->code;
	}
	return code ? code : check_summary(c, err);
}

static int convert(void *context, int argc, char **argv)
{
	struct conversion c = {.options = context};
	struct error err = {0};
	sigset_t signals;
	int rc;

	if (argc != 1) {
		error_say(&err, EINVAL, "%s",
			  argc ? "one file at a time" : "no file: iotrace convert PERF.DATA");
		return command_misused(&command_convert, &err);
	}
	c.file = argv[0];
	c.archive = is_archive(c.file) ? archive_path(c.file) : NULL;
	quiet_begin(&c.quiet);
	rc = limit_check(&err);
	if (!rc)
		rc = refuse_others(c.file, &c.options->output, &err);
	if (!rc)
		rc = open_places(&c, &err);
	if (!rc) {
		/* Text for a reader who has enough, such as head(1): a silent end, as that of any filter. */
		if (!c.output.place)
			quiet_end(&c.quiet);
		hold_signals(&signals);
		c.output.options = &c.options->output;
		c.output.path = c.path;
		c.output.summary_path = c.summary;
		c.output.run = c.archive ? run_new_archive() : run_new();
		rc = convert_file(&c.output, c.archive ? c.archive : c.file, c.archive, &err);
		run_free(c.output.run);
	}
	place_close(c.output.place);
	if (rc)
		command_complain(&err);
	else if (c.output.place && !c.archive)
		left_converted(c.file, c.options->output.is_quiet);
	free(c.archive);
	free(c.summary);
	free(c.path);
	return rc ? STATUS_FAILED : STATUS_OK;
}

static void init(void *options)
{
	output_options_init(&((struct convert_options *)options)->output);
}

const struct command command_convert = {
	.name = "convert",
	.help = "Writes an OTF2 archive from a capture that iotrace or 'perf record' made.",
	.operands = "PERF.DATA",
	.about = "A killed recording leaves the directory .DIR.iotrace; 'iotrace convert\n"
		 ".DIR.iotrace/spool' makes DIR from it. With --format text and no -o, text goes\n"
		 "to standard output.\n",
	.row = rows,
	.size = sizeof(struct convert_options),
	.init = init,
	.run = convert,
};
