/* host: the members of a shared recording. Only one thread at a time may use it; no function blocks. */
#pragma once

#include <iotrace/join.h>
#include <stdint.h>
#include <sys/types.h>

/* What a guest sends: a command that waits for an answer; a mark; or the status of a command that has ended. */
enum join_what { JOIN_COMMAND, JOIN_SET_MARK, JOIN_STATUS };

struct join_arrival {
	enum join_what what;
	uint32_t member;
	pid_t pid;      /* the command, or the process that set the mark */
	int32_t status; /* JOIN_STATUS: the wait status */
	/* Words separated by NUL, or the text of the mark; lent until the next call. */
	const char *words;
	uint32_t size; /* size of the words */
	bool is_cut;   /* some words are missing */
	/* What to record of the command; lent until the next call. */
	const struct join_selection *selection;
	/* Place for an archive of its own, which the caller takes over; NULL: none. */
	struct place *place;
};

/* Returns a descriptor that is readable when join_host_next() has work. Lent. */
int join_host_fd(const struct join_host *host);
/* Handles messages. Returns whether there is something for the caller. Call it until it returns false. */
bool join_host_next(struct join_host *host, struct join_arrival *arrival);
/* Tells the guest that its command is recorded, so that it releases it. */
void join_host_accept(struct join_host *host, uint32_t member, const char *capture);
void join_host_refuse(struct join_host *host, uint32_t member, const struct error *why);
/* Returns when join_host_is_over() must be asked even if nothing arrives; 0: no need. In ns of the monotonic clock. */
uint64_t join_host_deadline(const struct join_host *host);
/*
 * Returns whether all members have ended and nobody can join any more, because all expected members came, or none came for a
 * while.
 */
bool join_host_is_over(struct join_host *host);
/* Returns whether a user has asked a guest to end the recording. */
bool join_host_is_asked_to_stop(const struct join_host *host);
/* The job is being ended: the host does not stay for late commands. */
void join_host_end_at_once(struct join_host *host);
/* Returns whether a member is running. */
bool join_host_has_members(const struct join_host *host);
