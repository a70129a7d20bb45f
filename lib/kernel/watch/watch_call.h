/* watch_call: the system call that a task is in, and its files. */
#pragma once

#include <iotrace/watch.h>

struct watch_memory;

/* Sets call, file and to. They stay empty if the task runs, goes on meanwhile, or belongs to somebody else. */
void watch_find_call(struct watch_task *task, struct watch_memory *memory);
/* Reads a file of the task in /proc: its text, or "". */
void watch_read(const struct watch_task *task, const char *name, char *text, size_t size);
