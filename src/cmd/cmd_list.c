/* list: lists the groups of system calls, their calls, and which of them this kernel has; or its tracepoints. */
#include "command.h"
#include "span/span_list.h"

#include <fnmatch.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <iotrace/syscall.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 10, WIDTH = 80 };

struct list_options {
	const char *tracepoints; /* a glob */
	bool has_spans;
};

static const struct option_row rows[] = {
	{'e', "tracepoint", "GLOB",
	 "show the kernel's tracepoints SYSTEM:EVENT that match, with their fields", OPTION_TEXT,
	 offsetof(struct list_options, tracepoints), NULL, NULL},
	{0, "spans", NULL, "show the spans of iotrace latency, and whether they work here",
	 OPTION_FLAG, offsetof(struct list_options, has_spans), NULL, NULL},
	OPTION_ROW_HELP,
	{0},
};

enum list_kind { LIST_THERE, LIST_MISSING, LIST_FOREIGN };

static enum list_kind kind_of(const struct call_row *row)
{
	if (row->number < 0)
		return LIST_FOREIGN;
	return probe_call(row) == 0 ? LIST_MISSING : LIST_THERE;
}

/* Prints the calls of a group that are of one kind, wrapped; a title first if there are any. */
static void put_calls(enum call_group group, enum list_kind kind, const char *title)
{
	size_t column = 0;

	for (uint32_t i = 0; i < call_count(); i++) {
		const struct call_row *row = call_row((call_id)i);

		if (row->group != group || kind_of(row) != kind)
			continue;
		if (!column)
			column = (size_t)printf("%*s%s", INDENT, "", title);
		else if (column + 1 + strlen(row->name) > WIDTH)
			column = (size_t)printf("\n%*s", INDENT - 1, "") - 1;
		column += (size_t)printf(" %s", row->name);
	}
	if (column)
		putchar('\n');
}

static void put_group(enum call_group group)
{
	bool is_always = CALL_GROUPS_ALWAYS >> group & 1;

	const char *word = is_always                      ? "[always] "
			   : call_group_is_default(group) ? "[default] "
							  : "";
	char *help = mem_format("%s%s", word, call_group_help(group));

	printf("%-*s", INDENT, call_group_name(group));
	options_wrap(help, INDENT, stdout);
	free(help);
	put_calls(group, LIST_THERE, "calls:");
	put_calls(group, LIST_MISSING, "not in this kernel:");
	put_calls(group, LIST_FOREIGN, "not on this architecture:");
}

struct search {
	const char *glob;
	uint32_t found;
	char *near[2]; /* globs that the user may have meant */
	uint32_t near_found[2];
};

static void put_field(void *context, const char *type, const char *name)
{
	(void)context;
	printf("%*s%s %s\n", INDENT, "", type, name);
}

static void put_tracepoint(void *context, const char *name)
{
	struct search *search = context;

	for (int i = 0; i < 2; i++)
		search->near_found[i] += !fnmatch(search->near[i], name, 0);
	if (fnmatch(search->glob, name, 0))
		return;
	search->found++;
	puts(name);
	probe_fields(name, put_field, NULL);
}

/* Suggests only commands that print something. */
static int log_none(const struct search *search)
{
	int near = search->near_found[0] ? 0 : 1;

	if (search->near_found[near])
		log_error("no tracepoint SYSTEM:EVENT matches '%s'; did you mean '%s'?",
			  search->glob, search->near[near]);
	else
		log_error("no tracepoint SYSTEM:EVENT matches '%s'; '*' matches all", search->glob);
	return STATUS_FAILED;
}

static int list_tracepoints(const char *glob)
{
	const char *colon = strchr(glob, ':');
	struct search search = {
		.glob = glob,
		.near = {mem_format("%s:*", glob),
			 mem_format("*%s*", colon && colon[1] ? colon + 1 : glob)},
	};
	struct error err = {0};
	int status = STATUS_OK;

	if (probe_tracepoints(put_tracepoint, &search, &err)) {
		log_failure(LOG_ERROR, &err);
		status = STATUS_FAILED;
	} else if (!search.found) {
		status = log_none(&search);
	}
	free(search.near[0]);
	free(search.near[1]);
	return status;
}

static int list(void *context, int argc, char **argv)
{
	const struct list_options *options = context;
	struct error err = {0};

	if (argc) {
		error_say(&err, 0, "list takes no operand, but '%s' was given", argv[0]);
		return command_misused(&command_list, &err);
	}
	if (options->has_spans)
		return span_list();
	if (options->tracepoints)
		return list_tracepoints(options->tracepoints);
	for (int i = 0; i < GROUP_COUNT; i++)
		put_group((enum call_group)i);
	if (call_count() && probe_call(call_row(0)) < 0)
		puts("\nCalls that this kernel lacks are not marked, because tracefs cannot be "
		     "read (see 'iotrace check').");
	return STATUS_OK;
}

const struct command command_list = {
	.name = "list",
	.help = "Shows which system calls can be recorded, in the groups of --syscalls, or which\ntracepoints the kernel has, or which spans can be measured.",
	.operands = "",
	.row = rows,
	.needs_rights = true,
	.size = sizeof(struct list_options),
	.run = list,
};
