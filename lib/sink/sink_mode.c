/* sink_mode: the permissions of files that sinks create. */
#include "sinks.h"

#include <iotrace/trace.h>

enum { MODE_DEFAULT = 0644 };

unsigned sink_mode(const struct sink_options *options)
{
	unsigned mode = trace_host(options->trace)->is_system ? options->system_mode
							      : options->mode;

	return mode ? mode : MODE_DEFAULT;
}
