/*
 * program: the arguments of a process, and its exit status.
 *
 * The arguments are those of its current program. They come from the kernel at the exec, or later from /proc. The latter are used only
 * if the process cannot have executed another program meanwhile.
 */
#pragma once

#include "state/state.h"

struct words {
	const char *at; /* with a NUL after each, except perhaps the last */
	uint32_t length;
	bool is_cut;
};

/* The kernel reported the arguments at an exec. */
void program_arguments(struct model *m, const struct event *event);
/* Sets the arguments of a process. */
void program_set(struct model *m, uint32_t process, const struct words *words);
/* The arguments were looked up between t0 and now. */
void program_found(struct model *m, uint32_t process, uint64_t t0, const struct words *words);
/* Its environment was looked up between t0 and now. Without a rank in it, the process keeps the rank of its parent. */
void program_set_rank(struct model *m, uint32_t process, uint64_t t0,
		      const struct trace_rank *rank);
/* It executes another program, whose arguments are not yet known. */
void program_begin(struct model *m, uint32_t process);
void program_status(struct model *m, const struct event *event);
/*
 * The last thread of the process has ended: emits the end of the process. For the recorded command, this waits for its exit
 * status.
 */
void program_end(struct model *m, uint32_t process);
/* The status of the recorded command has arrived; -1: it will not arrive. */
void program_end_command(struct model *m, int32_t status);
/* Adds a command that was recorded from its begin, for its exit status. */
void program_add_command(struct model *m, const struct process *p);
void program_set_status(struct model *m, uint64_t pid, int32_t status);
