/*
 * record_options: the rows, and the words that are not plain texts or numbers.
 */
#include "record_options.h"

#include "nearest.h"
#include "paths.h"
#include "pattern.h"
#include "select.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t ns_per_ms = 1000000, ns_per_s = 1000000000;

enum { SAMPLE_MS = 100, GLOB_MAX = 200 };

static int take_pid(struct pid_list *list, const char *word, struct error *err)
{
	char *end = NULL;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || pid < 1 || pid > INT_MAX)
		return error_say(err, EINVAL,
				 "'%s' is no process id: a number, or several with commas", word);
	MEM_GROW(list->pid, list->cap, list->count + 1);
	list->pid[list->count++] = (pid_t)pid;
	return 0;
}

static int parse_pids(void *list, const char *arg, struct error *err)
{
	char *words = mem_strdup(arg), *rest = words, *word;
	int rc = 0;

	while (!rc && (word = strsep(&rest, ",")))
		rc = take_pid(list, word, err);
	free(words);
	return rc;
}

/* Returns whether the text is a number, with a point at most, and no more than `most`. */
static bool take_decimal(const char *text, double most, double *value)
{
	char *end = NULL;

	if (!*text || strspn(text, "0123456789.") != strlen(text) || !strcmp(text, "."))
		return false;
	*value = strtod(text, &end);
	return !*end && *value <= most;
}

static int parse_duration(void *field, const char *arg, struct error *err)
{
	double seconds;

	if (!take_decimal(arg, 1e9, &seconds) || seconds <= 0)
		return error_say(err, EINVAL, "'%s' is no time: seconds, such as 10 or 0.5", arg);
	*(uint64_t *)field = (uint64_t)(seconds * (double)ns_per_s);
	return 0;
}

static int parse_interval(void *field, const char *arg, struct error *err)
{
	double ms;

	if (!take_decimal(arg, 1e9, &ms) || (ms > 0 && ms < 1))
		return error_say(err, EINVAL,
				 "'%s' is no interval: milliseconds, at least 1, or 0 for none",
				 arg);
	*(uint64_t *)field = (uint64_t)(ms * (double)ns_per_ms);
	return 0;
}

static int parse_fd(void *field, const char *arg, struct error *err)
{
	size_t digits = strspn(arg, "0123456789");

	if (!digits || arg[digits] || digits > 9 || strtol(arg, NULL, 10) < 3)
		return error_say(err, EINVAL,
				 "'%s' is no descriptor of iotrace's own: a number, at least 3",
				 arg);
	*(int *)field = (int)strtol(arg, NULL, 10);
	return 0;
}

static int parse_uid(void *field, const char *arg, struct error *err)
{
	struct uid_list *list = field;
	const struct passwd *user = NULL;
	char *end = NULL;
	unsigned long uid;

	errno = 0;
	uid = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || uid >= UINT32_MAX) {
		user = getpwnam(arg);
		if (!user)
			return error_say(err, EINVAL, "'%s' is no user of this machine", arg);
		uid = user->pw_uid;
	}
	MEM_GROW(list->uid, list->cap, list->count + 1);
	list->uid[list->count++] = (uint32_t)uid;
	return options_add(&list->words, arg, err);
}

/* The kernel matches it: *, ?, [...]; it has no escape for a quotation mark. */
static int parse_comm(void *list, const char *arg, struct error *err)
{
	if (strchr(arg, '"') || strlen(arg) > GLOB_MAX)
		return error_say(err, EINVAL,
				 "'%s' is no pattern: at most %d characters, without '\"'", arg,
				 GLOB_MAX);
	return options_add(list, arg, err);
}

static int parse_event(void *list, const char *arg, struct error *err)
{
	const char *colon = strchr(arg, ':');
	size_t length = strcspn(arg, "=");

	if (!colon || colon == arg || colon + 1 >= arg + length ||
	    (arg[length] && !arg[length + 1]))
		return error_say(err, EINVAL,
				 "'%s' is no tracepoint: SYSTEM:EVENT or SYSTEM:EVENT=FIELD,...",
				 arg);
	return options_add(list, arg, err);
}

static int take_block_word(struct block_option *block, const char *word, struct error *err)
{
	static const struct {
		const char *word;
		enum block_choice choice;
	} choices[] = {{"none", BLOCK_NONE}, {"own", BLOCK_OWN}, {"all", BLOCK_ALL}};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (strcmp(choices[i].word, word) != 0)
			continue;
		block->has_choice = true;
		block->choice = choices[i].choice;
		return 0;
	}
	if (!*word)
		return error_say(err, EINVAL, "the name of a device is missing");
	return options_add(&block->words, mem_strdup(path_device(word)), err);
}

