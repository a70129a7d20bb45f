/* otf2_defs: the definitions of an archive: written once, at close, from the trace's arrays. */
#pragma once

#include "otf2_state.h"

/* Return false if the library refused a definition. */
bool otf2_write_definitions(struct sink *sink);
bool otf2_write_io_definitions(struct sink *sink);
void otf2_write_properties(struct sink *sink);
/* Returns the type of the metric's values. */
OTF2_Type otf2_metric_type(const struct trace_metric *metric);
