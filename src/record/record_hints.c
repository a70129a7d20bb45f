/* record_hints: options of strace, perf, time and blktrace that users may try, and the corresponding ones of iotrace. */
#include "record_options.h"

static const char follows[] = "New children and threads are always recorded.";
static const char counts[] =
	"The summary at the end counts calls; --format null writes nothing else.";
static const char times[] = "Every record has its time; to see them: --format text -o FILE";
static const char decodes[] =
	"Every record has the path of its file; to see them: --format text -o FILE";
static const char stacks[] = "iotrace records no stacks.";

const struct option_hint record_hints[] = {
	{"-f", follows},
	{"--follow-forks", follows},
	{"-c", counts},
	{"-C", counts},
	{"-w", counts},
	{"--summary-only", counts},
	{"-t", times},
	{"-r", times},
	{"-T", times},
	{"-y", decodes},
	{"--decode-fds", decodes},
	{"-P", "To record certain files only: --path GLOB"},
	{"--trace-path", "To record certain files only: --path GLOB"},
	{"-Z", "The summary lists the calls that failed."},
	{"--failed-only", "The summary lists the calls that failed."},
	{"-u", "To record the processes of a user only: --uid USER"},
	{"--user", "To record the processes of a user only: --uid USER"},
	{"--all-cpus", "To record the whole machine: -a"},
	{"-A", "To record the whole machine: -a"},
	{"--tid", "To record a process: -p PID, with all its threads"},
	{"-g", stacks},
	{"--call-graph", stacks},
	{"-k", stacks},
	{"-F", "Every call is recorded; none is sampled."},
	{"--freq", "Every call is recorded; none is sampled."},
	{"--count", "Every call is recorded; none is sampled."},
	{"--mmap-pages", "The size of the rings in bytes: --ring-size"},
	{"-d", "Block requests of a device: --block=DEV"},
	{"--no-summary", "To leave the summary out: -q"},
	{"--no-archive", "To write no archive: --format null"},
	{"--json", "The summary as JSON: --summary=json"},
	{"--all", "To record the whole machine: -a. To record all system calls: --syscalls all"},
	{0},
};
