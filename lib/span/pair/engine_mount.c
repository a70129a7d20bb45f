/* engine_mount: see engine_mount.h. */
#include "engine_mount.h"

#include <iotrace/call_class.h>
#include <string.h>

file_id engine_file(const struct span_engine *engine, handle_id id)
{
	return id < trace_handles(engine->trace) ? trace_handle(engine->trace, id)->file : ID_NONE;
}

str_id engine_file_name(const struct span_engine *engine, file_id file)
{
	return file < trace_files(engine->trace) ? trace_file(engine->trace, file)->path : 0;
}

uint32_t engine_mount(const struct span_engine *engine, file_id file)
{
	return file < trace_files(engine->trace) ? trace_file(engine->trace, file)->mount : ID_NONE;
}

/* Whether it is a file of a file system, and not a pipe, a terminal or another device. */
static bool is_of_file_system(const struct span_engine *engine, const struct engine_frame *frame)
{
	enum trace_file_kind kind;

	if (frame->file >= trace_files(engine->trace))
		return frame->is_nameless;
	kind = trace_file(engine->trace, frame->file)->kind;
	return kind == FILE_REGULAR || kind == FILE_DIRECTORY;
}

/* The number of a region is that of its call, except in archives. */
static const struct call_row *row_of(const struct span_engine *engine, region_id id)
{
	const struct trace_region *region = trace_region(engine->trace, id);
	const char *name = trace_text(engine->trace, region->name);
	const struct call_row *row = region->source == REGION_CALL ? call_row((call_id)id) : NULL;

	if (region->source != REGION_CALL || (row && !strcmp(row->name, name)))
		return row;
	return call_row(call_by_name(name, strlen(name)));
}

/*
 * The programs that count calls by file system in the kernel have the same rules: bpf/span/owner.h. Returns false if the call is of no
 * file system.
 */
static bool find_mount(const struct span_engine *engine, const struct engine_frame *frame,
		       bool has_failed, uint64_t *mount)
{
	const struct call_row *row = row_of(engine, frame->region);
	uint8_t fd = row ? call_class_fd(row) : CALL_FD_NONE;
	bool is_of_file = is_of_file_system(engine, frame);

	if (!row || call_class_of(row) == CALL_CLASS_NONE)
		return false;
	*mount = GROUP_BY_PATH;
	if (fd == CALL_FD_NONE || (fd == CALL_FD_RESULT && (has_failed || !is_of_file)))
		return true;
	*mount = engine_mount(engine, frame->file);
	return is_of_file;
}

bool engine_group_call(const struct span_engine *engine, uint32_t span, bool has_failed,
		       const struct engine_frame *frame, struct open_span *open)
{
	const struct trace_region *region = trace_region(engine->trace, frame->region);

	if (engine->call_groups && !(engine->call_groups >> region->group & 1))
		return false;
	if (engine->span[span].by != SPAN_BY_FS ||
	    find_mount(engine, frame, has_failed, &open->group))
		return true;
	open->group = GROUP_NO_FILE_SYSTEM;
	return !engine->output.moved;
}
