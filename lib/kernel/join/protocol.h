/*
 * protocol: the messages between guest and host.
 *
 *   guest                                                        host
 *   PLACE  before HERE, three times: a descriptor of the place   does not reply
 *          for an archive of its own; the path, and the name
 *          of the work directory
 *   HERE   with a descriptor of the command's process, which     0 and the path of the capture, a refusal, or JOIN_OVER
 *          waits
 *   ENDED  with the command's wait status                        0, at once if other members run; otherwise when the archive
 *                                                                is complete, with the log of the host
 *   STOP   a user wants to end the recording                     does not reply
 *   MARK   the command has set a mark, which is argv             does not reply
 *
 * Both are the same program on the same machine, so the messages have the layout of these structs.
 */
#pragma once

#include "selection.h"

#include <stdint.h>

enum { JOIN_OPTIONS_SIZE = 4096, JOIN_WORDS_SIZE = 8000, JOIN_TEXT_SIZE = 4096 + 256 };

enum join_message { JOIN_HERE, JOIN_ENDED, JOIN_STOP, JOIN_MARK, JOIN_PLACE };
/* A code of a reply that is no exit status: the recording has ended, and the command is not recorded. */
enum { JOIN_OVER = 256 };
enum join_part { JOIN_DIRECTORY, JOIN_WORK, JOIN_OWNER, JOIN_PARTS };

struct join_request {
	uint32_t word;
	int32_t status; /* JOIN_ENDED; JOIN_MARK: the process that set it; JOIN_PLACE: enum join_part */
	uint32_t size, is_cut; /* JOIN_HERE: size of argv in bytes; whether words are missing */
	char argv[JOIN_WORDS_SIZE]; /* separated by NUL */
	/* JOIN_HERE: options that must be the same for all commands. */
	char options[JOIN_OPTIONS_SIZE];
	struct join_selection selection; /* JOIN_HERE */
};

struct join_reply {
	int32_t code; /* JOIN_HERE: 0, -errno or JOIN_OVER; JOIN_ENDED: the exit status of the host */
	char text[JOIN_TEXT_SIZE];
	char hint[JOIN_TEXT_SIZE]; /* what the user can do, after an error message; or "" */
};
