/* supervisor: reports to the program that has started a service. Without systemd, it does nothing. */
#pragma once

#include <stdbool.h>

/* Returns whether a program that has started this one waits for the reports. */
bool supervisor_is_there(void);
/* The service works, and what it does. */
void supervisor_ready(const char *status);
void supervisor_status(const char *status);
void supervisor_stopping(void);
