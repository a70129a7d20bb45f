/*
 * summary_device: see summary_device.h.
 */
#include "summary.h"

#include <iotrace/device.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

/* The device has had so many in flight since; other events will change that. */
static void advance(struct summary_device *d, uint64_t time)
{
	if (d->in_flight && time > d->since) {
		d->busy += time - d->since;
		d->queue += (time - d->since) * d->in_flight;
	}
	if (time > d->since)
		d->since = time;
}

static void complete(struct summary_device *d, const struct io_event *event)
{
	enum request_kind kind = event->op.type < REQUEST_KINDS ? event->op.type : REQUEST_OTHER;
	struct summary_traffic *traffic = &d->kind[kind];

	traffic->requests++;
	if (event->op.bytes != IO_BYTES_UNDEFINED)
		traffic->bytes += event->op.bytes;
	if (event->op.begun && event->op.begun <= event->time) {
		traffic->waited++;
		traffic->wait += event->time - event->op.begun;
	}
	if (event->op.issued && event->op.issued <= event->time)
		histogram_add(&d->service, event->time - event->op.issued);
	d->errors += event->op.error != 0;
}

static void charge(struct summary *summary, const struct io_event *event)
{
	uint32_t id = event->op.cgroup;
	uint64_t bytes = event->op.bytes == IO_BYTES_UNDEFINED ? 0 : event->op.bytes;

	if (id >= model_cgroups(summary->options->model))
		return;
	MEM_GROW(summary->group, summary->groups_cap, id + 1);
	if (id >= summary->groups)
		summary->groups = id + 1;
	summary->group[id].requests++;
	summary->group[id].read += event->op.mode == IO_MODE_READ ? bytes : 0;
	summary->group[id].written += event->op.mode == IO_MODE_WRITE ? bytes : 0;
}

static struct summary_device *device_of(struct summary *summary, uint32_t id)
{
	MEM_GROW(summary->device, summary->devices_cap, id + 1);
	if (id >= summary->devices)
		summary->devices = id + 1;
	if (!summary->device[id]) {
		summary->device[id] = mem_zero(sizeof(*summary->device[id]));
		histogram_init(&summary->device[id]->service);
	}
	return summary->device[id];
}

void summary_device_event(struct summary *summary, uint32_t device, const struct io_event *event)
{
	if (event->kind != IO_OP_BEGIN && event->kind != IO_OP_COMPLETE &&
	    event->kind != IO_OP_CANCELLED)
		return;
	struct summary_device *d = device_of(summary, device);

	advance(d, event->time);
	if (event->kind == IO_OP_BEGIN)
		d->in_flight++;
	else if (d->in_flight)
		d->in_flight--;
	if (event->kind == IO_OP_COMPLETE) {
		complete(d, event);
		charge(summary, event);
	}
	d->cancelled += event->kind == IO_OP_CANCELLED;
}

void summary_device_release(struct summary *summary)
{
	for (uint32_t i = 0; i < summary->devices; i++)
		free(summary->device[i]);
	free(summary->device);
	free(summary->group);
}

const struct summary_device *summary_device(const struct summary *summary, uint32_t device)
{
	return device < summary->devices ? summary->device[device] : NULL;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct summary_rates summary_device_rates(const struct summary *summary, uint32_t device)
{
	const struct summary_device *d = summary_device(summary, device);

	if (!d)
		return (struct summary_rates){0};

	double wall = (double)summary_wall(summary), seconds = wall / 1e9;
	const struct summary_traffic *kind = d->kind;
	const struct summary_traffic *read = &kind[REQUEST_READ], *write = &kind[REQUEST_WRITE],
				     *zero = &kind[REQUEST_ZEROES];
	uint64_t wait = 0, waited = 0;

	for (int i = 0; i < REQUEST_KINDS; i++) {
		wait += kind[i].wait;
		waited += kind[i].waited;
	}
	double util = ratio((double)d->busy, wall);

	return (struct summary_rates){
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

uint32_t summary_device_top(const struct summary *summary, uint32_t *top, uint32_t size,
			    uint32_t *count)
{
	uint32_t all = 0, at;

	*count = 0;
	for (uint32_t id = 0; id < summary->devices; id++) {
		if (!summary->device[id])
			continue;
		all++;
		for (at = *count;
		     at && summary->device[top[at - 1]]->busy < summary->device[id]->busy; at--)
			;
		if (at == size)
			continue;
		if (*count < size)
			++*count;
		memmove(&top[at + 1], &top[at], (*count - at - 1) * sizeof(*top));
		top[at] = id;
	}
	return all;
}

static uint32_t device_by_dev(const struct model *model, uint64_t dev)
{
	for (uint32_t id = 0; dev && id < model_devices(model); id++)
		if (model_device(model, id)->dev == dev)
			return id;
	return ID_NONE;
}

/* "/dev/sda1" is a device if one has the name "sda1". */
static uint32_t device_by_path(const struct model *model, str_id path)
{
	static const char folder[] = "/dev/";
	const char *text = model_text(model, path);

	for (uint32_t id = 0; id < model_devices(model); id++)
		if (!strncmp(text, folder, sizeof(folder) - 1) &&
		    !strcmp(text + sizeof(folder) - 1,
			    model_text(model, model_device(model, id)->name)))
			return id;
	return ID_NONE;
}

/*
 * Returns the device that holds the file, or is it; ID_NONE: none that is known. Some file systems show a number that is
 * no device's; their mount names one.
 */
static uint32_t device_of_file(const struct model *model, const struct model_file *file)
{
	uint32_t id = file->kind == FILE_DEVICE ? device_by_path(model, file->path)
						: device_by_dev(model, file->dev);

	if (id == ID_NONE && file->kind != FILE_DEVICE && file->mount < model_mounts(model))
		id = device_by_path(model, model_mount(model, file->mount)->source);
	if (id != ID_NONE && model_device(model, id)->disk < model_devices(model))
		id = model_device(model, id)->disk; /* requests are those of the whole disk */
	return id;
}

struct summary_cache *summary_device_cache(const struct summary *summary)
{
	const struct model *model = summary->options->model;
	struct summary_cache *cache = mem_array(model_devices(model) + 1, sizeof(*cache));

	for (file_id f = 0; model_devices(model) && f < summary->files; f++) {
		const struct summary_row *row = &summary->file[f];
		uint32_t id = row->read || row->written
				      ? device_of_file(model, model_file(model, f))
				      : ID_NONE;

		if (id == ID_NONE)
			continue;
		cache[id].asked_read += row->read;
		cache[id].asked_written += row->written;
	}
	for (uint32_t id = 0; id < model_devices(model); id++) {
		const struct summary_device *d = summary_device(summary, id);

		if (!d)
			continue;
		cache[id].disk_read = d->kind[REQUEST_READ].bytes;
		cache[id].disk_written = d->kind[REQUEST_WRITE].bytes +
					 d->kind[REQUEST_ZEROES].bytes;
	}
	return cache;
}

bool summary_device_is_recorded(const struct summary *summary, uint32_t device)
{
	return summary_device(summary, device) ||
	       model_device(summary->options->model, device)->has_stat;
}

double summary_cache_share(uint64_t asked, uint64_t disk)
{
	if (!asked)
		return -1;
	return disk < asked ? 1 - (double)disk / (double)asked : 0;
}
