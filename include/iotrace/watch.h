/*
 * watch: a process beside the recording that looks at tasks that hang, and runs a command for each hang.
 *
 * What hangs may make hang who looks at it. So all that is asked of /proc about such a task is asked by this process, and nobody waits
 * for its answers longer than he says. It also is what the filter of system calls does not hold for. It looks with the rights of the user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct watch;

enum { WATCH_USER = 32, WATCH_WCHAN = 64, WATCH_STACK = 4096, WATCH_TEXT = 16384 };

/* What is known of a task; texts as the kernel gives them, "" if it does not. */
struct watch_task {
	uint32_t pid, tid;
	bool is_there;
	uint32_t uid;
	char user[WATCH_USER]; /* its name, or the number */
	char wchan[WATCH_WCHAN];
	char stack[WATCH_STACK]; /* lines; only root may see it */
};

/*
 * Starts it. command: of a shell, for watch_run(); or NULL. Call it before live_open() and before there are threads. Returns NULL with a
 * sentence.
 */
struct watch *watch_new(const char *command, struct error *err);
/* It ends, too; a command that runs does not. */
void watch_free(struct watch *watch);
pid_t watch_pid(const struct watch *watch);
/* Asks for a task. Returns false if too much is asked already. */
bool watch_ask(struct watch *watch, uint32_t pid, uint32_t tid);
/* Returns whether there is an answer, for which it waits at most so long. */
bool watch_answer(struct watch *watch, struct watch_task *task, int wait_ms);
/*
 * Runs the command. environment: "NAME=VALUE" lines, which are set for it; input: what it reads from its standard input. Both
 * together are shorter than WATCH_TEXT. Returns false if it could not be asked to.
 */
bool watch_run(struct watch *watch, const char *environment, const char *input);
