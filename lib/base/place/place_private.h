/* place_private: what the files of place share. */
#pragma once

#include <iotrace/place.h>

#define PLACE_MARK      ".iotrace" /* .NAME.iotrace, .NAME.iotrace-2 */
#define PLACE_OWNER     "owner"
#define PLACE_CONVERTED "converted" /* an empty file: the whole spool was converted */

enum place_state {
	PLACE_FOREIGN, /* no work directory, or one of another user */
	PLACE_RUNNING, /* its recorder is running, perhaps on another host */
	PLACE_LEFT,    /* its recorder was killed */
};

/* The directory of a target, and the target's name in it. */
struct place_site {
	int parent; /* O_PATH; -1: not open */
	char *path, *directory;
	const char *name; /* points into path */
};

enum { PLACE_KEPT_MOST = 2 };
/* How many entries of a directory are looked at: it may have millions, and a recording must start quickly. */
enum { PLACE_ENTRIES_MOST = 20000 };

struct place {
	struct place_site site;
	int work, owner; /* descriptors */
	char *work_name, *work_path;
	const char *kept[PLACE_KEPT_MOST]; /* lent, literals */
	uint32_t kept_count;
	bool is_published, is_given_up;
	uint64_t free_before;
};

/* Fills in the names only. */
void place_site_name(struct place_site *site, const char *path);
/* Returns 0 or -errno. Must be released in any case. */
int place_site_open(struct place_site *site, const char *path);
void place_site_release(struct place_site *site);
/* Refuses a name that exists, even as a dangling link. Suggests removing a directory only if it is an archive. */
int place_site_check_new(const struct place_site *site, const char *what, struct error *err);
/* Returns the path of a name in a directory, for messages. The caller frees it. */
char *place_join(const char *directory, const char *name);

/* Returns the length of NAME in .NAME.iotrace or .NAME.iotrace-2; 0 if it is not the name of a work directory. */
size_t place_name_length(const char *name);
/*
 * Returns the state of the work directory `name`, and in `owner` who created it: "process 12 on HOST". If its recorder has ended,
 * *work is a descriptor of the directory, which the caller closes; otherwise -1.
 */
enum { PLACE_OWNER_SIZE = 320 };
enum place_state place_look(int parent, const char *name, char owner[PLACE_OWNER_SIZE], int *work);

/* Writes into the owner file who creates the output. Returns 0 or -errno. */
int place_sign(const struct place *place);
/*
 * Creates a work directory with a random name that nobody competes for. Takes over the site. Returns NULL with -errno in *code on
 * failure.
 */
struct place *place_new(struct place_site *site, int *code);
/* Removes everything in the work directory that is not kept, and the directory if it is empty. */
void place_tidy(const struct place *place);
/* Publishes by replacing the existing target. Returns 0 or -errno. */
int place_replace(struct place *place, const char *name, unsigned mode);
