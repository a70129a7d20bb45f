/*
 * bio: bios: who queued what, and the operations of devices that have no requests.
 *
 * Whether a device has requests is learned: one step of a request says so, one end of a bio says the opposite (the
 * bios of a request have no end of their own). Until then its bios are kept; in the end nothing is lost or made up.
 */
#pragma once

#include "state/state.h"

void bio_queue(struct model *m, uint32_t device, const struct event *event,
	       const struct request *request);
void bio_complete(struct model *m, uint32_t device, const struct event *event,
		  const struct request *request);
void bio_split(struct model *m, uint32_t device, const struct event *event,
	       const struct request *request);
void bio_device_has_requests(struct model *m, uint32_t device);
/* The stream has ended. */
void bio_end_of(struct model *m, uint32_t device);
