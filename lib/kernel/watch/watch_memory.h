/*
 * watch_memory: paths in the memory of a task.
 *
 * Reading them takes the lock of that memory, which somebody who hangs may hold. So a thread reads, and is left behind if it does not
 * answer in time. It is a thread and not a process because recordings exclude the process of the watch. It ends with the process.
 */
#pragma once

#include <iotrace/watch.h>

enum { WATCH_PATHS = 2 };

/* Paths that a call was given. An address of 0: it was given none, which reads as "". */
struct watch_paths {
	uint64_t address[WATCH_PATHS];
	char text[WATCH_PATHS][WATCH_FILE];
	bool is_known[WATCH_PATHS];
};

struct watch_memory;

/* Never fails. There is one for the life of the process, because threads that were left behind refer to it. */
struct watch_memory *watch_memory_new(void);
/*
 * Sets text and is_known. Waits for at most 200 ms, for less if some threads were left behind, and not at all if one of them waits for the
 * memory of the same process. What is not in memory but in a file or on a swap device stays unknown, because that may be what hangs.
 */
void watch_memory_read(struct watch_memory *memory, const struct watch_task *task,
		       struct watch_paths *paths);
