/*
 * words: what guest and host say to each other.
 *
 *   guest: HERE   with a descriptor of the command's process, which waits   host: 0 and the path of the capture, a refusal, or JOIN_OVER
 *   guest: ENDED  with the command's wait status                            host: 0, at once if others still run; else when the
 *                                                                                 archive is whole, with what the host has to say
 *
 *   guest: PLACE  before HERE, three times: a descriptor of the place for     host: says nothing to that
 *                 the archive of its own; the path, and the work directory
 *
 *   guest: STOP   a user wants the recording to end                         host: says nothing to that
 *
 *   guest: MARK   the command set a mark, which is argv                     host: says nothing to that
 *
 * Both are of one program on one machine: their messages have the layout of these structs.
 */
#pragma once

#include "selection.h"

#include <stdint.h>

enum { JOIN_OPTIONS_SIZE = 4096, JOIN_WORDS_SIZE = 8000, JOIN_TEXT_SIZE = 4096 + 256 };

enum join_word { JOIN_HERE, JOIN_ENDED, JOIN_STOP, JOIN_MARK, JOIN_PLACE };
/* A code of a reply, beyond all exit statuses: the recording is over, and the command is not recorded. */
enum { JOIN_OVER = 256 };
enum join_part { JOIN_DIRECTORY, JOIN_WORK, JOIN_OWNER, JOIN_PARTS };

struct join_request {
	uint32_t word;
	int32_t status; /* JOIN_ENDED; JOIN_MARK: the process that set it; JOIN_PLACE: enum join_part */
	uint32_t size, is_cut;           /* JOIN_HERE: bytes of argv; there are more */
	char argv[JOIN_WORDS_SIZE];      /* with NUL between them */
	char options[JOIN_OPTIONS_SIZE]; /* JOIN_HERE: those that are the same for all commands */
	struct join_selection selection; /* JOIN_HERE */
};

struct join_reply {
	int32_t code; /* JOIN_HERE: 0, -errno or JOIN_OVER; JOIN_ENDED: the exit status of the host */
	char text[JOIN_TEXT_SIZE];
};
