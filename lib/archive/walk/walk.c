#include "walk.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const walk_kind_name[KINDS] = {
#define KIND(id, name, ...) [KIND_##id] = name,
#include "file/record.def"
};

__attribute__((format(printf, 3, 0))) static void add(struct walk *walk, bool is_deviation,
						      const char *format, va_list arguments)
{
	struct archive_report *report = walk->report;

	if (report->findings < ARCHIVE_FINDINGS) {
		vsnprintf(report->finding[report->findings], ARCHIVE_FINDING_SIZE, format,
			  arguments);
		report->is_deviation[report->findings] = is_deviation;
		report->location[report->findings] = walk->looked_at ? walk->looked_at - 1
								     : ID_NONE;
	}
	report->findings++;
	report->deviations += is_deviation;
}

void walk_found(struct walk *walk, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(walk, false, format, arguments);
	va_end(arguments);
}

void walk_deviates(struct walk *walk, const char *format, ...)
{
	va_list arguments;

	if (!walk->is_of_iotrace || !walk->is_verified)
		return;
	va_start(arguments, format);
	add(walk, true, format, arguments);
	va_end(arguments);
}

uint64_t walk_pair(uint64_t first, uint64_t second)
{
	const uint64_t both[2] = {first, second};

	return hash_bytes(hash_key_of_process(), both, sizeof(both));
}

struct file walk_file(const struct walk *walk, const char *name, enum content content)
{
	const struct anchor *anchor = &walk->anchor;
	struct file file = {.dir = walk->dir,
			    .content = content,
			    .chunk = content == CONTENT_EVENTS ? anchor->event_chunk
							       : anchor->definition_chunk};

	snprintf(file.name, sizeof(file.name), "%s", name);
	return file;
}

bool walk_check(struct walk *walk, struct file *file, uint64_t *records)
{
	uint64_t count = 0;

	if (file_begin(file))
		while (file_next(file))
			count++;
	if (records)
		*records = count;
	if (*file->taking.wrong)
		walk_found(walk, "%s: %s", file->name, file->taking.wrong);
	return !*file->taking.wrong;
}

static void define(struct walk *walk, const struct record *record)
{
	uint8_t kind = record->value[0].kind;
	uint64_t self = record->value[0].is;
	struct defined *defined = &walk->defined[kind];
	uint32_t id = defined->count;

	if (walk_id(walk, kind, self) != NONE) {
		if (walk->is_verified)
			walk_found(walk, "%s %" PRIu64 " is defined twice", walk_kind_name[kind],
				   self);
		return;
	}
	if (self != id)
		walk_deviates(walk, "%s %" PRIu64 " is defined where %" PRIu32 " should be",
			      walk_kind_name[kind], self, id);
	if (self == id && defined->dense == id)
		defined->dense++;
	else
		map_set(&defined->id_of, self, id);
	defined->count++;
	if (kind != KIND_LOCATION)
		return;
	MEM_GROW(walk->location, walk->location_capacity, id + 1);
	walk->location[id].ref = self;
	walk->locations++;
}

static int define_all(struct walk *walk, struct error *err)
{
	struct file file = walk_file(walk, "traces.def", CONTENT_DEFINITIONS);
	int code = 0;

	if (file_begin(&file))
		for (; file_next(&file); walk->definitions++)
			if (record_defines(file.record.row))
				define(walk, &file.record);
	if (*file.taking.wrong)
		code = error_say(err, EBADMSG, "the definitions in %s are damaged: %s: %s",
				 walk->dir, file.name, file.taking.wrong);
	file_release(&file);
	return code;
}

int walk_open(struct walk *walk, struct error *err)
{
	char *path = mem_format("%s/traces.otf2", walk->dir);
	struct stat status;
	const char *wrong;
	int code = 0;

	if (stat(path, &status) != 0)
		code = error_set(err, errno, "cannot open the archive %s", path);
	free(path);
	if (code)
		return code;
	wrong = anchor_read(&walk->anchor, walk->dir);
	if (wrong)
		return error_say(err, EBADMSG,
				 "%s/traces.otf2 is not the anchor of an OTF2 archive: it %s",
				 walk->dir, wrong);
	walk->is_of_iotrace = !strncmp(walk->anchor.creator, "iotrace ", 8);
	walk->report->is_of_others = !walk->is_of_iotrace;
	return define_all(walk, err);
}

void walk_definitions(struct walk *walk,
		      void (*on)(void *context, const struct record *definition, uint32_t id),
		      void *context)
{
	struct file file = walk_file(walk, "traces.def", CONTENT_DEFINITIONS);

	if (file_begin(&file))
		while (file_next(&file))
			if (file.record.row)
				on(context, &file.record,
				   record_defines(file.record.row)
					   ? walk_id_of(walk, file.record.value)
					   : NONE);
	if (*file.taking.wrong)
		walk_found(walk, "%s: %s", file.name, file.taking.wrong);
	file_release(&file);
}

void walk_markers(struct walk *walk, void (*on)(void *context, const struct record *marker),
		  void *context)
{
	struct file file = walk_file(walk, "traces.marker", CONTENT_MARKERS);
	char *path = mem_format("%s/traces.marker", walk->dir);
	bool is_there = access(path, F_OK) == 0;

	free(path);
	if (is_there && walk_check(walk, &file, NULL) && file_begin(&file))
		while (file_next(&file))
			if (file.record.row)
				on(context, &file.record);
	file_release(&file);
}

void walk_release(struct walk *walk)
{
	free(walk->location);
	free(walk->operation);
	free(walk->free_operation);
	map_release(&walk->operation_of);
	for (int kind = 0; kind < KINDS; kind++)
		map_release(&walk->defined[kind].id_of);
	anchor_release(&walk->anchor);
}
