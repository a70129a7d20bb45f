/* host: the members of a recording that others join. One thread at a time uses it; nothing blocks. */
#pragma once

#include <iotrace/join.h>
#include <stdint.h>
#include <sys/types.h>

/* A command that waits to be recorded, and is to be answered; a mark that one set; or that one has ended. */
enum join_what { JOIN_COMMAND, JOIN_SET_MARK, JOIN_STATUS };

struct join_arrival {
	enum join_what what;
	uint32_t member;
	pid_t pid;      /* of the command, or who set the mark */
	int32_t status; /* JOIN_STATUS: the wait status */
	const char *
		words; /* with NUL between them, or the text of the mark; lent until the next call */
	uint32_t size; /* of the words */
	bool is_cut;   /* there are more words */
	const struct join_selection
		*selection; /* of what the command does; lent until the next call */
	struct place
		*place; /* for an archive of its own, which the caller takes; NULL: it has none */
};

/* Returns a descriptor that is readable when there is something to look at. Lent. */
int join_host_fd(const struct join_host *host);
/* Looks at what has come. Returns whether there is something for the caller. To be called until it returns false. */
bool join_host_next(struct join_host *host, struct join_arrival *arrival);
/* code: 0, it is recorded: the guest lets it go; or -errno. text: the path of the capture, or what is wrong. */
void join_host_answer(struct join_host *host, uint32_t member, int code, const char *text);
/*
 * Returns when the host should look whether it is over although nothing comes, or 0: that takes no looking. In ns of the
 * monotonic clock.
 */
uint64_t join_host_deadline(const struct join_host *host);
/*
 * Returns whether all members have ended, and nobody can join any more: all that were expected were there, or none came for a
 * while.
 */
bool join_host_is_over(struct join_host *host);
/* Returns whether a guest was asked to end the recording. */
bool join_host_is_asked_to_stop(const struct join_host *host);
/* Who ends the job ends the host, too: it does not stay for commands that come late. */
void join_host_end_at_once(struct join_host *host);
/* Returns whether a member runs. */
bool join_host_has_members(const struct join_host *host);
