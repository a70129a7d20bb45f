/*
 * place: where an output file or directory is made.
 *
 * Whatever iotrace makes grows in a hidden work directory beside its target, which only its user can enter, and gets its
 * final name when it is whole. Directories are opened once and names are used below those descriptors only, so nobody who
 * swaps names meanwhile can lead iotrace elsewhere. A target is never replaced, and only what iotrace made is removed.
 *
 *	DIR/.NAME.iotrace/       the work directory of DIR/NAME; it exists once, so of several recorders one wins
 *	DIR/.NAME.iotrace/owner  locked while its recorder runs; says on which host, by which process
 *
 * What a killed recorder leaves is that one directory. It does not hinder others: they take .NAME.iotrace-2 and so on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct place;
struct stat;

/* What may be made in a work directory. */
#define PLACE_SPOOL   "spool" /* a recording, until it is converted */
#define PLACE_ARCHIVE "archive"
#define PLACE_TEXT    "text" /* any single file */

/*
 * Returns the place for `path`, which must not exist and which no other iotrace may be making; NULL with a sentence.
 * `what` names the option: "-o".
 */
struct place *place_open(const char *what, const char *path, struct error *err);
/* Returns the descriptor of the work directory. Lent. */
int place_dir(const struct place *place);
/* Returns the path of the target, or of the work directory: for sentences only. Lent. */
const char *place_target(const struct place *place);
const char *place_work(const struct place *place);
/* Returns the directory that the target will be in. Lent. */
const char *place_directory(const struct place *place);
/* Returns how many bytes were free on its file system when the place was opened; 0: not known. */
uint64_t place_free_before(const struct place *place);
/* Returns whether the path names the same target: what it would make does not exist yet. */
bool place_is_same(const struct place *place, const char *path);
/* Returns a descriptor of a new file in the work directory, or of one that is there, for reading; or -errno. */
int place_create(const struct place *place, const char *name);
int place_read(const struct place *place, const char *name);
/*
 * Gives what stands in the work directory under `name` the name of the target and the permissions `mode` (those of files;
 * a directory and all that is in it can be entered by who may read). Returns 0; or -errno with a sentence, and then it stays.
 */
int place_publish(struct place *place, const char *name, unsigned mode, struct error *err);
/* Returns whether place_publish() succeeded. */
bool place_is_published(const struct place *place);
/* Marks the output as not wanted any more. The code that makes it must not publish it then. */
void place_give_up(struct place *place);
bool place_is_given_up(const struct place *place);
/* What has this name (one of those above) is not removed by place_close(). What cannot be published is kept anyway. */
void place_keep(struct place *place, const char *name);
/* Removes what was made in the work directory and is not kept; and that directory if nothing is. Frees; NULL is fine. */
void place_close(struct place *place);

/*
 * A file that is written at once, and may be written again: a regular file is replaced as a whole, anything else (a
 * terminal, a pipe) is written to. A link is followed unless somebody else put it into a sticky directory.
 * Returns 0, or -errno with a sentence. place_may_write() only looks whether that can work.
 */
int place_may_write(const char *path, struct error *err);
int place_write(const char *path, const void *bytes, size_t size, unsigned mode, struct error *err);
/* Returns whether the path leads to that file now. */
bool place_is_file(const char *path, const struct stat *file);

/* What a killed recorder left. */
struct place_left {
	char *path;        /* of the work directory */
	char *spool;       /* in it, or NULL: there is nothing to convert */
	uint64_t bytes;    /* of the spool */
	bool is_converted; /* all of it, as place_note_converted() says */
};

/* Returns at most `size` of those in a directory that are this user's, and whose recorder does not run any more. */
uint32_t place_find_left(const char *directory, struct place_left *left, uint32_t size);
void place_left_release(struct place_left *left, uint32_t count);
/* Notes in its work directory that all of a spool is converted, as far as that is possible. */
void place_note_converted(const char *spool);
/* Returns the path that the spool's recorder was to make, if `path` is such a spool, or NULL. The caller frees it. */
char *place_of_spool(const char *path);