static int parse_block(void *field, const char *arg, struct error *err)
{
	struct block_option *block = field;
	char *words, *rest, *word;
	int rc = 0;

	block->is_given = true;
	if (!arg)
		return 0;
	rest = words = mem_strdup(arg);
	while (!rc && (word = strsep(&rest, ",")))
		rc = take_block_word(block, word, err);
	free(words);
	return rc;
}

static int parse_device(void *field, const char *arg, struct error *err)
{
	struct block_option *block = field;

	if (!*arg)
		return error_say(err, EINVAL, "the name of a device is missing");
	return options_add(&block->words, mem_strdup(path_device(arg)), err);
}

static int parse_block_mode(void *field, const char *arg, struct error *err)
{
	static const struct {
		const char *word;
		uint32_t bits;
	} modes[] = {{"events", BLOCK_EVENTS},
		     {"samples", BLOCK_SAMPLES},
		     {"both", BLOCK_EVENTS | BLOCK_SAMPLES}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].word, arg) != 0)
			continue;
		*(uint32_t *)field = modes[i].bits;
		return 0;
	}
	return error_say(err, EINVAL, "'%s': there are events, samples and both", arg);
}

static int parse_source(void *source, const char *arg, struct error *err)
{
	static const char *const name[] = {
		[SOURCE_AUTO] = "auto", [SOURCE_PERF] = "perf", [SOURCE_BPF] = "bpf"};

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (strcmp(arg, name[i]) != 0)
			continue;
		*(enum live_source *)source = (enum live_source)i;
		return 0;
	}
	return error_say(err, EINVAL, "'%s' is no source: there are auto, bpf and perf", arg);
}

#define FIELD(member) offsetof(struct record_options, member)

const struct option_row record_rows[] = {
	{'o', "output", "DIR", "the archive to make (default: iotrace-HOST-DATE-TIME-PID)",
	 OPTION_TEXT, FIELD(output.path), NULL, NULL},
	{'p', "pid", "PID[,PID...]", "follow these processes, all their threads and new children",
	 OPTION_CALL, FIELD(pids), parse_pids, NULL},
	{'a', "system", NULL,
	 "all processes of the machine, while the command runs or until an interrupt", OPTION_FLAG,
	 FIELD(is_system), NULL, NULL},
	{0, "wait", NULL,
	 "also wait for the processes that the command leaves behind, not only for itself",
	 OPTION_FLAG, FIELD(waits_for_all), NULL, NULL},
	{0, "duration", "SECONDS", "stop the recording after this time; a command runs on",
	 OPTION_CALL, FIELD(duration), parse_duration, NULL},
	{0, "ready-fd", "N",
	 "write \"ready\" to this open descriptor, and close it, as soon as iotrace records",
	 OPTION_CALL, FIELD(ready_fd), parse_fd, NULL},
	{0, "syscalls", "GROUP[,GROUP...]",
	 "which system calls: groups with commas; +GROUP and -GROUP change the default; all; "
	 "see 'iotrace list'",
	 OPTION_CALL, FIELD(groups), select_parse,
	 "all default data sync open meta dir lock net mmap aio uring fault writeback +net +mmap -meta"},
	{0, "source", "SOURCE",
	 "who records system calls: bpf, perf, or auto (bpf where it can be had)", OPTION_CALL,
	 FIELD(source), parse_source, "auto bpf perf"},
	{0, "cgroup", "PATH", "with -a: only tasks of this control group (may be repeated)",
	 OPTION_CALL, FIELD(cgroups), options_add, NULL},
	{0, "uid", "USER", "only processes of this user, a number or a name (may be repeated)",
	 OPTION_CALL, FIELD(uids), parse_uid, NULL},
	{0, "comm", "GLOB", "only threads whose command name matches (may be repeated)",
	 OPTION_CALL, FIELD(comms), parse_comm, NULL},
	{0, "path", "GLOB", "only files whose path matches (may be repeated)", OPTION_CALL,
	 FIELD(paths), pattern_parse, NULL},
	{0, "exclude-path", "GLOB", "no files whose path matches (may be repeated)", OPTION_CALL,
	 FIELD(left_outs), pattern_parse, NULL},
	{0, "block", "[=DEV,...]",
	 "block requests too: of these devices; own: those that recorded tasks caused; all; none "
	 "(default: with -a all, or own with --cgroup, --uid or --comm; else none)",
	 OPTION_CALL, FIELD(block), parse_block, "all own none"},
	{0, "no-block", NULL, "no block requests: --block=none", OPTION_FLAG,
	 FIELD(is_without_block), NULL, NULL},
	{0, "device", "DEV", "only requests of this block device (may be repeated)", OPTION_CALL,
	 FIELD(block), parse_device, NULL},
	{0, "block-mode", "MODE", "block requests as events, as samples, or both (the default)",
	 OPTION_CALL, FIELD(block_mode), parse_block_mode, "events samples both"},
	{0, "sample-interval", "MS",
	 "milliseconds between samples of the machine and its devices; 0: none (default: 100)",
	 OPTION_CALL, FIELD(sample_interval), parse_interval, NULL},
	{'e', "tracepoint", "SYSTEM:EVENT[=FIELD,...]",
	 "also record this tracepoint of the kernel (may be repeated); see 'iotrace list -e'",
	 OPTION_CALL, FIELD(events), parse_event, NULL},
	{'E', "event", "EVENT",
	 "also count this hardware or software event for each call (may be repeated)", OPTION_CALL,
	 FIELD(counters), options_add, NULL},
	{'m', "ring-size", "SIZE", "the kernel's ring for each CPU (K, M, G)", OPTION_SIZE,
	 FIELD(ring_bytes), NULL, NULL},
	{0, "buffer", "SIZE", "most memory for what waits to be written (K, M, G)", OPTION_SIZE,
	 FIELD(buffer_bytes), NULL, NULL},
	{0, "capture", "FILE", "keep the capture, a perf.data file, under this name", OPTION_TEXT,
	 FIELD(capture), NULL, NULL},
	OUTPUT_ROWS(struct record_options, output),
	{'v', "verbose", NULL, "say more (twice: for debugging)", OPTION_COUNT, FIELD(verbosity),
	 NULL, NULL},
	OPTION_ROW_HELP,
	{'V', "version", NULL, "show the version", OPTION_VERSION, 0, NULL, NULL},
	{0},
};

