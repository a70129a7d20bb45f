/* watch_process: the messages of a watch, and the main function of its process. */
#pragma once

#include <iotrace/watch.h>

/* A message to the process: a task to look at, or, with pid 0, a command to run. */
struct watch_request {
	uint32_t pid, tid;
	char text[WATCH_TEXT]; /* for a command: its environment and its input, each with a NUL */
};

enum { WATCH_HEAD = sizeof(uint32_t) * 2 };

/* Serves until the other end of the socket is closed. Then the process ends. */
void __attribute__((noreturn)) watch_main(int socket, const char *command);
