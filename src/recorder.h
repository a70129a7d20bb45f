/* recorder: for the commands that control a running recording: finds it, and prints its answer. */
#pragma once

#include "command.h"

#include <iotrace/control.h>

/* Names of recordings; owned. All zero is an empty list. */
struct recorder_list {
	struct text_list names;
};

/*
 * Finds the named recording; NULL: the only one, or, if `takes_all`, all. Returns 0, or -errno with a message: -ENOENT if none
 * runs, -EINVAL if several do.
 */
int recorder_choose(const char *word, bool takes_all, struct recorder_list *list,
		    struct error *err);
/* Returns the word as a process id, or 0. */
pid_t recorder_pid(const char *word);
void recorder_list_release(struct recorder_list *list);
/*
 * The run() of a command whose operand is [PID|NAME]: sends the request and prints the answer of the recording; CONTROL_STATUS
 * without an operand is sent to all. Returns the exit status.
 */
int recorder_run(const struct command *command, enum control_word word, int argc, char **argv);
/* Sends a request to the daemon that publishes in this directory, and prints its answer. Returns the exit status. */
int recorder_ask_daemon(const char *directory, const char *request);

/* The meaning of PID and NAME, for --help. */
#define RECORDER_OPERAND                                                                           \
	"PID is the process id of iotrace itself, NAME the value of its --join. Without\n"         \
	"either, iotrace uses your only recording on this machine.\n"
