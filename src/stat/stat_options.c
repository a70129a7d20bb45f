/* stat_options: see stat_options.h. */
#include "stat_options.h"

#include "option/duration.h"
#include "option/pattern.h"
#include "option/select.h"
#include "stat_virtiofs.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/publication.h>
#include <iotrace/view.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t interval_default = 1000000000;

static int parse_directory(void *field, const char *arg, struct error *err)
{
	struct stat_options *options = field;

	if (arg && !*arg)
		return error_say(err, EINVAL, "--daemon=: the name of the directory is empty");
	options->is_of_daemon = true;
	if (arg)
		options->directory = arg;
	return 0;
}

/* "-10min" is what other tools take, too. */
static int parse_since(void *field, const char *arg, struct error *err)
{
	return record_parse_duration(field, *arg == '-' ? arg + 1 : arg, err);
}

static int parse_count(void *field, const char *arg, struct error *err)
{
	return span_parse_number(field, arg, 1, INT_MAX, err);
}

static const char views[] =
#define VIEW(name, ...) #name " "
/* clang-format off */
#include <iotrace/views.def>
	/* clang-format on */
	;
#undef VIEW

#define FIELD(member)     offsetof(struct stat_options, member)
#define RECORDING(member) FIELD(span.record.recording.member)

const struct option_row stat_rows[] = {
	{0, "by", "VIEW",
	 "what the rows are: op (kinds of system calls, the default), process, thread, user, cgroup, file, fs, device, fuse or virtiofs; with --daemon also all",
	 OPTION_TEXT, FIELD(span.by), NULL, views},
	{0, "span", "SPAN",
	 "rows are the groups of this span: a name (see iotrace list --spans), or 'NAME: BEGIN -> END by FIELD'",
	 OPTION_CALL, FIELD(span.words), options_add, span_names},
	{0, "spans", "FILE", "a file of definitions for --span, one on each line (may be repeated)",
	 OPTION_CALL, FIELD(span.files), options_add, NULL},
	{'i', "interval", "TIME", "time between two tables (default: 1s)", OPTION_CALL,
	 FIELD(span.interval), duration_parse_interval, NULL},
	{'n', "count", "N", "end after N tables; a command continues", OPTION_CALL, FIELD(count),
	 parse_count, NULL},
	{0, "daemon", "[=DIR]",
	 "show what iotrace daemon publishes (in DIR; default: /run/iotrace); needs no rights",
	 OPTION_CALL, 0, parse_directory, NULL},
	{0, "since", "TIME", "show what the daemon has counted since TIME ago, such as -10min",
	 OPTION_CALL, FIELD(since), parse_since, NULL},
	{0, "top", "N", "rows of each table (default: 20)", OPTION_CALL, FIELD(span.top),
	 span_parse_top, NULL},
	{0, "total", NULL, "tables have sums since the begin instead of rates", OPTION_FLAG,
	 FIELD(has_totals), NULL, NULL},
	{0, "batch", NULL, "print tables on a terminal, too, instead of an interactive one",
	 OPTION_FLAG, FIELD(is_batch), NULL, NULL},
	{0, "hang", "TIME",
	 "what is in flight for longer hangs: show who waits, and where in the kernel", OPTION_CALL,
	 FIELD(hang), record_parse_duration, NULL},
	{0, "on-hang", "COMMAND",
	 "run this once for each hang, with details as JSON on its standard input", OPTION_TEXT,
	 FIELD(on_hang), NULL, NULL},
	{0, "json", "[=FILE]",
	 "an object in a line for each interval, on standard output or in FILE", OPTION_CALL,
	 FIELD(span.json), span_parse_file, NULL},
	{0, "csv", "[=FILE]", "lines of values with commas between, on standard output or in FILE",
	 OPTION_CALL, FIELD(csv), span_parse_file, NULL},
	{0, "syscalls", "GROUP[,GROUP...]", "which system calls: see 'iotrace list'", OPTION_CALL,
	 FIELD(span.syscalls), span_parse_syscalls,
	 "all default data sync open meta dir lock net mmap aio +net +mmap -meta"},
#include "record/path_rows.def"
#include "record/task_rows.def"
	{'v', "verbose", NULL, "print more messages (twice: for debugging)", OPTION_COUNT,
	 FIELD(span.record.verbosity), NULL, NULL},
	OPTION_ROW_HELP,
	{0},
};

void stat_options_init(void *context)
{
	struct stat_options *options = context;

	span_options_init(&options->span);
	options->span.interval = interval_default;
	options->directory = PUBLICATION_DEFAULT;
	options->span.is_stat = true;
}

void stat_options_release(void *context)
{
	struct stat_options *options = context;

	free(options->own_view);
	free(options->own_span);
	span_options_release(&options->span);
}

/* A definition is called by the name that it gives itself. */
static char *view_of_span(const char *word)
{
	return mem_format("span %.*s", (int)strcspn(word, ":"), word);
}

static const char *view_of_word(struct stat_options *options, struct error *err)
{
	struct span_options *span = &options->span;

	if (span->by && strcmp(span->by, "span") != 0) {
		error_say(err, EINVAL, "--by %s and --span: one of them says what the rows are",
			  span->by);
		return NULL;
	}
	if (span->words.count > 1) {
		error_say(err, EINVAL, "--span: one span at a time");
		return NULL;
	}
	span->by = NULL;
	options->own_view = view_of_span(span->words.item[0]);
	options->view = options->own_view;
	return span->words.item[0];
}

/* Recorded calls have the names of their files, but neither users nor control groups. */
static const char *span_of_view(const struct stat_options *options, const struct view *view,
				struct error *err)
{
	bool has_calls = view->span && !strcmp(view->span, "syscall");

	if (!has_calls || !record_has_paths(&options->span.record.recording))
		return view->span;
	if (strcmp(view->by, "user") != 0 && strcmp(view->by, "cgroup") != 0)
		return "call";
	error_say(err, EINVAL,
		  "--by %s: --path and --exclude-path need records of the calls, which do not say "
		  "whose a call is. Use --by op, process, thread, file or fs",
		  view->by);
	return NULL;
}

static bool is_on_stdout(const struct span_file *file)
{
	return file->is_wanted && !file->path;
}

int stat_options_check(const struct stat_options *options, struct error *err)
{
	if (options->on_hang && !options->hang)
		return error_say(err, EINVAL,
				 "--on-hang goes with --hang TIME, which says what a hang is");
	if (is_on_stdout(&options->span.json) && is_on_stdout(&options->csv))
		return error_say(err, EINVAL,
				 "--json and --csv: only one of them can be on standard output; "
				 "the other one needs a file, as in --csv=FILE");
	return 0;
}

const char *stat_options_view(struct stat_options *options, struct error *err)
{
	struct span_options *span = &options->span;
	const struct view *view;

	if (span->words.count)
		return view_of_word(options, err);
	if (span->files.count) {
		error_say(err, EINVAL, "--spans goes with --span, which says which of them");
		return NULL;
	}
	view = view_find(span->by ? span->by : "op", err);
	if (!view)
		return NULL;
	span->by = view->by;
	options->view = options->title = view->name;
	if (view->span)
		return span_of_view(options, view, err);
	options->own_span = stat_virtiofs_span(err);
	return options->own_span;
}
