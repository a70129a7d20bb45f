/* live_members: the commands that join a recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct live;

/* A descriptor to be polled, or -1. */
int live_members_fd(const struct live *live);
/* Begins to record new members, and notes the ends of others. For the control thread. */
void live_members_look(struct live *live);
/* Returns whether there is a host and all its members have ended. */
bool live_members_are_gone(const struct live *live);
/* When this is to be asked, at the latest; 0: when somebody ends. */
uint64_t live_members_deadline(const struct live *live);
bool live_members_run(const struct live *live);
/* Removes the places that nobody took. */
void live_members_release(struct live *live);
