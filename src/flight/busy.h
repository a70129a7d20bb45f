/* busy: whether a device has been busy for more than a share of some time, from samples of how long it has been busy in all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BUSY_SAMPLES = 20, BUSY_SHARES = 16 };

struct busy {
	uint64_t ns;  /* the time that counts */
	double share; /* of it, 0 to 1 */
	/* Some of the samples, the oldest first. The first is older than `ns` if there are samples from so long ago. */
	struct busy_sample {
		uint64_t time, busy_ms;
	} sample[BUSY_SAMPLES];
	uint32_t samples;
};

void busy_init(struct busy *busy, uint64_t ns, double share);
/* Takes a sample. Returns whether the device was busy for more than the share of the time before it. Then a new time begins. */
bool busy_add(struct busy *busy, uint64_t time, uint64_t busy_ms);
