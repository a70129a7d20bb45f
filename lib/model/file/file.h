/* file: paths, files and mounts. */
#pragma once

#include "state/state.h"

/*
 * Returns the absolute path of `path` relative to the directory `base` (empty: unknown), or 0 if it is unknown. Removes "." and empty
 * components. The base contains no symbolic links, so ".." can be resolved in it. After any other component ".." is not resolved,
 * because that component may be a link.
 */
str_id path_resolve(struct model *m, struct event_string base, struct event_string path);
/* Returns the path with all its components, after the base if it is relative and the base is known. */
str_id path_written(struct model *m, struct event_string base, struct event_string path);
/*
 * Returns the file with this absolute path; keeps the mount of its first use. A file is regular until its status, a call, or another
 * file below it shows that it is a directory.
 */
file_id file_add(struct model *m, str_id path, enum trace_file_kind kind);
/* A call showed that the file (or ID_NONE) is a directory. */
void file_is_directory(struct model *m, file_id file);
/* The same for a file that was already deleted when it was opened: one file for each inode. */
file_id file_add_deleted(struct model *m, str_id path, enum trace_file_kind kind, uint64_t dev,
			 uint64_t ino);
/* Returns the file with this path, or ID_NONE. */
file_id file_find(const struct model *m, str_id path);
/* Sets the inode of a file. */
void file_set_inode(struct model *m, file_id file, uint64_t dev, uint64_t ino);
/* Returns the last file with this inode, or ID_NONE. */
file_id file_by_inode(const struct model *m, uint64_t dev, uint64_t ino);
void file_mount(struct model *m, const struct fact *fact);
