/*
 * convert: makes an archive of a capture: of a spool that a killed recorder left, of one that --capture kept, or of the output of
 * perf record.
 */
#include "command.h"
#include "option/limit.h"
#include "path/archive_path.h"
#include "path/left.h"
#include "path/naming.h"
#include "path/paths.h"
#include "run/each.h"
#include "run/output.h"
#include "run/run.h"
#include "span/span_record.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/event.h>
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
	bool is_each;
	struct text_list words, files; /* --span and --spans, as they were given */
	struct span_set spans;
};

#define OUTPUT(member) offsetof(struct convert_options, output.member)
static const struct option_row rows[] = {
	{'o', "output", "DIR",
	 "write the archive to DIR (default: the file's name without .spool or .data)", OPTION_TEXT,
	 offsetof(struct convert_options, output.path), NULL, NULL},
	{0, "each", NULL,
	 "an archive for each command of a recording with --each, under the name that it was to have",
	 OPTION_FLAG, offsetof(struct convert_options, is_each), NULL, NULL},
	{0, "span", "SPAN",
	 "also find these spans of tracepoints: a name (see iotrace list --spans), or 'NAME: BEGIN -> END by FIELD' (may be repeated)",
	 OPTION_CALL, offsetof(struct convert_options, words), options_add, NULL},
	{0, "spans", "FILE",
	 "a file of definitions, one on each line; without --span, all of them (may be repeated)",
	 OPTION_CALL, offsetof(struct convert_options, files), options_add, NULL},
#include "run/output_rows.def"
	OPTION_ROW_HELP,
	{0},
};

struct conversion {
	struct convert_options *options;
	const char *file;
	char *path, *summary; /* NULL: a standard stream */
	char *archive;        /* its directory, if the file is an archive */
	struct quiet quiet;
	struct output output;
	struct output_options whole; /* --each: output for all commands together: a summary */
	struct each_options each_options;
	struct each *each;     /* NULL: there is one archive */
	struct error no_place; /* for the archive of a command */
	bool is_of_each;       /* the recording had --each */
};

/*
 * SIGINT and SIGTERM stay pending, and the loop checks for them, so that an interrupted conversion leaves an archive of what it
 * has read.
 */
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
	struct conversion *c = context;

	output_progress(&c->output, bytes, total);
}

static void log_remarks(const struct run *run, bool is_quiet)
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

/* Returns the path that the recording would have used, or the same name in the directory of -o. The caller frees it. */
static char *path_of_command(const struct conversion *c, const struct fact *fact)
{
	const struct fact_string *name = &fact->string[FACT_COMMAND_archive];
	const struct fact_string *cwd = &fact->string[FACT_COMMAND_cwd];
	char *path = mem_format("%.*s", (int)name->length, name->at), *whole;
	const char *slash = strrchr(path, '/');

	if (c->path)
		whole = mem_format("%s/%s", c->path, slash ? slash + 1 : path);
	else if (*path != '/' && cwd->length)
		whole = mem_format("%.*s/%s", (int)cwd->length, cwd->at, path);
	else
		whole = mem_strdup(path);
	free(path);
	return whole;
}

static struct place *place_of_command(void *context, const struct event *command)
{
	struct conversion *c = context;
	struct error err = {0};
	struct place *place;
	char *path;

	if (!command->fact.string[FACT_COMMAND_archive].length)
		return NULL;
	path = path_of_command(c, &command->fact);
	place = place_open("--each", path, &err);
	if (!place && !c->no_place.code)
		c->no_place = err;
	free(path);
	return place;
}

static void take_event(void *context, const struct event *event)
{
	struct conversion *c = context;

	c->is_of_each |= event->kind == EVENT_FACT && event->fact.kind == FACT_COMMAND &&
			 event->fact.string[FACT_COMMAND_archive].length;
	if (c->each)
		each_take(c->each, event);
}

static void take_span(void *context, const struct event *event)
{
	const struct conversion *c = context;

	if (c->each)
		each_take_span(c->each, event);
}

static void open_each(struct conversion *c)
{
	const struct span_set *set = &c->options->spans;

	c->each_options = (struct each_options){.output = &c->options->output,
						.run = c->output.run,
						.span = (const struct span *const *)set->span,
						.spans = set->spans,
						.place_of = place_of_command,
						.context = c};
	c->each = each_new(&c->each_options);
}

static int close_each(struct conversion *c, bool is_complete, struct error *err)
{
	int code = each_close(c->each, is_complete, err);

	if (!code && c->no_place.code) {
		*err = c->no_place;
		code = -err->code;
	}
	if (!c->options->output.is_quiet)
		each_log(c->each);
	return code;
}

static void log_each(const struct conversion *c)
{
	if (!c->is_of_each || c->each || c->options->output.is_quiet)
		return;
	log_warn("this was recorded with --each, but is converted to one archive of all commands");
	log_warn("For an archive of each command: iotrace convert --each %s", c->file);
}

/* Returns 0 or an enum run_result, or -errno with a message. */
static int read_file(struct conversion *c, struct error *err)
{
	const struct run_source source = {
		.path = c->archive ? c->archive : c->file,
		.should_stop = is_asked_to_stop,
		.progress = show_progress,
		.on_event = take_event,
		.on_span = take_span,
		.context = c,
	};

	return c->archive ? run_archive(c->output.run, &source, err)
			  : run_convert(c->output.run, &source, err);
}

static bool should_stop_look(void *context)
{
	const struct conversion *c = context;

	return c->is_of_each || is_asked_to_stop(context);
}