void record_options_init(struct record_options *options)
{
	output_options_init(&options->output);
	options->groups = select_default();
	options->sample_interval = SAMPLE_MS * ns_per_ms;
	options->block_mode = BLOCK_EVENTS | BLOCK_SAMPLES;
}

/* Of a list whose items are its own. */
static void free_words(const struct option_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free((void *)(uintptr_t)list->item[i]);
}

void record_options_release(struct record_options *options)
{
	struct option_list *lists[] = {&options->cgroups,     &options->comms,
				       &options->paths,       &options->left_outs,
				       &options->events,      &options->counters,
				       &options->block.words, &options->uids.words};

	free_words(&options->block.words);
	free_words(&options->paths);
	free_words(&options->left_outs);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->item);
	free(options->pids.pid);
	free(options->uids.uid);
}

static enum block_choice block_choice(const struct record_options *options)
{
	bool is_asked = options->block.is_given || options->block.words.count;

	if (options->is_without_block)
		return BLOCK_NONE;
	if (options->block.has_choice)
		return options->block.choice;
	/* Whoever chooses tasks wants their requests. */
	if (options->uids.count || options->comms.count || options->cgroups.count)
		return options->is_system || is_asked ? BLOCK_OWN : BLOCK_NONE;
	if (options->is_system)
		return BLOCK_ALL;
	return is_asked ? BLOCK_OWN : BLOCK_NONE;
}

static int check_target(const struct record_options *options, bool has_command, struct error *err)
{
	if (!has_command && !options->pids.count && !options->is_system)
		return error_say(err, EINVAL,
				 "no command: iotrace [OPTION]... [--] COMMAND [ARG]..., -p PID, "
				 "or -a for the whole machine");
	if (has_command && options->pids.count)
		return error_say(err, EINVAL, "either -p PID or a command, not both");
	if (options->is_system && options->pids.count)
		return error_say(err, EINVAL, "either -p PID or -a, not both");
	if (options->waits_for_all && options->is_system)
		return error_say(
			err, EINVAL,
			"--wait and -a: the whole machine never ends; --duration SECONDS does");
	if (options->cgroups.count && !options->is_system)
		return error_say(err, EINVAL, "--cgroup chooses among all processes: add -a");
	if (options->counters.count && options->is_system)
		return error_say(err, EINVAL,
				 "-E counts for each thread, which the kernel does not do with -a");
	return 0;
}

