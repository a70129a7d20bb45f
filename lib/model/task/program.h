/*
 * program: the words that a process was called with, and how it ended.
 *
 * The words are those of the program that it runs now. They come from the kernel at an exec, or from /proc later: then they
 * are believed if the process cannot have executed another program meanwhile.
 */
#pragma once

#include "state/state.h"

struct words {
	const char *at; /* with a NUL after each, but perhaps the last */
	uint32_t length;
	bool is_cut;
};

/* The kernel said them at an exec. */
void program_arguments(struct model *m, const struct event *event);
/* The process has these words. */
void program_set(struct model *m, uint32_t process, const struct words *words);
/* They were looked up between t0 and now. */
void program_found(struct model *m, uint32_t process, uint64_t t0, const struct words *words);
/* Its environment was looked up between t0 and now. What says nothing leaves it the rank that it has from its parent. */
void program_set_rank(struct model *m, uint32_t process, uint64_t t0,
		      const struct trace_rank *rank);
/* It runs another program now, whose words are not known yet. */
void program_begin(struct model *m, uint32_t process);
void program_status(struct model *m, const struct event *event);
/* Its last thread has ended: tells so, or, of the recorded command, when its status comes. */
void program_end(struct model *m, uint32_t process);
/* The status of the recorded command has come, or will not come: -1. */
void program_end_command(struct model *m, int32_t status);
/* A command that was recorded from its begin, and how it ended. */
void program_add_command(struct model *m, const struct process *p);
void program_set_status(struct model *m, uint64_t pid, int32_t status);
