/* live_members: the commands that join a recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct live;

/* Returns a descriptor to be polled, or -1. */
int live_members_fd(const struct live *live);
/* Starts to record new members, and notes which members have ended. For the control thread. */
void live_members_look(struct live *live);
/* Returns whether there is a host and all its members have ended. */
bool live_members_are_gone(const struct live *live);
/* Returns the latest time at which live_members_are_gone() must be asked; 0: only when a member ends. */
uint64_t live_members_deadline(const struct live *live);
bool live_members_run(const struct live *live);
/* Removes the places that nobody has taken over. */
void live_members_release(struct live *live);
