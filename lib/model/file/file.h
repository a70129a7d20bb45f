/*
 * file: paths, files and mounts.
 */
#pragma once

#include "state/state.h"

/*
 * Returns the absolute path of `path` seen from the directory `base` (empty: not known), or 0 if it cannot be told.
 * "." and empty components go. The base has no symbolic links, so ".." may lead up from it; behind any other
 * component it is refused, since that may be a link.
 */
str_id path_resolve(struct model *m, struct event_string base, struct event_string path);
/* Returns the path with all its components, behind the base if it is relative and the base is known. */
str_id path_written(struct model *m, struct event_string base, struct event_string path);
/*
 * Returns the file of this absolute path; the mount stays that of its first sight if it is known. A file is regular
 * until something says that it is a directory: its status, a call, or another file below it.
 */
file_id file_add(struct model *m, str_id path, enum trace_file_kind kind);
/* A call showed that the file (or ID_NONE) is a directory. */
void file_is_directory(struct model *m, file_id file);
/* The same for one that had no name any more when it was opened: a file of its own for each inode. */
file_id file_add_deleted(struct model *m, str_id path, enum trace_file_kind kind, uint64_t dev,
			 uint64_t ino);
/* Returns it or ID_NONE. */
file_id file_find(const struct model *m, str_id path);
/* The file has this inode now. */
void file_set_inode(struct model *m, file_id file, uint64_t dev, uint64_t ino);
/* Returns the file that was last seen to have the inode, or ID_NONE. */
file_id file_by_inode(const struct model *m, uint64_t dev, uint64_t ino);
void file_mount(struct model *m, const struct fact *fact);
