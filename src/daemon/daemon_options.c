/* daemon_options: see daemon_options.h. */
#include "daemon_options.h"

#include "option/duration.h"
#include "record/record_options.h"

#include <iotrace/publication.h>

static const uint64_t interval_default = 1000000000;

#define FIELD(member) offsetof(struct daemon_options, member)

const struct option_row daemon_rows[] = {
	{'i', "interval", "TIME", "time between two readings of the counters (default: 1s)",
	 OPTION_CALL, FIELD(interval), duration_parse_interval, NULL},
	{0, "directory", "DIR",
	 "where the files for iotrace stat are (default: /run/iotrace, which is made if it is missing)",
	 OPTION_TEXT, FIELD(directory), NULL, NULL},
	{0, "metrics", "ADDRESS:PORT",
	 "serve metrics by HTTP at /metrics, for Prometheus; a PORT alone is of 127.0.0.1",
	 OPTION_TEXT, FIELD(metrics), NULL, NULL},
	{0, "metrics-file", "FILE",
	 "also write metrics into FILE, for the textfile collector of node_exporter", OPTION_TEXT,
	 FIELD(metrics_file), NULL, NULL},
	{0, "hang", "TIME", "what is in flight for longer hangs: say who waits", OPTION_CALL,
	 FIELD(hang), record_parse_duration, NULL},
	{0, "on-hang", "COMMAND",
	 "run this once for each hang, with details as JSON on its standard input", OPTION_TEXT,
	 FIELD(on_hang), NULL, NULL},
	{'v', "verbose", NULL, "print more messages (twice: for debugging)", OPTION_COUNT,
	 FIELD(verbosity), NULL, NULL},
	OPTION_ROW_HELP,
	{0},
};

void daemon_options_init(void *context)
{
	struct daemon_options *options = context;

	options->interval = interval_default;
	options->directory = PUBLICATION_DEFAULT;
}
