/* live_command: facts about a command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct live;

/* The words of a command, cut to the size of a fact. */
struct live_words {
	char *text; /* with NUL between the words; the caller frees it */
	uint32_t size;
	bool is_cut; /* some words are missing */
};

struct live_words live_words_of(char *const argv[]);
/* The contents of the fact; lent. */
struct live_command_info {
	pid_t pid;
	uint32_t selection; /* of a command that joins */
	const struct live_words *words;
	const char *cwd, *archive; /* archive: that of this command alone, or NULL */
};

void live_add_command_fact(struct live *live, const struct live_command_info *command);
/* A command has ended with this wait status. */
void live_add_status_fact(struct live *live, pid_t pid, int status);
/* Adds the fact about the command that this process has forked. */
void live_add_own_command_fact(struct live *live);
