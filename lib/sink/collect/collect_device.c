#include "collect.h"

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <stdlib.h>
#include <string.h>

/*
 * Adds the time since the last event to the newest request in flight. If that request turns out not to count, the time goes to
 * the one before it.
 */
static void advance(struct collect_device *d, uint64_t time)
{
	if (d->in_flight && time > d->since)
		d->open[d->in_flight - 1].newest += time - d->since;
	if (time > d->since)
		d->since = time;
}

static void begin(struct collect_device *d, uint64_t time)
{
	MEM_GROW(d->open, d->open_cap, d->in_flight + 1);
	d->open[d->in_flight++] = (struct collect_open){.begun = time};
}

/* Ends a request. If it counts, the device was busy since its begin, so the times of all later requests are busy, too. */
static void end(struct collect_device *d, uint64_t begun, uint64_t time, bool counts)
{
	uint32_t at = d->in_flight;

	while (at && d->open[at - 1].begun > begun)
		at--;
	if (!at)
		return;
	struct collect_open *open = &d->open[at - 1];

	if (counts)
		d->queue += time - open->begun;
	else if (at > 1)
		open[-1].newest += open->newest;
	for (uint32_t i = at - 1; counts && i < d->in_flight; i++) {
		d->busy += d->open[i].newest;
		d->open[i].newest = 0;
	}
	memmove(open, open + 1, (d->in_flight-- - at) * sizeof(*open));
}

static void complete(struct collect_device *d, const struct io_event *event)
{
	enum request_kind kind = event->op.type < REQUEST_KINDS ? event->op.type : REQUEST_OTHER;
	struct collect_traffic *traffic = &d->kind[kind];

	traffic->requests++;
	if (event->op.bytes != IO_BYTES_UNDEFINED)
		traffic->bytes += event->op.bytes;
	if (event->op.begun && event->op.begun <= event->time) {
		traffic->waited++;
		traffic->wait += event->time - event->op.begun;
		histogram_add(&d->latency, event->time - event->op.begun);
	}
	if (event->op.issued && event->op.issued <= event->time)
		histogram_add(&d->service, event->time - event->op.issued);
	d->errors += event->op.error != 0;
}

static void charge(struct collect *collect, const struct io_event *event)
{
	uint32_t id = event->op.cgroup;
	uint64_t bytes = event->op.bytes == IO_BYTES_UNDEFINED ? 0 : event->op.bytes;

	if (id >= trace_cgroups(collect->trace))
		return;
	MEM_GROW(collect->group, collect->groups_cap, id + 1);
	if (id >= collect->groups)
		collect->groups = id + 1;
	collect->group[id].requests++;
	collect->group[id].read += event->op.mode == IO_MODE_READ ? bytes : 0;
	collect->group[id].written += event->op.mode == IO_MODE_WRITE ? bytes : 0;
}

static struct collect_device *device_of(struct collect *collect, uint32_t id)
{
	MEM_GROW(collect->device, collect->devices_cap, id + 1);
	if (id >= collect->devices)
		collect->devices = id + 1;
	if (!collect->device[id]) {
		collect->device[id] = mem_zero(sizeof(*collect->device[id]));
		histogram_init(&collect->device[id]->latency);
		histogram_init(&collect->device[id]->service);
	}
	return collect->device[id];
}

void collect_device_event(struct collect *collect, uint32_t device, const struct io_event *event)
{
	if (event->kind != IO_OP_BEGIN && event->kind != IO_OP_COMPLETE &&
	    event->kind != IO_OP_CANCELLED)
		return;
	struct collect_device *d = device_of(collect, device);

	bool is_unseen = event->kind == IO_OP_CANCELLED && event->op.end == IO_END_LOST;

	advance(d, event->time);
	if (event->kind == IO_OP_BEGIN)
		begin(d, event->time);
	else
		end(d, event->op.begun, event->time, !is_unseen);
	if (event->kind == IO_OP_COMPLETE) {
		complete(d, event);
		charge(collect, event);
	}
	d->unseen_ends += is_unseen;
	d->cancelled += event->kind == IO_OP_CANCELLED && !is_unseen;
}

void collect_device_release(struct collect *collect)
{
	for (uint32_t i = 0; i < collect->devices; i++) {
		struct collect_device *d = collect->device[i];

		if (!d)
			continue;
		histogram_release(&d->latency);
		histogram_release(&d->service);
		free(d->open);
		free(d);
	}
	free(collect->device);
	free(collect->group);
}

