/* report: prints the summary of an archive. */
#include "command.h"
#include "path/archive_path.h"
#include "run/output.h"
#include "run/run.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/probe.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report_options {
	struct report_json {
		bool is_wanted;
		const char *path; /* NULL: standard output */
	} json;
	uint32_t top;
	enum sink_sort sort;
};

static int parse_json(void *field, const char *arg, struct error *err)
{
	struct report_json *json = field;

	if (arg && !*arg)
		return error_say(err, EINVAL, "the name of the file is empty");
	json->is_wanted = true;
	json->path = arg && strcmp(arg, "-") != 0 ? arg : NULL;
	return 0;
}

static const struct option_row rows[] = {
	{0, "json", "[=FILE]", "print JSON to standard output or FILE", OPTION_CALL,
	 offsetof(struct report_options, json), parse_json, NULL},
	{0, "top", "N", "rows in each table (default: 5; 100 in JSON)", OPTION_CALL,
	 offsetof(struct report_options, top), output_parse_top, NULL},
	{0, "sort", "KEY", "sort these tables by data (the default), read, written, time or calls",
	 OPTION_CALL, offsetof(struct report_options, sort), output_parse_sort,
	 "data read written time calls"},
	OPTION_ROW_HELP,
	{0},
};

static const struct option_hint hints[] = {
	{"--summary", "The summary as JSON: --json, or --json=FILE"},
	{"--format",
	 "The summary as JSON: --json. All records as text: iotrace convert --format text DIR"},
	{"-o", "The summary as JSON in a file: --json=FILE"},
	{"--output", "The summary as JSON in a file: --json=FILE"},
	{"-q", "To see whether an archive is right: iotrace check-archive DIR"},
	{0},
};

static int report_on(const char *directory, const struct report_options *options, struct error *err)
{
	struct sink_options summary = {
		.path = options->json.path,
		.is_on_stdout = true,
		.is_json = options->json.is_wanted,
		.top = options->top,
		.sort = options->sort,
		.columns = options->json.is_wanted ? 0 : probe_columns(STDOUT_FILENO),
		.archive = directory,
	};
	const struct run_source source = {.path = directory};
	struct run *run = run_new_archive();
	struct error trouble = {0};
	int sink = run_add_sink(run, sink_find("summary"), &summary, err), rc = sink, closed;

	if (sink >= 0) {
		rc = run_archive(run, &source, &trouble);
		summary.is_discarded = rc && !trace_threads(run_trace(run));
		closed = run_close_sink(run, sink, err);
		if (rc)
			*err = trouble;
		else
			rc = closed;
	}
	run_free(run);
	return rc;
}

static int report(void *context, int argc, char **argv)
{
	const struct report_options *options = context;
	struct error err = {0};
	const char *why;
	char *directory;
	int rc;

	if (argc != 1) {
		error_say(&err, 0, "%s",
			  argc ? "one archive at a time" : "no archive: iotrace report DIR");
		if (argc == 2 && options->json.is_wanted && !options->json.path)
			error_hint(&err, "To write the summary to a file: --json=%s", argv[0]);
		return command_misused(&command_report, &err);
	}
	directory = archive_path(argv[0]);
	why = archive_path_wrong(directory);
	rc = why ? error_say(&err, EINVAL, "%s: %s", directory, why)
		 : report_on(directory, options, &err);
	if (rc)
		command_complain(&err);
	free(directory);
	return rc ? STATUS_FAILED : STATUS_OK;
}

static void init(void *options)
{
	((struct report_options *)options)->top = SINK_TOP_DEFAULT;
}

const struct command command_report = {
	.name = "report",
	.help = "Prints the summary of an OTF2 archive that iotrace or another program wrote.",
	.operands = "DIR",
	.row = rows,
	.hint = hints,
	.size = sizeof(struct report_options),
	.init = init,
	.run = report,
};
