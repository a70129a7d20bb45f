/* sinks: the rows of the table in sink.c, for it and for tests of a single sink. */
#pragma once

#include <iotrace/sink.h>

extern const struct sink_ops sink_otf2_ops;
extern const struct sink_ops sink_text_ops;
extern const struct sink_ops sink_summary_ops;
extern const struct sink_ops sink_null_ops;
