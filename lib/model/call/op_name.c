/* op_name: calls that change file names, and directories that paths start at. */
#include "op_end.h"

#include "fd/fs.h"
#include "file/file.h"
#include "file/name_filter.h"
#include "op_emit.h"

#include <fcntl.h>
#include <stdio.h> /* for RENAME_EXCHANGE */
#include <string.h>
#include <sys/stat.h>

/* O_TMPFILE contains O_DIRECTORY: its path is also that of a directory. */
static bool names_directory(const struct op *op)
{
	uint64_t flags = op->row->flags == CALL_NO_ARG ? 0 : op->call.arg[op->row->flags];

	switch (op->row->kind) {
	case CALL_CHDIR:
	case CALL_CHROOT:
		return true;
	case CALL_OPEN:
		return flags & O_DIRECTORY || (op->file && S_ISDIR(op->file->mode));
	case CALL_DELETE:
		return flags & AT_REMOVEDIR || op->row->traits & CALL_REMOVES_DIRECTORY;
	default:
		return op->row->traits & CALL_MAKES_DIRECTORY;
	}
}

enum trace_file_kind op_file_kind(const struct op *op)
{
	return op->call.is_directory || names_directory(op) ? FILE_DIRECTORY : FILE_REGULAR;
}

/* Whether a directory of this path has the same name as the last component of the other one. */
static bool has_directory_called(const struct model *m, str_id path, str_id other)
{
	const char *name = strrchr(strtab_text(m->trace.strings, other), '/');
	size_t length = name ? strlen(name) : 0;
	const char *at = strtab_text(m->trace.strings, path);

	while (length > 1 && (at = strstr(at, name)) != NULL) {
		at += length;
		if (*at == '/' || !*at)
			return true;
	}
	return false;
}

/* Whether the rename may have moved the directory where its own path begins. A later look-up of that directory has the new name. */
static bool has_moved_itself(const struct op *op, uint32_t index)
{
	const struct call *call = &op->call;
	bool has_flags = op->row->flags != CALL_NO_ARG;
	bool is_exchange = has_flags && call->arg[op->row->flags] & RENAME_EXCHANGE;

	if (!call->up_from[index])
		return false;
	return !call->path[0] || !call->path[1] ||
	       has_directory_called(op->m, call->up_from[index], call->path[1]) ||
	       (is_exchange && has_directory_called(op->m, call->up_from[index], call->path[0]));
}

void op_forget_renamed(struct op *op)
{
	struct call *call = &op->call;
	bool has_moved[EVENT_PATHS];

	for (uint32_t i = 0; i < EVENT_PATHS; i++)
		has_moved[i] = has_moved_itself(op, i);
	for (uint32_t i = 0; i < EVENT_PATHS; i++) {
		if (!has_moved[i])
			continue;
		call->is_unnamed[i] |= call->path[i] != 0;
		call->path[i] = 0;
	}
}

static void delete_file(struct op *op, file_id file)
{
	struct io_event event = {.kind = IO_DELETE_FILE, .time = op->time};

	event.delete_file.file = file;
	op->m->trace.file[file].is_gone = true;
	op_emit(op, &event, ID_NONE);
}

void end_delete(struct op *op)
{
	if (!op->error && !op->is_cancelled && op->call.path[0])
		delete_file(op, file_add(op->m, op->call.path[0], op_file_kind(op)));
}

static file_id known_file(const struct op *op, int index)
{
	str_id path = op->call.path[index];

	return path && !name_is_stand_in(op->m, path) ? file_find(op->m, path) : ID_NONE;
}

/*
 * Whether a file with the new name existed before is known only if the stream has shown it. The old name no longer exists, except
 * with RENAME_EXCHANGE.
 */
void end_rename(struct op *op)
{
	bool has_flags = op->row->flags != CALL_NO_ARG;
	file_id source = known_file(op, 0), target = known_file(op, 1);

	if (op->error || op->is_cancelled ||
	    (has_flags && op->call.arg[op->row->flags] & RENAME_EXCHANGE))
		return;
	if (target != ID_NONE && !op->m->trace.file[target].is_gone)
		delete_file(op, target);
	if (source != ID_NONE)
		op->m->trace.file[source].is_gone = true;
	if (target != ID_NONE)
		op->m->trace.file[target].is_gone = false;
}

void end_chdir(struct op *op)
{
	if (!op->error && !op->is_cancelled && op->call.open != ID_NONE)
		file_is_directory(op->m, open_description(op->m, op->call.open)->file);
}

/* The second file in the record is the new root. Threads of one process may have separate roots. */
void end_chroot(struct op *op)
{
	const struct event_file *root = op->file ? &op->file[1] : NULL;
	bool is_of_leader = op->m->task[op->task].tid == op->m->process[op->process].pid;
	struct fs_root is = {.path.at = NULL};

	if (op->error || op->is_cancelled)
		return;
	if (op->row->traits & CALL_MOVES_ROOTS) /* it also moves the roots of other processes */
		fs_forget_same_root(op->m, op->process);
	if (root && root->name.at && is_of_leader)
		is = (struct fs_root){root->name, root->position};
	fs_set_root(op->m, op->process, &is);
}
