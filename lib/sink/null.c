/* null: a sink that discards all events. It serves to measure the rest of the pipeline. */
#include "sinks.h"

#include <iotrace/mem.h>
#include <stdlib.h>

struct sink {
	uint64_t events[IO_EVENT_KINDS];
};

static struct sink *null_open(const struct sink_options *options, struct error *err)
{
	(void)options;
	(void)err;
	return mem_zero(sizeof(struct sink));
}

static void null_event(struct sink *sink, const struct io_event *event)
{
	sink->events[event->kind]++;
}

static int null_close(struct sink *sink, struct error *err)
{
	(void)err;
	free(sink);
	return 0;
}

const struct sink_ops sink_null_ops = {
	.name = "null",
	.help = "nothing: reads everything, but writes no file",
	.open = null_open,
	.event = null_event,
	.close = null_close,
};
