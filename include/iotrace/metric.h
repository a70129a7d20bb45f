/* metric: sampled values: counters of threads, statistics of devices and of the machine, fields of events. */
#pragma once

#include <iotrace/definition.h>

/* Values that are sampled together, on one or more locations. */
struct trace_series {
	str_id name;
	uint32_t metric;  /* index of the first in struct trace */
	uint32_t metrics; /* at most EVENT_COUNTERS */
	bool is_of_calls; /* sampled at the end of calls (-E), on the threads' locations */
};

struct trace_metric {
	str_id name, unit, description;
	bool is_accumulated; /* a counter since the start; otherwise an absolute value */
	bool is_signed;
	bool is_real; /* its values are the bits of a double; only in archives of other programs */
};
