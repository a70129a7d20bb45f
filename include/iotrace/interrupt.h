/* interrupt: SIGINT and SIGTERM end the tables of a daemon as they end those of a recording: with a good status. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From now on, they do. fd: is closed then, so that a read of it ends; -1: none. A signal that was ignored stays so. */
void interrupt_catch(int fd);
bool interrupt_has_come(void);
/* Waits until this time of the monotonic clock, or for a signal. */
void interrupt_wait(uint64_t until);
