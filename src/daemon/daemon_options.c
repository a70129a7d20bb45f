/* daemon_options: see daemon_options.h. */
#include "daemon_options.h"

#include "option/duration.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/publication.h>
#include <stdlib.h>

static const uint64_t interval_default = 1000000000, limit_default = 1 << 30;

#define FIELD(member)  offsetof(struct daemon_options, member)
#define FLIGHT(member) FIELD(flight.member)

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
#include "record/flight_rows.def"
	{0, "archives", "DIR",
	 "with --flight: where archives are (default: the state directory of systemd, or /var/lib/iotrace)",
	 OPTION_TEXT, FIELD(archives), NULL, NULL},
	{0, "limit", "SIZE",
	 "with --flight: disk space for all archives (K, M, G; default: 1G); the oldest go first",
	 OPTION_SIZE, FIELD(limit), NULL, NULL},
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
	options->limit = limit_default;
	options->archives = getenv("STATE_DIRECTORY");
	if (!options->archives || !*options->archives)
		options->archives = "/var/lib/iotrace";
}

void daemon_options_release(void *context)
{
	struct daemon_options *options = context;

	triggers_release(&options->flight.triggers);
}
