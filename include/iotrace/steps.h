/*
 * steps: the last hour of a daemon in constant memory: what each device, file system and connection did in each step.
 *
 * A step has HISTORY_STEP intervals of the daemon, and there are HISTORY_SLOTS steps: an hour with the default interval. A step has room
 * for HISTORY_ROWS owners; the least busy of more are one row for each view.
 */
#pragma once

#include <iotrace/publication.h>

struct publisher;
struct steps;
struct totals;

/* Returns a history without steps. */
struct steps *steps_new(void);
void steps_free(struct steps *steps);
/* Call it after each interval. Returns whether a step is complete, so that steps_publish() fills a slot. */
bool steps_add(struct steps *steps, const struct totals *totals);
/* Writes the step that is complete. */
void steps_publish(const struct steps *steps, struct publisher *publisher);
