/*
 * call_begin: the meaning of a call's arguments when it began. See call_begin.h.
 *
 * A call that the kernel paired is only known when it ends. Then its begin is in the past, and changes since its begin must not
 * count.
 */
#include "call_begin.h"

#include "call_trait.h"
#include "fd/fdtable.h"
#include "file/file.h"
#include "map/mapping.h"
#include "op_emit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

/* Forgets the handle if it is uncertain whether it still exists. Returns whether it did. */
static bool let_go(struct model *m, uint32_t task, uint64_t fd, uint32_t open, uint64_t time)
{
	uint32_t table = task_table(m, task);
	const struct slot *slot = table_slot(m, table, fd);

	if (!slot->doubt || slot->open != open || time < slot->doubted)
		return false;
	table_forget(m, table, fd, time);
	op_destroy(m, task, time, open);
	open_drop(m, open);
	return true;
}

/*
 * Returns the open of the descriptor at that time, held, or ID_NONE. If the descriptor is uncertain, its handle is forgotten, and
 * the call gets a handle without a name.
 */
static uint32_t use_fd(struct model *m, uint32_t task, int fd, uint64_t time)
{
	uint32_t table = task_table(m, task);
	uint32_t open = fd < 0 ? ID_NONE : table_at(m, table, (uint64_t)fd, time);

	if (open == ID_NONE || let_go(m, task, (uint64_t)fd, open, time))
		return ID_NONE;
	open_hold(m, open);
	return open;
}

/* Only a directory can have such a name. */
static bool ends_in_directory(struct event_string path)
{
	const char *slash = memrchr(path.at, '/', path.length);
	const char *last = slash ? slash + 1 : path.at;
	size_t size = path.length - (size_t)(last - path.at);

	return !size || (size == 1 && last[0] == '.') ||
	       (size == 2 && last[0] == '.' && last[1] == '.');
}

void call_path(struct model *m, struct call *call, uint32_t index, struct event_string path,
	       struct event_string base)
{
	if (!path.length)
		return;
	call->path[index] = path_resolve(m, base, path);
	call->is_relative[index] = path.at[0] != '/';
	call->is_unnamed[index] = !call->path[index];
	if (call_row(call->id)->kind == CALL_RENAME && call->is_relative[index] &&
	    memmem(path.at, path.length, "..", 2))
		call->up_from[index] = model_string(m, base.at, base.length);
	if (index)
		return;
	call->is_directory = ends_in_directory(path);
	if (!call->path[0] && !call->has_succeeded)
		call->written = path_written(m, base, path);
}

/* Another thread may get the same number before the call returns. */
static uint32_t close_fd(struct model *m, uint32_t task, const struct call *call)
{
	uint32_t table = task_table(m, task);
	uint64_t fd = (uint32_t)call_fd(call, call_row(call->id)->fd);
	uint32_t open = table_at(m, table, fd, call->enter);

	if (open != ID_NONE && !let_go(m, task, fd, open, call->enter) &&
	    table_slot(m, table, fd)->open == open)
		return table_take(m, table, fd);
	table_note_empty_close(m, table, fd);
	return ID_NONE;
}

/*
 * Whether the call acts on its descriptor although it may have a path: fstat() of the C library calls newfstatat() with an empty
 * path and AT_EMPTY_PATH, futimens() calls utimensat() without a path.
 */
static bool is_of_descriptor(const struct call *call, struct event_string path)
{
	const struct call_row *row = call_row(call->id);
	bool is_none, is_empty;

	if (row->kind != CALL_META || row->fd == CALL_NO_ARG || row->path == CALL_NO_ARG ||
	    row->flags == CALL_NO_ARG)
		return false;
	is_none = !call->arg[row->path] && !path.length;
	is_empty = is_none || (path.at && !path.length);
	return (is_empty && call->arg[row->flags] & AT_EMPTY_PATH) ||
	       (is_none && row->traits & CALL_PATH_IS_OPTIONAL);
}

void call_begin(struct model *m, uint32_t task, struct call *call,
		const struct event_string path[EVENT_PATHS],
		const struct event_string base[EVENT_PATHS])
{
	uint32_t process = m->task[task].process;
	const struct call_row *row = call_row(call->id);

	call->open = call->open2 = ID_NONE;
	for (uint32_t i = 0; i < EVENT_PATHS; i++)
		if (path[i].at)
			call_path(m, call, i, path[i], base[i]);
	if (row->kind == CALL_CLOSE)
		call->open = close_fd(m, task, call);
	else if (call_has_descriptor(call) || is_of_descriptor(call, path[0]))
		call->open = use_fd(m, task, call_fd(call, row->fd), call->enter);
	if (row->kind == CALL_UNMAP || row->kind == CALL_SYNC_MAP) {
		call->open = mapping_find(m, process, call->arg[0], call->arg[row->size],
					  call->enter);
		open_hold(m, call->open);
	}
	if (row->kind == CALL_COPY)
		call->open2 = use_fd(m, task, call_fd(call, row->fd2), call->enter);
}
