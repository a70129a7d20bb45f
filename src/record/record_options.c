/* record_options: the rows, and parsers for their values. */
#include "record_options.h"

#include "option/duration.h"
#include "option/options_files.h"
#include "option/pattern.h"
#include "option/select.h"
#include "path/paths.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t ns_per_ms = 1000000;

enum { SAMPLE_MS = 100, GLOB_MAX = 200, KEEP_MOST = 10000 };

static int take_pid(struct number_list *list, const char *word, struct error *err)
{
	char *end = NULL;
	long pid;

	errno = 0;
	pid = strtol(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || pid < 1 || pid > INT_MAX) {
		error_say(
			err, EINVAL,
			"invalid process id '%s': expected a number, or several separated by commas",
			word);
		if (isalpha((unsigned char)*word))
			error_hint(err,
				   "To record the programs with that name: iotrace -a --comm %s",
				   word);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < list->count; i++)
		if (list->item[i] == (uint32_t)pid)
			return 0;
	number_list_add(list, (uint32_t)pid);
	return 0;
}

int record_parse_pids(void *list, const char *arg, struct error *err)
{
	char *words = mem_strdup(arg), *rest = words, *word;
	int rc = 0;

	while (!rc && (word = strsep(&rest, ",")))
		rc = take_pid(list, word, err);
	free(words);
	return rc;
}

int record_parse_duration(void *field, const char *arg, struct error *err)
{
	return duration_parse(field, arg, err);
}

static int parse_interval(void *field, const char *arg, struct error *err)
{
	uint64_t ns;
	int code = duration_parse_ms(&ns, arg, err);

	if (code)
		return code;
	if (ns && ns < ns_per_ms)
		return error_say(
			err, EINVAL,
			"invalid interval '%s': expected at least 1 ms, or 0 for no samples", arg);
	*(uint64_t *)field = ns;
	return 0;
}

int record_parse_fd(void *field, const char *arg, struct error *err)
{
	size_t digits = strspn(arg, "0123456789");

	if (!digits || arg[digits] || digits > 9 || strtol(arg, NULL, 10) < 3)
		return error_say(err, EINVAL,
				 "invalid descriptor '%s': expected a number of at least 3", arg);
	*(int *)field = (int)strtol(arg, NULL, 10);
	return 0;
}

int record_parse_uid(void *field, const char *arg, struct error *err)
{
	struct recording_users *users = field;
	const struct passwd *user = NULL;
	char *end = NULL;
	unsigned long uid;

	errno = 0;
	uid = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || uid >= UINT32_MAX) {
		user = getpwnam(arg);
		if (!user)
			return error_say(err, EINVAL, "no user '%s' on this machine", arg);
		uid = user->pw_uid;
	}
	number_list_add(&users->ids, (uint32_t)uid);
	return options_add(&users->names, arg, err);
}

/* strace writes system calls in this way. */
static bool is_call(const char *word)
{
	const char *equals = strchr(word, '=');
	const char *first = equals ? equals + 1 : word;
	size_t length = strcspn(first, ",");

	return !strncmp(word, "trace=", 6) || call_by_name(first, length) != CALL_ID_NONE;
}

static int refuse_event(const char *word, struct error *err)
{
	bool is_pattern = strpbrk(word, "*?[");

	error_say(
		err, EINVAL,
		is_pattern
			? "'%s' is a pattern, but this option takes a single tracepoint: "
			  "SYSTEM:EVENT or SYSTEM:EVENT=FIELD,..."
			: "invalid tracepoint '%s': expected SYSTEM:EVENT or SYSTEM:EVENT=FIELD,...",
		word);
	if (is_call(word))
		error_hint(
			err,
			"To choose system calls, use --syscalls; 'iotrace list' shows their groups");
	else if (is_pattern && strchr(word, ':'))
		error_hint(err, "To list the matching tracepoints: iotrace list -e '%s'", word);
	else
		error_hint(err, "To list all tracepoints: iotrace list -e '*'");
	return -EINVAL;
}

/* The kernel compares it: *, ?, [...]. It has no escape for a quotation mark. */
int record_parse_comm(void *list, const char *arg, struct error *err)
{
	if (strchr(arg, '"') || strlen(arg) > GLOB_MAX)
		return error_say(
			err, EINVAL,
			"invalid pattern '%s': expected at most %d characters, without '\"'", arg,
			GLOB_MAX);
	return options_add(list, arg, err);
}

static int parse_event(void *list, const char *arg, struct error *err)
{
	const char *colon = strchr(arg, ':');
	size_t length = strcspn(arg, "=");

	if (!colon || colon == arg || colon + 1 >= arg + length ||
	    (arg[length] && !arg[length + 1]) || strcspn(arg, "*?[") < length)
		return refuse_event(arg, err);
	return options_add(list, arg, err);
}

