/* run_sink: the sinks of a run. */
#include "run_state.h"

#include <errno.h>
#include <iotrace/error.h>

int run_add_sink(struct run *run, const struct sink_ops *ops, struct sink_options *options,
		 struct error *err)
{
	struct run_sink *sink = &run->sink[run->sinks];

	if (run->sinks == RUN_SINKS)
		return error_say(err, ENOSPC, "more than %d outputs", RUN_SINKS);
	options->trace = run->trace;
	options->tally = &run->tally;
	sink->sink = ops->open(options, err);
	if (!sink->sink)
		return err->code ? -err->code : -EIO;
	sink->ops = ops;
	return run->sinks++;
}

int run_close_sink(struct run *run, int index, struct error *err)
{
	const struct sink_ops *ops = run->sink[index].ops;
	struct error unheard;

	run->sink[index].ops = NULL;
	return ops ? ops->close(run->sink[index].sink, err ? err : &unheard) : 0;
}

static bool has_failed(const struct run *run, bool is_of_whole)
{
	for (int i = 0; i < run->sinks; i++) {
		const struct sink_ops *ops = run->sink[i].ops;

		if (ops && ops->failed && (ops->is_whole_or_nothing || !is_of_whole) &&
		    ops->failed(run->sink[i].sink))
			return true;
	}
	return false;
}

bool run_has_failed(const struct run *run)
{
	return has_failed(run, true);
}

bool run_is_cut_short(const struct run *run)
{
	return has_failed(run, false);
}
