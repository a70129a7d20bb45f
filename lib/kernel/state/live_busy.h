/* live_busy: facts that say how long devices have been busy. The triggers of a flight recorder need them. */
#pragma once

#include <stdint.h>

struct error;
struct live;

struct live_busy {
	uint64_t next; /* time of the next reading; 0: none is wanted */
};

/* Finds the devices. Returns 0, or -errno with a message: there is no such device, or it counts nothing. */
int live_busy_open(struct live *live, struct error *err);
/* Adds the facts if it is time. */
void live_busy_look(struct live *live);
