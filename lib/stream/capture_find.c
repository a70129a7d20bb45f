/*
 * capture_find: finds the event of a record, and with it the layout.
 *
 * A record contains a kernel id of its event. The id must be at the same offset for all events (the kernel has IDENTIFIER for
 * this); other files are refused. Usually all events have one layout, so a record can be parsed before its event is known.
 */
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdlib.h>

#include "capture_private.h"

enum { DENSE_SPAN_MAX = 1 << 20 };

/* What a counter's values are like does not matter where no sample has them. */
static bool is_same_layout(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->sample_type == b->sample_type &&
	       (a->read_format == b->read_format || !(a->sample_type & PERF_SAMPLE_READ)) &&
	       a->branch_sample_type == b->branch_sample_type && a->regs_user == b->regs_user &&
	       a->regs_intr == b->regs_intr && a->sample_id_all == b->sample_id_all;
}

static bool has_same_id_offset(const struct sample_offsets *a, const struct sample_offsets *b)
{
	return a->sample.id && a->sample.id == b->sample.id && a->trailer.id == b->trailer.id;
}

static int find_offsets(struct capture_find *find, const struct capture_info *info,
			struct error *err)
{
	find->offsets = mem_array(info->events, sizeof(*find->offsets));
	find->is_uniform = true;
	for (uint32_t i = 0; i < info->events; i++) {
		sample_offsets_init(&find->offsets[i], &info->event[i].layout);
		if (!is_same_layout(&info->event[i].layout, &info->event[0].layout))
			find->is_uniform = false;
	}
	for (uint32_t i = 1; i < info->events && !find->is_uniform; i++) {
		if (!has_same_id_offset(&find->offsets[i], &find->offsets[0]))
			return error_say(
				err, ENOTSUP,
				"its samples cannot be assigned to events: events %s and %s do "
				"not have their id at the same position (use perf record "
				"--sample-identifier)",
				info->event[0].name, info->event[i].name);
	}
	return 0;
}

static void find_span(struct capture_find *find, const struct capture_info *info)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < info->events; i++) {
		for (uint32_t k = 0; k < info->event[i].ids; k++) {
			low = info->event[i].id[k] < low ? info->event[i].id[k] : low;
			high = info->event[i].id[k] > high ? info->event[i].id[k] : high;
		}
	}
	if (low > high || high - low >= DENSE_SPAN_MAX)
		return;
	find->base = low;
	find->span = high - low + 1;
	find->dense = mem_array(find->span, sizeof(*find->dense));
}

static void add_id(struct capture_find *find, uint64_t id, uint32_t event)
{
	if (find->dense)
		find->dense[id - find->base] = (uint16_t)(event + 1);
	else
		map_set(&find->map, id, event);
}

int capture_find_init(struct capture_find *find, const struct capture_info *info, struct error *err)
{
	map_init(&find->map);
	find_span(find, info);
	for (uint32_t i = 0; i < info->events; i++) {
		for (uint32_t k = 0; k < info->event[i].ids; k++)
			add_id(find, info->event[i].id[k], i);
	}
	return find_offsets(find, info, err);
}

void capture_find_release(struct capture_find *find)
{
	map_release(&find->map);
	free(find->dense);
	free(find->offsets);
	*find = (struct capture_find){0};
}

uint32_t capture_find_event(const struct capture *capture, uint64_t id)
{
	return capture_event_of(capture, id);
}

int capture_parse(const struct capture *capture, const void *record, struct sample *sample)
{
	struct perf_event_header header;
	uint32_t layout = 0;
	bool is_sample, is_of_layout;
	int rc;

	memcpy(&header, record, sizeof(header));
	is_sample = header.type == PERF_RECORD_SAMPLE;
	is_of_layout = is_sample && !capture->find.is_uniform;
	if (!capture->find.is_uniform && header.type < SAMPLE_USER_TYPES) {
		layout = capture_find_layout(capture, record, header.size, is_sample);
		if (layout == UINT32_MAX) {
			*sample = (struct sample){.type = header.type,
						  .misc = header.misc,
						  .size = header.size,
						  .record = record,
						  .event = UINT32_MAX,
						  .cpu = SAMPLE_CPU_NONE};
			return -EBADMSG;
		}
	}
	rc = sample_parse(sample, &capture->info.event[layout].layout, record);
	if (!rc && header.type < SAMPLE_USER_TYPES)
		sample->event = is_of_layout ? layout : capture_event_of(capture, sample->id);
	return rc;
}
