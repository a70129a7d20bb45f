#include "device.h"

#include "file/file.h"
#include "task/location.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Columns of /sys/block/DEV/stat. */
enum {
	STAT_READS = 0,
	STAT_WRITES = 4,
	STAT_DISCARDS = 11,
	STAT_FLUSHES = 15,
	STAT_NONE = DEVICE_STATS,
	/* from the number of requests of a kind: */
	STAT_MERGES = 1,
	STAT_SECTORS = 2,
};

static str_id number_name(struct model *m, uint32_t dev)
{
	char name[32];
	int length = snprintf(name, sizeof(name), "%u:%u", major(dev), minor(dev));

	return model_string(m, name, (size_t)length);
}

uint32_t device_get(struct model *m, uint32_t dev)
{
	uint32_t id = map_get(&m->device_by_number, dev);

	if (id != MAP_NONE || !dev || m->trace.devices == DEVICES_MAX)
		return id;
	id = m->trace.devices;
	MEM_GROW(m->trace.device, m->trace.devices_cap, id + 1);
	MEM_GROW(m->block.work, m->block.work_cap, id + 1);
	m->trace.device[id] = (struct trace_device){.dev = dev,
						    .name = number_name(m, dev),
						    .disk = ID_NONE,
						    .group = ID_NONE,
						    .location = ID_NONE,
						    .samples = ID_NONE,
						    .handle = ID_NONE};
	map_set(&m->device_by_number, dev, id);
	m->trace.devices++;
	return id;
}

static thread_id add_location(struct model *m, enum trace_location kind, process_id group)
{
	return location_add(m, &(struct trace_thread){.kind = kind,
						      .process = group,
						      .name = m->trace.process[group].name});
}

static process_id device_group(struct model *m, uint32_t device)
{
	struct trace_device *d = &m->trace.device[device];

	if (d->group == ID_NONE)
		d->group = group_add(m, &(struct trace_process){.kind = TRACE_DEVICE,
								.device = device,
								.parent = ID_NONE,
								.name = d->name,
								.status = -1});
	return d->group;
}

/* A device without a fact gets the path that it has on every system. */
static file_id device_file(struct model *m, const struct trace_device *d)
{
	const char *name = strtab_text(m->trace.strings, d->name);
	char *path = mem_format("%s/%s", d->is_known ? "/dev" : "/dev/block", name);
	/* sysfs replaces slashes in names by exclamation marks. */
	for (char *at = path; (at = strchr(at, '!'));)
		*at = '/';
	file_id file = file_add(m, model_string(m, path, strlen(path)), FILE_DEVICE);

	free(path);
	return file;
}

static handle_id device_handle(struct model *m, uint32_t device)
{
	file_id file = device_file(m, &m->trace.device[device]);

	COLD_GROW(&m->trace.handle_area, m->trace.handle, m->trace.handles_cap,
		  m->trace.handles + 1);
	m->trace.handle[m->trace.handles] =
		(struct trace_handle){.process = m->trace.device[device].group,
				      .file = file,
				      .name = m->trace.file[file].path,
				      .is_pre_created = true,
				      .is_block = true,
				      .pre_flags = O_RDWR};
	return m->trace.handles++;
}

thread_id device_location(struct model *m, uint32_t device)
{
	if (m->trace.device[device].location == ID_NONE) {
		process_id group = device_group(m, device);
		thread_id location = add_location(m, LOCATION_DEVICE, group);

		m->trace.device[device].location = location;
		m->trace.device[device].handle = device_handle(m, device);
	}
	return m->trace.device[device].location;
}

thread_id device_samples(struct model *m, uint32_t device)
{
	if (m->trace.device[device].samples == ID_NONE) {
		process_id group = device_group(m, device);

		m->trace.device[device].samples = add_location(m, LOCATION_METRIC, group);
	}
	return m->trace.device[device].samples;
}

thread_id machine_samples(struct model *m)
{
	if (m->block.sampling.machine == ID_NONE) {
		str_id name = m->trace.host.hostname ? m->trace.host.hostname
						     : model_string(m, "machine", 7);
		process_id group = group_add(m, &(struct trace_process){.kind = TRACE_MACHINE,
									.device = ID_NONE,
									.parent = ID_NONE,
									.name = name,
									.status = -1});

		m->block.sampling.machine = add_location(m, LOCATION_METRIC, group);
	}
	return m->block.sampling.machine;
}

static str_id text_of(struct model *m, const struct event *event, uint32_t field)
{
	const struct fact_string *s = &event->fact.string[field];

	return model_string(m, s->at, s->length);
}

