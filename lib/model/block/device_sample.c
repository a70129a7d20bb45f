#include "device_sample.h"

#include "device.h"
#include "out/outbox.h"

enum { EVENT_INTERVAL_NS = 10000000, SECOND_NS = 1000000000 };

static const struct trace_metric_text device_metric[] = {
	{"reads in flight", "#", "Reads that have begun and not ended", false, false},
	{"writes in flight", "#", "Other requests that have begun and not ended", false, false},
	{"read rate", "bytes/s", "Bytes read since the previous sample", false, false},
	{"write rate", "bytes/s", "Bytes written since the previous sample", false, false},
	{"service time", "ns", "Mean time from issue to end of the requests that ended", false,
	 false},
	{"queue time", "ns", "Mean time from begin to issue of the requests that ended", false,
	 false},
};
static const struct trace_metric_text memory_metric[] = {
	{"dirty", "bytes", "Pages that wait to be written to a disk", false, false},
	{"writeback", "bytes", "Pages that are being written to a disk", false, false},
};
static const struct trace_metric_text pressure_metric[] = {
	{"io some", "1/1000", "Share of time in which at least one task waited for I/O", false,
	 false},
	{"io full", "1/1000", "Share of time in which all tasks waited for I/O", false, false},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_wanted(const struct model *m)
{
	return m->trace.host.block_mode & BLOCK_SAMPLES;
}

static void emit(struct model *m, thread_id location, uint32_t series, const uint64_t *value,
		 uint32_t values)
{
	struct io_event event = {.kind = IO_METRIC,
				 .thread = location,
				 .time = m->now,
				 .handle = ID_NONE};

	event.metric.series = series;
	event.metric.counters = values;
	event.metric.counter = value;
	out_emit(m, &event, ID_NONE, ID_NONE);
}

static uint64_t share(uint64_t sum, uint64_t of)
{
	return of ? sum / of : 0;
}

static uint64_t rate(uint64_t amount, uint64_t time)
{
	double rate = time ? (double)amount * SECOND_NS / (double)time : 0;

	return rate < (double)INT64_MAX ? (uint64_t)rate : INT64_MAX;
}

static void sample_device(struct model *m, uint32_t device)
{
	struct device_work *w = &m->block.work[device];
	struct device_sums *s = &w->sums;
	uint64_t time = m->now - w->sampled;
	const uint64_t value[COUNT(device_metric)] = {
		w->in_flight[0],
		w->in_flight[1],
		rate(s->bytes[0], time),
		rate(s->bytes[1], time),
		share(s->service, s->ended),
		share(s->waited, s->ended),
	};

	if (m->block.sampling.device_series == ID_NONE)
		m->block.sampling.device_series = trace_add_series(&m->trace, "block device", false,
								   device_metric,
								   COUNT(device_metric));
	w->sampled = m->now;
	*s = (struct device_sums){.ended = 0};
	emit(m, device_samples(m, device), m->block.sampling.device_series, value,
	     COUNT(device_metric));
}

void sample_begin(struct model *m, uint32_t device, uint64_t time)
{
	if (!m->block.work[device].sampled)
		m->block.work[device].sampled = time;
}

/* Writing zeroes counts as writing, as in the kernel. */
void sample_add(struct model *m, const struct block_op *op)
{
	struct device_sums *s = &m->block.work[op->device].sums;
	bool is_write = op->type == REQUEST_WRITE || op->type == REQUEST_ZEROES;

	if (!m->block.work[op->device].sampled)
		return;
	if (op->type == REQUEST_READ || is_write)
		s->bytes[is_write] += op->done;
	if (!op->issued)
		return;
	s->ended++;
	s->service += m->now - op->issued;
	s->waited += op->issued - op->begun;
}

void sample_at_event(struct model *m, uint32_t device)
{
	const struct device_work *w = &m->block.work[device];

	if (is_wanted(m) && w->sampled && !m->block.sampling.has_clock &&
	    !m->trace.host.sample_interval && m->now - w->sampled >= EVENT_INTERVAL_NS)
		sample_device(m, device);
}

static void sample_devices(struct model *m)
{
	for (uint32_t i = 0; i < m->trace.devices; i++) {
		uint64_t sampled = m->block.work[i].sampled;

		if (sampled && m->now > sampled)
			sample_device(m, i);
	}
}

void sample_memory(struct model *m, const struct event *event)
{
	if (!is_wanted(m))
		return;
	m->block.sampling.has_clock = true;
	if (m->block.sampling.memory_series == ID_NONE)
		m->block.sampling.memory_series = trace_add_series(&m->trace, "memory", false,
								   memory_metric,
								   COUNT(memory_metric));
	emit(m, machine_samples(m), m->block.sampling.memory_series, event->fact.number,
	     COUNT(memory_metric));
	sample_devices(m);
}

/* The fact has sums of microseconds since the machine was started; the first one is the base. */
void sample_pressure(struct model *m, const struct event *event)
{
	struct sampling *s = &m->block.sampling;
	uint64_t time = m->now - s->pressure_time;
	uint64_t value[COUNT(pressure_metric)];

	for (uint32_t i = 0; i < COUNT(value); i++) {
		uint64_t grown = event->fact.number[i] - s->pressure[i];

		double share = time ? (double)grown * 1000 * 1000 / (double)time : 0;

		/* The kernel updates its sums with a delay. */
		value[i] = share < 1000 ? (uint64_t)share : 1000;
		s->pressure[i] = event->fact.number[i];
	}
	bool is_first = !s->pressure_time;

	s->pressure_time = m->now;
	if (is_first || !time || !is_wanted(m))
		return;
	if (s->pressure_series == ID_NONE)
		s->pressure_series = trace_add_series(&m->trace, "pressure", false, pressure_metric,
						      COUNT(pressure_metric));
	emit(m, machine_samples(m), s->pressure_series, value, COUNT(pressure_metric));
}

void sample_end(struct model *m)
{
	if (is_wanted(m))
		sample_devices(m);
}
