/* daemon_rights: see daemon_rights.h. */
#include "daemon_rights.h"

#include "daemon_options.h"

#include <iotrace/confine.h>
#include <iotrace/probe.h>
#include <iotrace/supervisor.h>
#include <linux/capability.h>

/* Some kernels let only CAP_SYS_ADMIN open events, and all of them let only it read the kernel stack of a task that hangs. */
static bool needs_admin(const struct daemon_options *options)
{
	return probe_takes_admin() || options->hang;
}

/* To read where a task hangs, and which files were open before a flight recorder began. */
static bool needs_to_look(const struct daemon_options *options)
{
	return options->hang || options->flight.window;
}

static const struct {
	unsigned capability;
	bool (*is_needed)(const struct daemon_options *options);
} rows[] = {
	{CAP_SYS_ADMIN, needs_admin},
	{CAP_SYS_PTRACE, needs_to_look},
};

void daemon_rights_limit(const struct daemon_options *options)
{
	if (!supervisor_is_there())
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!rows[i].is_needed(options))
			confine_forget(rows[i].capability);
}
