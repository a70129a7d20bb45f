/*
 * naming: placeholders in the names of outputs, %h %p %j ..., so that recorders that run at the same time make different files.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

struct error;

/* The values of the placeholders. */
struct naming {
	/* Returns an environment variable; NULL: not set. */
	const char *(*variable)(const char *name);
	char host[256];
	long pid;
	time_t start;
};

/* Takes the values of this process and of this moment. */
void naming_init(struct naming *naming);
/* Returns the name with its placeholders replaced, which the caller frees; or NULL with a message that begins with `what`. */
char *naming_expand(const struct naming *naming, const char *what, const char *pattern,
		    struct error *err);
/* Returns whether this is one of several processes of a job. */
bool naming_has_ranks(const struct naming *naming);
/* Returns whether the name is different for each rank. */
bool naming_is_of_process(const char *pattern);
/* Returns whether the name is different for each recording. */
bool naming_has_time(const char *pattern);
/* Returns a name that all ranks of the job on this node share; the caller frees it. */
char *naming_job(const struct naming *naming);
/* Returns how many ranks of the job are on this node; 0: unknown. */
unsigned naming_local_size(const struct naming *naming);
/* Returns iotrace-HOST-YYYYmmdd-HHMMSS-PID, or in a job iotrace-JOB-HOST-...; the caller frees it. */
char *naming_default(const struct naming *naming);
