/* recorder: for the commands that talk to a running recording: finds it, and prints its answer. */
#pragma once

#include "command.h"

#include <iotrace/control.h>

/* Names of recordings; owned. All zero is an empty list. */
struct recorder_list {
	struct text_list names;
};

/*
 * Finds the recording that a word names; NULL: the only one, or, if `takes_all`, all. Returns 0, or -errno with a sentence:
 * -ENOENT if none runs, -EINVAL if several do.
 */
int recorder_choose(const char *word, bool takes_all, struct recorder_list *list,
		    struct error *err);
/* Returns the process id that a word is, or 0. */
pid_t recorder_pid(const char *word);
void recorder_list_release(struct recorder_list *list);
/*
 * The run() of a command whose operand is [PID|NAME]: says the word and prints what the recording answers; CONTROL_STATUS without an
 * operand is for all. Returns the exit status.
 */
int recorder_run(const struct command *command, enum control_word word, int argc, char **argv);

/* What PID and NAME are, for --help. */
#define RECORDER_OPERAND                                                                           \
	"PID is the process id of iotrace itself, NAME the value of its --join. Without\n"         \
	"either, iotrace uses your only recording on this machine.\n"
