/*
 * span_list: the spans that are built in.
 */
#pragma once

/* Prints them, whether they work on this machine, and why not. Returns the exit status. */
int span_list(void);
