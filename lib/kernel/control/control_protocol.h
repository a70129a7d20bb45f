/*
 * control_protocol: the messages. A request contains the descriptor of a socket for the answer. Both sides have the same version on
 * the same machine, so a message of another size is ignored.
 */
#pragma once

#include <iotrace/control.h>

#define CONTROL_PREFIX "control-"

struct control_request {
	uint32_t word;
	int32_t pid; /* the client */
	char text[CONTROL_TEXT_MOST];
};
