/*
 * watch: a process beside the recording that looks at hanging tasks, and runs a command for each hang.
 *
 * A process that reads about a hanging task in /proc may hang as well. So only this process does it, and its answers are waited for
 * with a limit. iotrace's filter of system calls does not apply to it. It has the rights of the user. What may wait for the memory
 * of a task is read by threads of the process, which it does not wait for longer than 200 ms.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct watch;

enum {
	WATCH_COMM = 16,
	WATCH_CALL = 32,
	WATCH_USER = 32,
	WATCH_WCHAN = 64,
	WATCH_STACK = 4096,
	WATCH_FILE = 4096,
	WATCH_TEXT = 65536 /* escaped, WATCH_FILE bytes may be five times as many */
};

/* A task. The texts are as the kernel gives them; "": unknown. */
struct watch_task {
	uint32_t pid, tid;
	bool is_there;
	uint32_t uid, gid;
	char user[WATCH_USER], group[WATCH_USER]; /* names, or numbers: <iotrace/users.h> */
	char comm[WATCH_COMM];
	char call[WATCH_CALL]; /* the system call that it is in */
	/*
	 * The file of the call's descriptor, or the path that it was given, behind the directory that a relative one starts at. A path is
	 * as the call was given it, not without symbolic links, and "" if it cannot be read in a moment.
	 */
	char file[WATCH_FILE];
	char to[WATCH_FILE]; /* the second path of a call such as rename() */
	char wchan[WATCH_WCHAN];
	char stack[WATCH_STACK]; /* lines; only root may see it */
};

/*
 * Starts the process. command: a shell command for watch_run(), or NULL. Call it before live_open() and before there are threads.
 * Returns NULL with a message.
 */
struct watch *watch_new(const char *command, struct error *err);
/* Ends the process as well. A command that is running goes on. */
void watch_free(struct watch *watch);
pid_t watch_pid(const struct watch *watch);
/* Asks about a task; tid 0: it is not known which thread of the process it is. Returns false if too many questions are waiting. */
bool watch_ask(struct watch *watch, uint32_t pid, uint32_t tid);
/* Waits for an answer for at most wait_ms. Returns whether there is one. */
bool watch_answer(struct watch *watch, struct watch_task *task, int wait_ms);
/*
 * Runs the command. environment: lines "NAME=VALUE" for its environment; input: its standard input. Together they must be shorter
 * than WATCH_TEXT. Returns false if the request could not be sent.
 */
bool watch_run(struct watch *watch, const char *environment, const char *input);
