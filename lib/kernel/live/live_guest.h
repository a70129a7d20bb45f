/*
 * live_guest: a command that another recorder of this node records.
 *
 * The struct live of a guest contains only the command and its signals.
 */
#pragma once

#include <stdbool.h>

struct error;
struct live;
struct live_guest;

void live_guest_init(struct live_guest *guest);
/* Sends the waiting command to the host. Returns 0, or -errno with a message. */
int live_guest_join(struct live *live, int socket, const char *options, struct error *err);
/* Waits until the command has ended. Prints a warning if the host ends before it. */
void live_guest_wait(struct live *live);
void live_guest_release(struct live_guest *guest);
