/* target: forks a command, releases it, and waits for it. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct error;
struct quiet;

struct command {
	pid_t pid;      /* 0: none */
	int release_fd; /* writing a byte releases the command, closing it ends the child */
	int mark_fd; /* the command inherits it, see marks.h; -1: none. Lent during command_fork() */
	int error_fd;  /* has the errno of a failed execve; closed without data if it succeeded */
	bool is_ended; /* it was reaped: status is its wait status */
	int status;
	int exec_error;
};

/* The signal state that the command inherits instead of that of iotrace. */
struct command_signals {
	sigset_t mask;
	struct sigaction child;    /* of SIGCHLD */
	const struct quiet *quiet; /* or NULL; lent during command_fork() */
};

void command_init(struct command *command);
/*
 * Forks a child that waits before its exec. Call it before limits are raised and files are opened, because the child inherits
 * them.
 */
int command_fork(struct command *command, char *const argv[], const struct command_signals *signals,
		 struct error *err);
int command_release(struct command *command, struct error *err);
/* Returns whether the command has ended; reaps it then. Blocks if `wait`. */
bool command_ended(struct command *command, bool wait);
/* Returns the errno with which execve failed, or 0. Does not block. */
int command_exec_error(struct command *command);
/* Ends a child that was never released, but not a running command. */
void command_close(struct command *command);
