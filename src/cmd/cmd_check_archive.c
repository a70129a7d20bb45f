/* Check-archive: reads an archive and reports what is wrong with it. */
#include "command.h"
#include "path/archive_path.h"

#include <inttypes.h>
#include <iotrace/archive.h>
#include <iotrace/error.h>
#include <iotrace/escape.h>
#include <iotrace/log.h>
#include <stdlib.h>
#include <string.h>

struct check_archive_options {
	bool is_quiet;
};

static const struct option_row rows[] = {
	{'q', "quiet", NULL, "print only errors", OPTION_FLAG,
	 offsetof(struct check_archive_options, is_quiet), NULL, NULL},
	OPTION_ROW_HELP,
	{0},
};

static void put_contents(const struct archive_report *report)
{
	printf("processes %" PRIu64 ", locations %" PRIu64 ", files %" PRIu64 ", handles %" PRIu64
	       "\n",
	       report->processes, report->locations, report->files, report->handles);
	printf("events %" PRIu64 "; operations: begun %" PRIu64 ", completed %" PRIu64
	       ", cancelled %" PRIu64 "\n",
	       report->events, report->begun, report->completed, report->cancelled);
	printf("records of handles: created %" PRIu64 ", duplicated %" PRIu64 ", destroyed %" PRIu64
	       " (inherited ones, too); markers %" PRIu64 "\n",
	       report->created, report->duplicated, report->destroyed, report->markers);
	if (report->is_of_others)
		puts("not written by iotrace: only the rules of OTF2 were checked");
	else if (!report->has_books)
		puts("no iotrace.json: the number of events was not compared");
	if (report->ends_early)
		puts("the archive ends early, and a marker says so");
}

static void put_findings(const struct archive_report *report)
{
	for (uint64_t i = 0; i < report->findings && i < ARCHIVE_FINDINGS; i++) {
		fputs(report->is_deviation[i] ? "not as iotrace promises: " : "wrong: ", stdout);
		escape_print(stdout, report->finding[i], strlen(report->finding[i]));
		putchar('\n');
	}
	if (report->findings > ARCHIVE_FINDINGS)
		printf("and %" PRIu64 " more\n", report->findings - ARCHIVE_FINDINGS);
}

static int report_on(const char *directory, bool is_quiet)
{
	struct archive_report report;
	struct error err = {0};
	const char *why = archive_path_wrong(directory);

	if (why) {
		log_error("%s: %s", directory, why);
		return STATUS_FAILED;
	}
	memset(&report, 0, sizeof(report));
	if (archive_verify(directory, &report, &err)) {
		log_failure(LOG_ERROR, &err);
		return STATUS_FOUND;
	}
	if (!is_quiet)
		put_contents(&report);
	put_findings(&report);
	if (!is_quiet && !report.findings)
		puts("no errors found");
	return report.findings ? STATUS_FOUND : STATUS_OK;
}

static int check_archive(void *context, int argc, char **argv)
{
	const struct check_archive_options *options = context;
	struct error err = {0};
	char *directory;
	int status;

	if (argc != 1) {
		error_say(&err, 0, "%s",
			  argc ? "one archive at a time" : "no archive: iotrace check-archive DIR");
		return command_misused(&command_check_archive, &err);
	}
	directory = archive_path(argv[0]);
	status = report_on(directory, options->is_quiet);
	free(directory);
	return status;
}

const struct command command_check_archive = {
	.name = "check-archive",
	.help = "Reads an archive and reports every error in it.",
	.operands = "DIR",
	.about = "The exit status is 0 if there are no errors, 1 if there are, and 125 if DIR is\n"
		 "not an archive.\n",
	.row = rows,
	.size = sizeof(struct check_archive_options),
	.run = check_archive,
};