const struct collect_device *collect_device(const struct collect *collect, uint32_t device)
{
	return device < collect->devices ? collect->device[device] : NULL;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct collect_rates collect_device_rates(const struct collect *collect, uint32_t device)
{
	const struct collect_device *d = collect_device(collect, device);

	if (!d)
		return (struct collect_rates){0};

	double wall = (double)collect_wall(collect), seconds = wall / 1e9;
	const struct collect_traffic *kind = d->kind;
	const struct collect_traffic *read = &kind[REQUEST_READ], *write = &kind[REQUEST_WRITE],
				     *zero = &kind[REQUEST_ZEROES];
	uint64_t wait = 0, waited = 0;

	for (int i = 0; i < REQUEST_KINDS; i++) {
		wait += kind[i].wait;
		waited += kind[i].waited;
	}
	double util = ratio((double)d->busy, wall);

	return (struct collect_rates){
		.reads = ratio((double)read->requests, seconds),
		.writes = ratio((double)(write->requests + zero->requests), seconds),
		.read_bytes = ratio((double)read->bytes, seconds),
		.written_bytes = ratio((double)(write->bytes + zero->bytes), seconds),
		.wait = ratio((double)wait, (double)waited),
		.read_wait = ratio((double)read->wait, (double)read->waited),
		.write_wait = ratio((double)(write->wait + zero->wait),
				    (double)(write->waited + zero->waited)),
		.queue = ratio((double)d->queue, wall),
		.util = util < 1 ? util : 1,
	};
}

static uint32_t device_by_dev(const struct trace *trace, uint64_t dev)
{
	for (uint32_t id = 0; dev && id < trace_devices(trace); id++)
		if (trace_device(trace, id)->dev == dev)
			return id;
	return ID_NONE;
}

uint32_t collect_device_by_path(const struct trace *trace, str_id path)
{
	static const char folder[] = "/dev/";
	const char *text = trace_text(trace, path);

	for (uint32_t id = 0; id < trace_devices(trace); id++)
		if (!strncmp(text, folder, sizeof(folder) - 1) &&
		    !strcmp(text + sizeof(folder) - 1,
			    trace_text(trace, trace_device(trace, id)->name)))
			return id;
	return ID_NONE;
}

/* Some file systems report a number that is not that of a device. Then the mount names the device. */
uint32_t collect_device_of_file(const struct trace *trace, file_id of)
{
	const struct trace_file *file = trace_file(trace, of);
	uint32_t id = file->kind == FILE_DEVICE ? collect_device_by_path(trace, file->path)
						: device_by_dev(trace, file->dev);

	if (id == ID_NONE && file->kind != FILE_DEVICE && file->mount < trace_mounts(trace))
		id = collect_device_by_path(trace, trace_mount(trace, file->mount)->source);
	/* Requests belong to the whole disk. */
	if (id != ID_NONE && trace_device(trace, id)->disk < trace_devices(trace))
		id = trace_device(trace, id)->disk;
	return id;
}

struct collect_cache *collect_caches(const struct collect *collect)
{
	const struct trace *trace = collect->trace;
	struct collect_cache *cache = mem_array(trace_devices(trace) + 1, sizeof(*cache));

	for (file_id f = 0; trace_devices(trace) && f < collect->files; f++) {
		cold_pass(trace_cold(trace), f);
		const struct collect_row *row = &collect->file[f].row;
		uint32_t id = row->read || row->written ? collect_device_of_file(trace, f)
							: ID_NONE;

		if (id == ID_NONE)
			continue;
		cache[id].asked_read += row->read;
		cache[id].asked_written += row->written;
	}
	for (uint32_t id = 0; id < trace_devices(trace); id++) {
		const struct collect_device *d = collect_device(collect, id);

		if (!d)
			continue;
		cache[id].disk_read = d->kind[REQUEST_READ].bytes;
		cache[id].disk_written = d->kind[REQUEST_WRITE].bytes +
					 d->kind[REQUEST_ZEROES].bytes;
	}
	return cache;
}

bool collect_device_is_recorded(const struct collect *collect, uint32_t device)
{
	return collect_device(collect, device) || trace_device(collect->trace, device)->has_stat;
}

double collect_cache_share(uint64_t asked, uint64_t disk)
{
	if (!asked)
		return -1;
	return disk < asked ? 1 - (double)disk / (double)asked : 0;
}
