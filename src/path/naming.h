/*
 * naming: placeholders in the names of outputs, %h %p %j ..., so that recorders beside each other make different files.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

struct error;

/* What the placeholders stand for. */
struct naming {
	const char *(*variable)(const char *name); /* of the environment; NULL: it is not set */
	char host[256];
	long pid;
	time_t start;
};

/* Those of this process, now. */
void naming_init(struct naming *naming);
/* Returns the name with its placeholders filled in, which the caller frees; or NULL with a sentence that begins with `what`. */
char *naming_expand(const struct naming *naming, const char *what, const char *pattern,
		    struct error *err);
/* Returns whether this is one of several processes of a job. */
bool naming_has_ranks(const struct naming *naming);
/* Returns whether a name differs from rank to rank. */
bool naming_is_of_process(const char *pattern);
/* Returns whether it differs from one recording to the next. */
bool naming_has_time(const char *pattern);
/* Returns a name that all ranks of the job on this node have in common; the caller frees it. */
char *naming_job(const struct naming *naming);
/* Returns how many ranks of the job are on this node; 0: it is not known. */
unsigned naming_local_size(const struct naming *naming);
/* Returns iotrace-HOST-YYYYmmdd-HHMMSS-PID, in a job iotrace-JOB-HOST-...; the caller frees it. */
char *naming_default(const struct naming *naming);
