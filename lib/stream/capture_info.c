/*
 * capture_info: the description of a stream.
 *
 * It is filled when a capture is opened or a recording begins; after that it is only read.
 */
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_format.h"
#include "capture_private.h"

void capture_info_init(struct capture_info *info)
{
	*info = (struct capture_info){0};
}

void capture_info_release(struct capture_info *info)
{
	for (uint32_t i = 0; i < info->events; i++) {
		free(info->event[i].name);
		free(info->event[i].id);
	}
	for (uint32_t i = 0; i < info->formats; i++) {
		free(info->format[i].system);
		free(info->format[i].text);
	}
	free(info->event);
	free(info->format);
	free(info->hostname);
	free(info->release);
	free(info->machine);
	free(info->version);
	free(info->cmdline);
	free(info->header_page);
	free(info->header_event);
	capture_info_init(info);
}

struct capture_event *capture_info_add_event(struct capture_info *info,
					     const struct perf_event_attr *attr, const char *name,
					     const uint64_t *id, uint32_t ids, struct error *err)
{
	struct sample_layout layout;
	struct capture_event *event;

	if (info->events == CAPTURE_EVENTS_MAX) {
		error_say(err, E2BIG, "more than %d events in one stream", CAPTURE_EVENTS_MAX);
		return NULL;
	}
	if (sample_layout_init(&layout, attr, err)) {
		error_wrap(err, "event %s", *name ? name : "without a name");
		return NULL;
	}
	MEM_GROW(info->event, info->events_cap, info->events + 1);
	event = &info->event[info->events++];
	*event = (struct capture_event){
		.attr = *attr,
		.layout = layout,
		.name = mem_strdup(name),
		.id = mem_dup(id, ids * sizeof(*id)),
		.ids = ids,
	};
	return event;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* Returns the number in the line "ID: 443" of a format file, or UINT64_MAX. */
static uint64_t format_id(const char *text)
{
	const char *line = strstr(text, "\nID: ");
	unsigned long long id;

	return line && sscanf(line, "\nID: %llu", &id) == 1 ? id : UINT64_MAX;
}

void capture_info_add_format(struct capture_info *info, const char *system, const char *text)
{
	uint64_t hash = hash_text(text);

	for (uint32_t i = 0; i < info->formats; i++) {
		const struct capture_format *f = &info->format[i];

		if (f->hash == hash && strcmp(f->text, text) == 0 && strcmp(f->system, system) == 0)
			return;
	}
	MEM_GROW(info->format, info->formats_cap, info->formats + 1);
	info->format[info->formats++] = (struct capture_format){
		.system = mem_strdup(system),
		.text = mem_strdup(text),
		.hash = hash,
		.id = format_id(text),
	};
}

static char *format_event_name(const struct capture_format *format)
{
	static const char key[] = "name: ";
	size_t skip = sizeof(key) - 1;

	if (strncmp(format->text, key, skip) != 0)
		return NULL;
	return mem_format("%s:%.*s", format->system, (int)strcspn(format->text + skip, "\n"),
			  format->text + skip);
}

static void name_event(const struct capture_info *info, struct capture_event *event)
{
	for (uint32_t i = 0; i < info->formats; i++) {
		char *name;

		if (info->format[i].id != event->attr.config)
			continue;
		name = format_event_name(&info->format[i]);
		if (!name)
			continue;
		free(event->name);
		event->name = name;
		return;
	}
}

void capture_info_name_events(struct capture_info *info)
{
	for (uint32_t i = 0; i < info->events; i++) {
		struct capture_event *event = &info->event[i];

		if (!*event->name && event->attr.type == PERF_TYPE_TRACEPOINT)
			name_event(info, event);
	}
}
