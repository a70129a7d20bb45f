/* otf2_state: what the archive contains, and whether it may still grow. */
#include "otf2_state.h"

void otf2_stop(struct sink *sink, int code, uint64_t time)
{
	if (sink->is_stopped)
		return;
	sink->is_stopped = true;
	sink->stop_code = code;
	sink->stop_time = time;
}

uint32_t otf2_locations(const struct sink *sink)
{
	return trace_threads(sink->trace) ? trace_threads(sink->trace) : 1;
}

bool otf2_is_defined(const struct sink *sink, thread_id location)
{
	return sink->is_empty ? location == 0 : !trace_thread(sink->trace, location)->is_excluded;
}

bool otf2_is_block(const struct sink *sink, handle_id handle)
{
	return handle < trace_handles(sink->trace) && trace_handle(sink->trace, handle)->is_block;
}