/* Reads up to the first command with an archive of its own. The conversion will report errors of the file. */
static int check_each(struct conversion *c, struct error *err)
{
	const struct run_source source = {
		.path = c->file,
		.should_stop = should_stop_look,
		.on_event = take_event,
		.context = c,
	};
	struct run *run = run_new();
	int rc = run_convert(run, &source, &(struct error){0});

	run_free(run);
	if (rc != RUN_COMPLETE || c->is_of_each)
		return 0;
	error_say(err, EINVAL, "%s was not recorded with --each", c->file);
	error_hint(err, "To make one archive of all its commands, omit --each.");
	return -err->code;
}

static int convert_file(struct conversion *c, struct error *err)
{
	struct output *output = &c->output;
	struct error trouble = {0};
	int rc = output_open(output, err), closed = 0, also;

	if (rc) {
		output_discard(output);
		return rc;
	}
	if (c->options->is_each)
		open_each(c);
	rc = read_file(c, &trouble);
	/* Not even the header was readable, so there is nothing to keep. */
	if (rc < 0 && !tally_get(run_tally(output->run), samples)) {
		*err = trouble;
		output_discard(output);
		return rc;
	}
	output_end_progress(output);
	log_remarks(output->run, output->options->is_quiet);
	span_record_log_troubles(&c->options->spans, output->run);
	if (c->each)
		closed = close_each(c, rc == RUN_COMPLETE, err);
	also = output_close(output, rc == RUN_COMPLETE, closed ? &(struct error){0} : err);
	log_each(c);
	if (rc < 0)
		*err = trouble;
	else if (rc == RUN_STOPPED)
		rc = error_say(err, EINTR, "stopped: only a part of %s is converted", c->file);
	return rc ? rc : closed ? closed : also;
}

static bool has_file(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s", directory, name);
	bool has = path_exists(path);

	free(path);
	return has;
}

/* The name of the output is chosen only if there is an input. */
static int check_capture(const char *file, struct error *err)
{
	struct capture *capture = capture_open(file, NULL, NULL, err);

	capture_close(capture);
	return capture ? 0 : -err->code;
}

/* Refuses files that cannot be an input, and suggests what to do instead. */
static int refuse_others(const char *file, const struct output_options *options, struct error *err)
{
	struct stat st;

	if (stat(file, &st) < 0)
		return error_set(err, errno, "%s", file);
	if (archive_path_is(file) && output_is_archive(options)) {
		error_say(err, EINVAL, "%s: is already an OTF2 archive", file);
		error_hint(err, "'iotrace report' prints its summary, 'iotrace convert --format "
				"text' its records, and 'iotrace check-archive' checks it");
	} else if (!archive_path_is(file) && has_file(file, "spool")) {
		error_say(err, EISDIR, "%s: is a directory; the recording in it is %s/spool", file,
			  file);
		error_hint(err, "To convert it: iotrace convert %s/spool", file);
	} else if (S_ISREG(st.st_mode)) {
		return check_capture(file, err);
	}
	return -err->code;
}

/* Replaces the placeholders in names. */
static int choose_names(struct conversion *c, struct error *err)
{
	const struct output_options *options = &c->options->output;
	struct naming naming;

	naming_init(&naming);
	if (options->path)
		c->path = naming_expand(&naming, "-o", options->path, err);
	else if (output_is_archive(options) && !c->options->is_each)
		c->path = path_of_conversion(c->file);
	if (!err->code && options->summary.path)
		c->summary = naming_expand(&naming, "--summary", options->summary.path, err);
	if (c->path && !strcmp(c->path, "-") && !output_is_archive(options)) {
		free(c->path);
		c->path = NULL;
	}
	return -err->code;
}

/* The summary must not overwrite the input. */
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

	if (!code && c->path && output_is_made(&c->whole)) {
		const char *what = c->options->output.path ? "-o" : "-o, by default";

		c->output.place = place_open(what, c->path, err);
		code = c->output.place ? 0 : -err->code;
	}
	return code ? code : check_summary(c, err);
}

static int choose_spans(struct conversion *c, struct error *err)
{
	struct convert_options *options = c->options;

	if (!options->words.count && !options->files.count)
		return 0;
	if (c->archive)
		return error_say(err, EINVAL,
				 "--span: %s is an archive, and has the spans that were recorded",
				 c->file);
	return span_record_read(&options->spans, &options->words, &options->files, err);
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
	c.whole = c.options->output;
	if (c.options->is_each)
		c.whole.format = sink_find("null");
	c.archive = archive_path_is(c.file) ? archive_path(c.file) : NULL;
	quiet_begin(&c.quiet);
	rc = limit_check(&err);
	if (!rc)
		rc = refuse_others(c.file, &c.options->output, &err);
	if (!rc)
		rc = choose_spans(&c, &err);
	if (!rc)
		rc = open_places(&c, &err);
	if (!rc) {
		/* The reader has closed the pipe, as head(1) does: ends silently, like any filter. */
		if (!c.output.place)
			quiet_end(&c.quiet);
		hold_signals(&signals);
		c.output.options = &c.whole;
		c.output.path = c.options->is_each ? NULL : c.path;
		c.output.summary_path = c.summary;
		c.output.run = c.archive ? run_new_archive() : run_new();
		span_record_use(&c.options->spans, c.output.run, false);
		rc = c.options->is_each && !c.archive ? check_each(&c, &err) : 0;
		if (!rc)
			rc = convert_file(&c, &err);
		each_free(c.each);
		run_free(c.output.run);
	}
	place_close(c.output.place);
	if (rc)
		command_complain(&err);
	else if ((c.output.place || c.options->is_each) && !c.archive)
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

static void release(void *context)
{
	struct convert_options *options = context;

	span_set_release(&options->spans, &(struct recording){0});
	text_list_release(&options->words);
	text_list_release(&options->files);
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
	.release = release,
};
