/* record_check: checks that options do not exclude each other, and chooses defaults. */
#include "record_options.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <iotrace/probe.h>
#include <stdlib.h>
#include <string.h>

/* Returns the default of --block. */
static enum block_choice default_block_choice(const struct recording *recording)
{
	bool is_asked = recording_asks_for_blocks(recording);

	/* A user who chooses tasks wants only their requests. */
	if (recording->users.ids.count || recording->selection.comms.count ||
	    recording->cgroups.count)
		return recording->is_system || is_asked ? BLOCK_OWN : BLOCK_NONE;
	if (recording->is_system)
		return BLOCK_ALL;
	return is_asked ? BLOCK_OWN : BLOCK_NONE;
}

static int check_target(const struct recording *recording, struct error *err)
{
	if (!recording->argv && !recording->pids.count && !recording->is_system)
		return error_say(err, EINVAL,
				 "no command: iotrace [OPTION]... [--] COMMAND [ARG]..., -p PID, "
				 "or -a for the whole machine");
	if (recording->argv && recording->pids.count)
		return error_say(err, EINVAL, "either -p PID or a command, not both");
	if (recording->is_system && recording->pids.count)
		return error_say(err, EINVAL, "either -p PID or -a, not both");
	if (recording->delay && recording->is_stopped)
		return error_say(err, EINVAL, "either --delay or --start-stopped, not both");
	if (recording->waits_for_all && recording->is_system)
		return error_say(
			err, EINVAL,
			"--wait cannot be combined with -a, because the whole machine never "
			"ends. Use --duration SECONDS");
	if (recording->cgroups.count && !recording->is_system)
		return error_say(err, EINVAL, "--cgroup works only with -a");
	if (recording->counters.count && recording->is_system)
		return error_say(
			err, EINVAL,
			"-E cannot be combined with -a: the kernel does not count for each thread then");
	return 0;
}

struct search {
	bool is_found;
	bool has_system; /* other events have the same system */
	bool has_part;   /* other events contain its second word */
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
	if (search->nearest.best == name) { /* the name is lent for this call only */
		snprintf(search->best, sizeof(search->best), "%s", name);
		search->nearest.best = search->best;
	}
}

/* Suggests only commands that print something. */
static void hint_event(const struct search *search, struct error *err)
{
	const char *wanted = search->nearest.word;
	int system = (int)strcspn(wanted, ":");

	if (search->has_part)
		error_hint(err, "To list the tracepoints with that word: iotrace list -e '*%s*'",
			   wanted + system + 1);
	else if (search->has_system)
		error_hint(err, "To list the tracepoints of that system: iotrace list -e '%.*s:*'",
			   system, wanted);
	else
		error_hint(
			err,
			"It has no tracepoint of the system %.*s. To list all: iotrace list -e '*'",
			system, wanted);
}

/* Returns whether a probe will create the event. */
static bool is_of_probe(const struct recording *recording, const char *event)
{
	for (uint32_t i = 0; i < recording->probes.count; i++)
		if (!strcmp(recording->probes.item[i].event, event))
			return true;
	return false;
}

/* If tracefs cannot be read, opening the event fails with a message. */
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

static int check_output(const struct output_options *output, struct error *err)
{
	if (output->format && !strcmp(output->format->name, "text") && is_missing(output->path))
		return error_say(
			err, EINVAL,
			"--format text needs -o FILE: standard output is the command's own");
	if (output->path && is_missing(output->path))
		return error_say(err, EINVAL, "-o -: an archive is a directory and needs a name");
	return 0;
}

static void decide(struct record_options *options)
{
	struct recording *recording = &options->recording;
	struct recording_blocks *blocks = &recording->blocks;

	blocks->is_given |= triggers_view(&options->flight.triggers, VIEW_DEVICE);
	if (!blocks->has_choice)
		blocks->choice = default_block_choice(recording);
	if (!recording->is_system && blocks->choice == BLOCK_NONE)
		recording->sample_interval = 0;
}

int record_options_complete(struct record_options *options, char *const *argv, struct error *err)
{
	struct recording *recording = &options->recording;
	int rc;

	recording->argv = argv;
	recording->given = options->given.line;
	recording->given_count = options->given.count;
	rc = check_target(recording, err);
	if (!rc)
		rc = check_output(&options->output, err);
	if (rc)
		return rc;
	decide(options);
	if (recording->counters.count > EVENT_COUNTERS)
		return error_say(err, EINVAL, "-E: at most %d events at a time", EVENT_COUNTERS);
	if (recording->blocks.choice == BLOCK_NONE && recording->blocks.devices.count)
		return error_say(err, EINVAL, "--device cannot be combined with --block=none");
	if (recording->blocks.choice == BLOCK_NONE &&
	    triggers_view(&options->flight.triggers, VIEW_DEVICE))
		return error_say(err, EINVAL,
				 "--trigger with device=GLOB cannot be combined with --block=none");
	for (uint32_t i = 0; i < recording->tracepoints.count && !rc; i++)
		if (!is_of_probe(recording, recording->tracepoints.item[i]))
			rc = check_event(recording->tracepoints.item[i], err);
	return rc;
}
