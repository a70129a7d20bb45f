/* engine_mount: the names of files, and the file systems of files and calls. */
#pragma once

#include "engine.h"

/* Returns the file of a handle, or ID_NONE. */
file_id engine_file(const struct span_engine *engine, handle_id id);
/* Returns 0 if the file is not known. */
str_id engine_file_name(const struct span_engine *engine, file_id file);
/* Returns the index of the mount; ID_NONE: the file has none. */
uint32_t engine_mount(const struct span_engine *engine, file_id file);
/*
 * Returns false if the span does not want the call. Sets the group of the open span, if that is the file system. The frames of `iotrace stat`
 * have no calls of other files, as if the kernel counted them.
 */
bool engine_group_call(const struct span_engine *engine, uint32_t span, bool has_failed,
		       const struct engine_frame *frame, struct open_span *open);
