/*
 * place: where an output file or directory is created.
 *
 * An output grows in a hidden work directory beside its target, which only its user can enter, and gets its final name when it
 * is complete. Directories are opened once, and names are used only below these descriptors, so somebody who swaps names cannot
 * lead iotrace elsewhere. A target is never replaced, and iotrace removes only what it created.
 *
 *	DIR/.NAME.iotrace/       the work directory of DIR/NAME; only one recorder can create it
 *	DIR/.NAME.iotrace/owner  locked while its recorder runs; contains its host and process id
 *
 * A killed recorder leaves only this directory. Later recorders use .NAME.iotrace-2 and so on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct place;
struct stat;

/* The names in a work directory. */
#define PLACE_SPOOL   "spool" /* a recording, until it is converted */
#define PLACE_ARCHIVE "archive"
#define PLACE_TEXT    "text" /* any single file */

/*
 * Returns the place for `path`, which must not exist and which no other iotrace may be creating; NULL with a message. `what` is
 * the option for messages: "-o".
 */
struct place *place_open(const char *what, const char *path, struct error *err);
/* Returns the descriptor of the work directory. Lent. */
int place_dir(const struct place *place);
/* Returns the path of the target, or of the work directory, for messages only. Lent. */
const char *place_target(const struct place *place);
const char *place_work(const struct place *place);
/* Returns the directory that the target will be in. Lent. */
const char *place_directory(const struct place *place);
/* A place on its way to another process of the same user: descriptors and names. */
struct place_parts {
	int parent, work, owner;
	const char *path;      /* of the target */
	const char *work_name; /* in its directory */
};

/* Returns what another process needs to continue with the place. Lent until the place is freed. */
struct place_parts place_show(const struct place *place);
/*
 * Frees a place with which another process continues, without removing anything. After a fork, its descriptors may already be
 * closed.
 */
void place_forget(struct place *place);
void place_forget_closed(struct place *place);
/* Returns the place, which takes over the descriptors; NULL with a message, and the caller still owns them. */
struct place *place_take(const struct place_parts *parts, struct error *err);
/* Returns how many bytes were free on its file system when the place was opened; 0: unknown. */
uint64_t place_free_before(const struct place *place);
/* Returns whether the path names the same target, which does not exist yet. */
bool place_is_same(const struct place *place, const char *path);
/* Return a descriptor of a new file in the work directory, or of an existing one for reading; or -errno. */
int place_create(const struct place *place, const char *name);
int place_read(const struct place *place, const char *name);
/*
 * Moves `name` from the work directory to the target, with the permissions `mode` (of files; users who may read a directory may
 * also enter it). Returns 0; or -errno with a message, and `name` stays in the work directory.
 */
int place_publish(struct place *place, const char *name, unsigned mode, struct error *err);
/* Returns whether place_publish() succeeded. */
bool place_is_published(const struct place *place);
/* Abandons the output: it must not be published any more. */
void place_give_up(struct place *place);
bool place_is_given_up(const struct place *place);
/* place_close() does not remove this name (one of those above). An output that cannot be published stays anyway. */
void place_keep(struct place *place, const char *name);
/* Removes everything in the work directory that is not kept, and the directory if it is empty. Frees; NULL is fine. */
void place_close(struct place *place);

/*
 * Writes a file at once; it may exist. A regular file is replaced as a whole; anything else (a terminal, a pipe) is written to. A
 * link is followed unless another user put it into a sticky directory. Returns 0, or -errno with a message. place_may_write() only
 * checks whether that can work.
 */
int place_may_write(const char *path, struct error *err);
int place_write(const char *path, const void *bytes, size_t size, unsigned mode, struct error *err);
/* Write all bytes to a descriptor. Return 0 or -errno. */
int place_write_all(int fd, const void *bytes, size_t size);
int place_write_at(int fd, const void *bytes, size_t size, uint64_t offset);
/* Returns whether the path leads to the file with this status. */
bool place_is_file(const char *path, const struct stat *file);

/* The remains of a killed recorder. */
struct place_left {
	char *path;        /* of the work directory */
	char *spool;       /* in that directory; NULL: nothing to convert */
	uint64_t bytes;    /* of the spool */
	bool is_converted; /* completely, according to place_note_converted() */
};

/* Finds at most `size` remains of this user in a directory whose recorder no longer runs. Returns how many. */
uint32_t place_find_left(const char *directory, struct place_left *left, uint32_t size);
/*
 * Removes those whose output would have had a name for which is_wanted() returns true, and that have no recording to convert. Only those
 * count of which it is certain that nobody uses them: their lock can be taken. Returns how many.
 */
uint32_t place_remove_left(const char *directory,
			   bool (*is_wanted)(const void *context, const char *name),
			   const void *context);
void place_left_release(struct place_left *left, uint32_t count);
/* Notes in the work directory that the spool is completely converted, if the directory is writable. */
void place_note_converted(const char *spool);
/* If `path` is the spool of a killed recorder, returns the target of that recorder, otherwise NULL. The caller frees it. */
char *place_of_spool(const char *path);
