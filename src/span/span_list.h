/* span_list: lists the built-in spans. */
#pragma once

/* Prints them, and whether they work on this machine or why not. Returns the exit status. */
int span_list(void);