static int take_block_word(struct recording_blocks *blocks, const char *word, struct error *err)
{
	static const struct {
		const char *word;
		enum block_choice choice;
	} choices[] = {{"none", BLOCK_NONE}, {"own", BLOCK_OWN}, {"all", BLOCK_ALL}};

	struct nearest nearest;

	nearest_init(&nearest, word);
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		nearest_try(&nearest, choices[i].word);
		if (strcmp(choices[i].word, word) != 0)
			continue;
		blocks->has_choice = true;
		blocks->choice = choices[i].choice;
		return 0;
	}
	if (!*word)
		return error_say(err, EINVAL, "the name of a device is missing");
	if (nearest.best && !path_is_like_device(word))
		return error_say(err, EINVAL, "no block device '%s'; did you mean '%s'?", word,
				 nearest.best);
	return options_add(&blocks->devices, mem_strdup(path_device(word)), err);
}

static int parse_block(void *field, const char *arg, struct error *err)
{
	struct recording_blocks *blocks = field;
	char *words, *rest, *word;
	int rc = 0;

	blocks->is_given = true;
	/* The last word counts: --no-block may be in a file of options. */
	blocks->has_choice &= blocks->choice != BLOCK_NONE;
	if (!arg)
		return 0;
	rest = words = mem_strdup(arg);
	while (!rc && (word = strsep(&rest, ",")))
		rc = take_block_word(blocks, word, err);
	free(words);
	return rc;
}

static int parse_no_block(void *field, const char *arg, struct error *err)
{
	struct recording_blocks *blocks = field;

	(void)arg;
	(void)err;
	blocks->has_choice = true;
	blocks->choice = BLOCK_NONE;
	return 0;
}

int record_parse_device(void *field, const char *arg, struct error *err)
{
	struct recording_blocks *blocks = field;

	if (!*arg)
		return error_say(err, EINVAL, "the name of a device is missing");
	return options_add(&blocks->devices, mem_strdup(path_device(arg)), err);
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
	return error_say(err, EINVAL, "unknown mode '%s': expected events, samples or both", arg);
}

int record_parse_source(void *source, const char *arg, struct error *err)
{
	static const char *const name[] = {
		[SOURCE_AUTO] = "auto", [SOURCE_PERF] = "perf", [SOURCE_BPF] = "bpf"};

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (strcmp(arg, name[i]) != 0)
			continue;
		*(enum live_source *)source = (enum live_source)i;
		return 0;
	}
	return error_say(err, EINVAL, "unknown source '%s': expected auto, bpf or perf", arg);
}

int record_parse_flight(void *field, const char *arg, struct error *err)
{
	struct record_flight *flight = field;
	const char *comma = strchr(arg, ',');
	char *time = mem_format("%.*s", (int)strcspn(arg, ","), arg);
	int code = duration_parse(&flight->window, time, err);

	free(time);
	if (!code && comma && options_size(&flight->memory, comma + 1, err))
		return error_say(err, EINVAL,
				 "invalid size '%s': expected for example --flight 30s,512M",
				 comma + 1);
	return code;
}

int record_parse_keep(void *field, const char *arg, struct error *err)
{
	char *end = NULL;
	unsigned long keep = strtoul(arg, &end, 10);

	if (!isdigit((unsigned char)*arg) || *end || !keep || keep > KEEP_MOST)
		return error_say(err, EINVAL, "invalid number of archives '%s': expected 1 to %d",
				 arg, KEEP_MOST);
	*(uint32_t *)field = (uint32_t)keep;
	return 0;
}

#define FIELD(member)     offsetof(struct record_options, member)
#define RECORDING(member) FIELD(recording.member)
#define OUTPUT(member)    FIELD(output.member)
#define FLIGHT(member)    FIELD(flight.member)

