/* capture_build: writes feature sections. It is the inverse of capture_feature.c and capture_tracing.c. */
#include "capture_build.h"

#include "capture_private.h"

#include <iotrace/mem.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PAGE_SIZE = 4096 };

void build_release(struct build *build)
{
	free(build->bytes);
	*build = (struct build){0};
}

void build_put(struct build *build, const void *bytes, size_t size)
{
	if (size > build->capacity - build->size) {
		build->capacity = 2 * (build->size + size);
		build->bytes = mem_resize(build->bytes, build->capacity);
	}
	if (size)
		memcpy(build->bytes + build->size, bytes, size);
	build->size += size;
}

void build_u32(struct build *build, uint32_t value)
{
	build_put(build, &value, sizeof(value));
}

void build_u64(struct build *build, uint64_t value)
{
	build_put(build, &value, sizeof(value));
}

void build_zeros(struct build *build, size_t size)
{
	for (; size; size--)
		build_put(build, "", 1);
}

static void build_string(struct build *build, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + CAPTURE_STRING_ALIGN - 1) / CAPTURE_STRING_ALIGN *
			CAPTURE_STRING_ALIGN;

	build_u32(build, (uint32_t)padded);
	build_put(build, text, length);
	build_zeros(build, padded - length);
}

/* Writes a file of tracefs, with its size as u64. */
static void build_file(struct build *build, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	build_u64(build, length);
	build_put(build, text, length);
}

/*
 * Perf refuses a file without the description of an ftrace page, although it does not need it for these records. If tracefs does
 * not provide it, it is built from the sizes.
 */
static void build_header_page(struct build *build, const struct capture_info *info,
			      uint32_t page_size)
{
	char *text;

	if (info->header_page) {
		build_file(build, info->header_page);
		return;
	}
	text = mem_format("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			  "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
			  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			  "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
			  sizeof(long), 8 + sizeof(long), page_size - 8 - sizeof(long));
	build_file(build, text);
	free(text);
}

static bool is_first_of_system(const struct capture_info *info, uint32_t format)
{
	for (uint32_t i = 0; i < format; i++) {
		if (strcmp(info->format[i].system, info->format[format].system) == 0)
			return false;
	}
	return true;
}

static void build_system(struct build *build, const struct capture_info *info, const char *system)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < info->formats; i++)
		count += strcmp(info->format[i].system, system) == 0;
	build_put(build, system, strlen(system) + 1);
	build_u32(build, count);
	for (uint32_t i = 0; i < info->formats; i++) {
		if (strcmp(info->format[i].system, system) == 0)
			build_file(build, info->format[i].text);
	}
}

static void build_systems(struct build *build, const struct capture_info *info)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < info->formats; i++)
		count += is_first_of_system(info, i);
	build_u32(build, count);
	for (uint32_t i = 0; i < info->formats; i++) {
		if (is_first_of_system(info, i))
			build_system(build, info, info->format[i].system);
	}
}

static void build_tracing(struct build *build, const struct capture_info *info)
{
	const uint16_t one = 1;
	uint32_t page_size = info->page_size ? info->page_size : DEFAULT_PAGE_SIZE;
	uint8_t sizes[2] = {!*(const uint8_t *)&one, sizeof(long)};

	build_put(build, CAPTURE_TRACING_MAGIC, CAPTURE_TRACING_MAGIC_SIZE);
	build_put(build, "0.5", sizeof("0.5"));
	build_put(build, sizes, sizeof(sizes));
	build_u32(build, page_size);
	build_put(build, "header_page", sizeof("header_page"));
	build_header_page(build, info, page_size);
	build_put(build, "header_event", sizeof("header_event"));
	build_file(build, info->header_event);
	build_u32(build, 0); /* No events of ftrace itself, */
	build_systems(build, info);
	build_u32(build, 0); /* no kernel symbols, */
	build_u32(build, 0); /* no printk formats. */
}

static void build_cmdline(struct build *build, const struct capture_info *info)
{
	build_u32(build, 1);
	build_string(build, info->cmdline);
}

static void build_cpus(struct build *build, const struct capture_info *info)
{
	build_u32(build, info->cpus);
	build_u32(build, info->cpus);
}

static void build_events(struct build *build, const struct capture_info *info)
{
	build_u32(build, info->events);
	build_u32(build, sizeof(struct perf_event_attr));
	for (uint32_t i = 0; i < info->events; i++) {
		const struct capture_event *event = &info->event[i];

		build_put(build, &event->attr, sizeof(event->attr));
		build_u32(build, event->ids);
		build_string(build, event->name);
		build_put(build, event->id, event->ids * sizeof(*event->id));
	}
}

uint64_t build_feature_flags(const struct capture_info *info)
{
	return (info->formats ? UINT64_C(1) << CAPTURE_TRACING_DATA : 0) |
	       (info->hostname ? UINT64_C(1) << CAPTURE_HOSTNAME : 0) |
	       (info->release ? UINT64_C(1) << CAPTURE_OSRELEASE : 0) |
	       (info->version ? UINT64_C(1) << CAPTURE_VERSION : 0) |
	       (info->machine ? UINT64_C(1) << CAPTURE_ARCH : 0) |
	       (info->cpus ? UINT64_C(1) << CAPTURE_NRCPUS : 0) |
	       (info->cmdline ? UINT64_C(1) << CAPTURE_CMDLINE : 0) |
	       (info->events ? UINT64_C(1) << CAPTURE_EVENT_DESC : 0);
}

static void build_feature(struct build *build, const struct capture_info *info, uint32_t id)
{
	switch (id) {
	case CAPTURE_TRACING_DATA:
		build_tracing(build, info);
		break;
	case CAPTURE_NRCPUS:
		build_cpus(build, info);
		break;
	case CAPTURE_CMDLINE:
		build_cmdline(build, info);
		break;
	case CAPTURE_EVENT_DESC:
		build_events(build, info);
		break;
	default:
		build_string(build, *capture_text((struct capture_info *)(uintptr_t)info, id));
		break;
	}
}

void build_features(struct build *build, const struct capture_info *info,
		    struct capture_section *table)
{
	uint64_t flags = build_feature_flags(info);

	for (uint32_t id = 0; id < CAPTURE_FEATURES; id++) {
		if (!(flags >> id & 1))
			continue;
		table->offset = build->size;
		build_feature(build, info, id);
		table->size = build->size - table->offset;
		table++;
		build_zeros(build, -build->size % 8);
	}
}