struct search {
	bool is_found;
	bool has_system; /* there are others of its system */
	bool has_part;   /* others have its second word in theirs */
	struct nearest nearest;
	char best[128];
};

static void compare_event(void *context, const char *name)
{
	struct search *search = context;
	const char *wanted = search->nearest.word, *colon = strchr(name, ':');

	search->is_found |= !strcmp(name, wanted);
	search->has_system |= !strncmp(name, wanted, strcspn(wanted, ":") + 1);
	search->has_part |= colon && strstr(colon, strchr(wanted, ':') + 1);
	nearest_try(&search->nearest, name);
	if (search->nearest.best == name) { /* it is lent for the call only */
		snprintf(search->best, sizeof(search->best), "%s", name);
		search->nearest.best = search->best;
	}
}

/* What is advised prints something. */
static void hint_event(const struct search *search, struct error *err)
{
	const char *wanted = search->nearest.word;
	int system = (int)strcspn(wanted, ":");

	if (search->has_part)
		error_hint(err, "To see those with that word: iotrace list -e '*%s*'",
			   wanted + system + 1);
	else if (search->has_system)
		error_hint(err, "To see those of that system: iotrace list -e '%.*s:*'", system,
			   wanted);
	else
		error_hint(err, "It has none of the system %.*s. To see all: iotrace list -e '*'",
			   system, wanted);
}

/* That it cannot be seen which there are is told when it is opened. */
static int check_event(const char *event, struct error *err)
{
	char *name = mem_format("%.*s", (int)strcspn(event, "="), event);
	struct search search = {0};
	int rc = 0;

	nearest_init(&search.nearest, name);
	if (!probe_tracepoints(compare_event, &search, NULL) && !search.is_found) {
		rc = error_say(err, EINVAL, "-e %s: this kernel has no tracepoint %s%s%s%s", event,
			       name, search.nearest.best ? "; did you mean '" : "",
			       search.nearest.best ? search.best : "",
			       search.nearest.best ? "'?" : "");
		hint_event(&search, err);
	}
	free(name);
	return rc;
}

static bool is_missing(const char *path)
{
	return !path || !strcmp(path, "-");
}

int record_options_check(const struct record_options *options, bool has_command, struct error *err)
{
	const char *format = options->output.format ? options->output.format->name : "otf2";
	int rc = check_target(options, has_command, err);

	if (rc)
		return rc;
	if (!strcmp(format, "text") && is_missing(options->output.path))
		return error_say(
			err, EINVAL,
			"--format text needs -o FILE: standard output is the command's own");
	if (options->output.path && is_missing(options->output.path))
		return error_say(err, EINVAL, "-o -: an archive is a directory: it needs a name");
	if (options->counters.count > EVENT_COUNTERS)
		return error_say(err, EINVAL, "-E: at most %d events at a time", EVENT_COUNTERS);
	if (block_choice(options) == BLOCK_NONE && options->block.words.count)
		return error_say(err, EINVAL, "a device, but no block requests: --block=none");
	for (uint32_t i = 0; i < options->events.count && !rc; i++)
		rc = check_event(options->events.item[i], err);
	return rc;
}

struct live_options record_options_live(const struct record_options *options)
{
	bool is_sampled = options->is_system || block_choice(options) != BLOCK_NONE;

	return (struct live_options){
		.is_system = options->is_system,
		.waits_for_all = options->waits_for_all,
		.duration = options->duration,
		.ready_fd = options->ready_fd,
		.block = block_choice(options),
		.is_block_asked = options->block.is_given || options->block.words.count,
		.block_mode = options->block_mode,
		.device = options->block.words.item,
		.devices = options->block.words.count,
		.sample_interval = is_sampled ? options->sample_interval : 0,
		.cgroup = options->cgroups.item,
		.cgroups = options->cgroups.count,
		.uid = options->uids.uid,
		.user = options->uids.words.item,
		.uids = options->uids.count,
		.comm = options->comms.item,
		.comms = options->comms.count,
		.path = options->paths.item,
		.paths = options->paths.count,
		.left_out = options->left_outs.item,
		.left_outs = options->left_outs.count,
		.event = options->events.item,
		.events = options->events.count,
		.pid = options->pids.pid,
		.pids = options->pids.count,
		.groups = options->groups,
		.source = options->source,
		.ring_bytes = options->ring_bytes,
		.buffer_bytes = options->buffer_bytes,
		.counter = options->counters.item,
		.counters = options->counters.count,
	};
}
