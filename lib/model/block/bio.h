/*
 * bio: which task queued which bio, and operations of devices that have no requests.
 *
 * The steps of a device show whether it has requests: a step of a request proves it, and the end of a bio proves the opposite, because
 * bios of a request have no end of their own. Until then its bios are stored.
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
/* Decides at the end of the stream about the bios that are stored: they are operations, or are skipped. */
void bio_end_of(struct model *m, uint32_t device);
