/*
 * job: information from batch systems and launchers about a process, in its environment.
 *
 * job.def has all variables. The names of outputs and the ranks in an archive use this one table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum job_value {
	JOB_ID,
	JOB_STEP,
	JOB_NAME,
	JOB_USER,
	JOB_NODES, /* number of nodes */
	JOB_NODE,  /* index of this node */
	JOB_RANK,
	JOB_SIZE, /* number of ranks */
	JOB_LOCAL_RANK,
	JOB_LOCAL_SIZE,
	JOB_LOCAL_RANKS, /* those of this node, with commas between them */
	JOB_TASK, /* a number that distinguishes a batch script from the processes that it starts */
	JOB_VALUES
};

struct job_facts {
	const char *value[JOB_VALUES]; /* NULL: unknown; lent from the environment */
	const char *system;            /* the system that provided JOB_ID, or NULL */
};

/* Fills the facts from variables of an environment; `variable` returns NULL for one that is not set. */
void job_read(struct job_facts *facts, const char *(*variable)(const char *name));
/* The same from a block of NAME=VALUE strings with a NUL after each. It must end with a NUL. */
void job_read_block(struct job_facts *facts, const char *block, size_t length);
/* Returns the index-th variable that may have the value, the most specific first; NULL after the last. */
const char *job_variable(enum job_value value, uint32_t index);
/* Returns whether the value is a number that 32 bits can hold. */
bool job_number(const struct job_facts *facts, enum job_value value, uint32_t *number);
