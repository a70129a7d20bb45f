/* supervisor: what a service tells the program that has started it: systemd, if there is one. Nothing otherwise. */
#pragma once

/* The service works, and what it does. */
void supervisor_ready(const char *status);
void supervisor_status(const char *status);
void supervisor_stopping(void);