const struct option_row record_rows[] = {
	{'o', "output", "DIR", "write the archive to DIR (default: iotrace-HOST-DATE-TIME-PID)",
	 OPTION_TEXT, FIELD(output.path), NULL, NULL},
#include "record/task_rows.def"
	{0, "wait", NULL, "record until the last descendant of the command has ended", OPTION_FLAG,
	 RECORDING(waits_for_all), NULL, NULL},
	{0, "join", "NAME",
	 "record in one archive all commands on this node that use this name (the default in a "
	 "job with ranks)",
	 OPTION_TEXT, FIELD(join), NULL, NULL},
	{0, "alone", NULL, "use a separate recorder and archive for this command, also in a job",
	 OPTION_FLAG, FIELD(is_alone), NULL, NULL},
	{0, "each", NULL,
	 "with one recorder for several commands: an archive for each of them, named after -o, such as t.%r",
	 OPTION_FLAG, FIELD(is_each), NULL, NULL},
	{0, "delay", "TIME", "start recording this long after the start of the command",
	 OPTION_CALL, RECORDING(delay), record_parse_duration, NULL},
	{0, "start-stopped", NULL, "begin paused; 'iotrace start' resumes", OPTION_FLAG,
	 RECORDING(is_stopped), NULL, NULL},
	{0, "marks", NULL,
	 "give the command a descriptor (IOTRACE_MARK_FD); each write to it sets a mark",
	 OPTION_FLAG, RECORDING(has_marks), NULL, NULL},
#include "record/flight_rows.def"
	{0, "limit", "SIZE",
	 "end the recording when archive and spool take this much disk space (K, M, G); with --flight: space for all "
	 "archives",
	 OPTION_SIZE, FIELD(limit), NULL, NULL},
	{0, "syscalls", "GROUP[,GROUP...]",
	 "record these groups of system calls; +GROUP and -GROUP change the default; see 'iotrace list'",
	 OPTION_CALL, RECORDING(selection.groups), select_parse,
	 "all default data sync open meta dir lock net mmap aio uring fault writeback +net +mmap -meta"},
#include "record/path_rows.def"
	{0, "block", "[=DEV,...]",
	 "record block requests: of these devices; own (those that recorded tasks caused); all; or none "
	 "(default: all with -a, or own with --cgroup, --uid or --comm; otherwise none)",
	 OPTION_CALL, RECORDING(blocks), parse_block, "all own none"},
	{0, "no-block", NULL, "record no block requests, like --block=none", OPTION_CALL,
	 RECORDING(blocks), parse_no_block, NULL},
	{0, "block-mode", "MODE",
	 "record block requests as events, as samples, or both (the default)", OPTION_CALL,
	 RECORDING(blocks.mode), parse_block_mode, "events samples both"},
	{0, "sample-interval", "MS",
	 "milliseconds between samples of the machine and its devices (default: 100); 0: no samples",
	 OPTION_CALL, RECORDING(sample_interval), parse_interval, NULL},
	{'e', "tracepoint", "SYSTEM:EVENT[=FIELD,...]",
	 "also record this tracepoint of the kernel (may be repeated); see iotrace list -e '*'",
	 OPTION_CALL, RECORDING(tracepoints), parse_event, NULL},
	{0, "span", "SPAN",
	 "also record these spans: a name (see iotrace list --spans), or 'NAME: BEGIN -> END by FIELD' (may be repeated)",
	 OPTION_CALL, FIELD(spans), options_add, NULL},
	{0, "spans", "FILE",
	 "a file of definitions, one on each line; without --span, all of them (may be repeated)",
	 OPTION_CALL, FIELD(span_files), options_add, NULL},
	{'E', "event", "EVENT",
	 "also count this hardware or software event for each call (may be repeated)", OPTION_CALL,
	 RECORDING(counters), options_add, NULL},
	{0, "buffer", "SIZE", "upper limit of memory for data that is not yet written (K, M, G)",
	 OPTION_SIZE, RECORDING(buffer_bytes), NULL, NULL},
	{0, "capture", "FILE", "keep the recorded data in this perf.data file", OPTION_TEXT,
	 FIELD(capture), NULL, NULL},
#include "run/output_rows.def"
	{0, "no-defaults", NULL, "ignore the options in files and in " OPTIONS_VARIABLE,
	 OPTION_NO_DEFAULTS, 0, NULL, NULL},
	{'v', "verbose", NULL, "print more messages (twice: for debugging)", OPTION_COUNT,
	 FIELD(verbosity), NULL, NULL},
	OPTION_ROW_HELP,
	{'V', "version", NULL, "show the version", OPTION_VERSION, 0, NULL, NULL},
	{0},
};

void record_options_init(void *context)
{
	struct record_options *options = context;
	struct recording *recording = &options->recording;

	output_options_init(&options->output);
	recording->selection.groups = select_default();
	recording->sample_interval = SAMPLE_MS * ns_per_ms;
	recording->blocks.mode = BLOCK_EVENTS | BLOCK_SAMPLES;
}

bool record_has_paths(const struct recording *recording)
{
	return recording->selection.paths.count || recording->selection.excluded.count;
}

static void free_texts(const struct text_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free((void *)(uintptr_t)list->item[i]);
}

void record_options_release(void *context)
{
	struct record_options *options = context;
	struct recording *recording = &options->recording;
	struct text_list *lists[] = {&recording->cgroups,         &recording->selection.comms,
				     &recording->selection.paths, &recording->selection.excluded,
				     &recording->tracepoints,     &recording->counters,
				     &recording->busy_devices,    &recording->blocks.devices,
				     &recording->users.names,     &options->spans,
				     &options->span_files};

	triggers_release(&options->flight.triggers);
	free_texts(&recording->blocks.devices);
	free_texts(&recording->selection.paths);
	free_texts(&recording->selection.excluded);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		text_list_release(lists[i]);
	number_list_release(&recording->pids);
	number_list_release(&recording->users.ids);
	options_lines_release(&options->given);
}
