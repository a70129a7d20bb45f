#include "live_command.h"

#include "clock.h"
#include "proc/rank.h"
#include "state/live_state.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live_words live_words_of(char *const argv[])
{
	char *text = NULL;
	size_t size = 0;

	for (size_t i = 0; argv[i]; i++) {
		size_t length = strlen(argv[i]) + 1;

		text = mem_resize(text, size + length);
		memcpy(text + size, argv[i], length);
		size += length;
	}
	size -= size > 0;
	return (struct live_words){.text = text,
				   .size = size > FACT_ARGUMENTS ? FACT_ARGUMENTS : (uint32_t)size,
				   .is_cut = size > FACT_ARGUMENTS};
}

void live_add_command_fact(struct live *live, const struct live_command_info *command)
{
	/* Before its exec, the command has the environment of its iotrace, so its rank is already known. */
	struct rank rank = rank_read(&live->proc, (uint32_t)command->pid);
	const char *archive = command->archive ? command->archive : "";
	struct fact fact = {.kind = FACT_COMMAND,
			    .number = {[FACT_COMMAND_pid] = (uint64_t)command->pid,
				       [FACT_COMMAND_is_cut] = command->words->is_cut,
				       [FACT_COMMAND_has_rank] = rank.is_known,
				       [FACT_COMMAND_rank] = rank.rank,
				       [FACT_COMMAND_ranks] = rank.ranks,
				       [FACT_COMMAND_selection] = command->selection},
			    .string = {[FACT_COMMAND_argv] = {command->words->text,
							      command->words->size},
				       [FACT_COMMAND_cwd] = fact_text(command->cwd),
				       [FACT_COMMAND_archive] = fact_text(archive)}};

	facts_add(&live->facts, &fact, (uint32_t)command->pid, clock_now());
}

void live_add_own_command_fact(struct live *live)
{
	struct live_words words = live_words_of(live->recording->argv);
	char cwd[4096];

	live_add_command_fact(live, &(struct live_command_info){
					    .pid = live->command.pid,
					    .words = &words,
					    .cwd = getcwd(cwd, sizeof(cwd)) ? cwd : "",
				    });
	free(words.text);
}

void live_add_status_fact(struct live *live, pid_t pid, int status)
{
	const struct fact fact = {
		.kind = FACT_EXIT,
		.number = {[FACT_EXIT_pid] = (uint64_t)pid, [FACT_EXIT_status] = (uint64_t)status}};

	facts_add(&live->facts, &fact, (uint32_t)pid, clock_now());
}
