/*
 * control_words: a request, which comes with the descriptor of a socket for the answer. Both sides are of one machine, and of one
 * version: a message of another size is none.
 */
#pragma once

#include <iotrace/control.h>

#define CONTROL_PREFIX "control-"

struct control_request {
	uint32_t word;
	int32_t pid; /* who asks */
	char text[CONTROL_TEXT_MOST];
};