void device_fact(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t disk = n[FACT_DEVICE_disk_dev] ? device_get(m, (uint32_t)n[FACT_DEVICE_disk_dev])
						: ID_NONE;
	uint32_t id = device_get(m, (uint32_t)n[FACT_DEVICE_dev]);
	str_id name = text_of(m, event, FACT_DEVICE_name);

	if (id == ID_NONE)
		return;
	struct trace_device *d = &m->trace.device[id];

	d->is_known = name != 0;
	d->name = name ? name : d->name;
	d->model = text_of(m, event, FACT_DEVICE_model);
	d->scheduler = text_of(m, event, FACT_DEVICE_scheduler);
	d->under = text_of(m, event, FACT_DEVICE_under);
	d->backing = text_of(m, event, FACT_DEVICE_backing);
	d->sectors = n[FACT_DEVICE_sectors];
	d->is_rotational = n[FACT_DEVICE_is_rotational] != 0;
	d->disk = disk;
}

/*
 * Phase 0 is the begin. The last of the other phases is the end, also if the recording was cut short. The difference counts what
 * happened between the two.
 */
void device_stat(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t id = device_get(m, (uint32_t)n[FACT_DISKSTAT_dev]);

	if (id == ID_NONE)
		return;
	struct trace_device *d = &m->trace.device[id];

	memcpy(d->stat[n[FACT_DISKSTAT_phase] != 0], n + FACT_DISKSTAT_reads, sizeof(d->stat[0]));
	if (n[FACT_DISKSTAT_phase] == 0) {
		m->block.work[id].has_first_stat = true;
		memset(d->seen, 0, sizeof(d->seen));
	} else
		d->has_stat = m->block.work[id].has_first_stat;
	if (n[FACT_DISKSTAT_phase] == 1) {
		m->block.work[id].has_last_stat = true;
		m->block.work[id].last_stat_at = event->time;
	}
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n == length && !memcmp(words, word, n))
			return true;
		words += n + strspn(words + n, " ");
	}
	return false;
}

/* Learns only what no fact has said. A partition never gets a bio of its own: the kernel first moves it to the disk. */
void device_over(struct model *m, uint32_t upper, uint32_t lower)
{
	struct trace_device *d = &m->trace.device[upper];

	if (d->is_known || upper == lower)
		return;
	if (!m->block.work[upper].has_bios) {
		d->disk = lower;
		return;
	}
	const char *under = strtab_text(m->trace.strings, d->under);
	const char *name = strtab_text(m->trace.strings, m->trace.device[lower].name);

	if (has_word(under, name))
		return;
	char *both = mem_format("%s%s%s", under, *under ? " " : "", name);

	d->under = model_string(m, both, strlen(both));
	free(both);
}

static uint32_t stat_of(enum request_kind type)
{
	static const uint32_t stat[REQUEST_KINDS] = {
		[REQUEST_READ] = STAT_READS,    [REQUEST_WRITE] = STAT_WRITES,
		[REQUEST_FLUSH] = STAT_FLUSHES, [REQUEST_DISCARD] = STAT_DISCARDS,
		[REQUEST_ZEROES] = STAT_WRITES, [REQUEST_OTHER] = STAT_NONE,
	};

	return stat[type];
}

void device_count(struct model *m, uint32_t device, enum request_kind type, uint32_t sectors,
		  bool is_whole)
{
	uint32_t stat = stat_of(type);

	if (stat == STAT_NONE || m->block.work[device].has_last_stat)
		return;
	m->trace.device[device].seen[stat] += is_whole;
	if (stat != STAT_FLUSHES)
		m->trace.device[device].seen[stat + STAT_SECTORS] += sectors;
}

void device_count_merge(struct model *m, uint32_t device, enum request_kind type)
{
	uint32_t stat = stat_of(type);

	if (stat != STAT_NONE && stat != STAT_FLUSHES && !m->block.work[device].has_last_stat)
		m->trace.device[device].seen[stat + STAT_MERGES]++;
}

uint64_t device_uncounted(const struct model *m, uint32_t device)
{
	static const uint32_t stat[] = {STAT_READS, STAT_WRITES, STAT_DISCARDS, STAT_FLUSHES};
	const struct trace_device *d = &m->trace.device[device];
	uint64_t more = 0;

	for (uint32_t i = 0; d->has_stat && i < sizeof(stat) / sizeof(stat[0]); i++) {
		uint64_t ended = d->stat[1][stat[i]] - d->stat[0][stat[i]];

		more += ended > d->seen[stat[i]] ? ended - d->seen[stat[i]] : 0;
	}
	return more;
}

void device_release(struct model *m)
{
	for (uint32_t i = 0; i < m->block.work_cap; i++)
		free(m->block.work[i].pending);
	free(m->block.work);
	free(m->block.op);
	free(m->block.ops.free_id);
	free(m->block.origin);
	cold_area_release(&m->area[AREA_WRITERS], m->block.writer);
	map_release(&m->block.op_by_key);
	map_release(&m->block.op_by_sector);
	map_release(&m->block.origin_by_sector);
}
