/*
 * totals: what a daemon has counted since it began, by owner and operation, in constant memory.
 *
 * The numbers come as lines from the process that counts, since the line before: totals_line(). A row that has been idle for long makes
 * room for a new one. Without room, numbers are those of the owner PUBLICATION_REST.
 */
#pragma once

#include <iotrace/publication.h>

struct publisher;
struct totals;

/* Writes the name of a new row's owner and of its operation, in any bytes. */
typedef void (*totals_name)(void *context, struct publication_row *row);

struct totals *totals_new(totals_name name, void *context);
void totals_free(struct totals *totals);
/*
 * Takes a line of the process that counts. Returns 1 if an interval is complete; 0; or -EBADMSG, and nothing is changed:
 *
 * F FROM TO REALTIME              begin of an interval, in ns
 * G VIEW OWNER KIND OPS SUM MAX IN_FLIGHT OLDEST IS_HUNG [BUCKET:COUNT]...
 * O VIEW OWNER READ WRITTEN ERRORS BUSY IN_FLIGHT OLDEST IS_HUNG
 * B VIEW BEGUN ENDED CANCELLED LEFT BEGUN_AGAIN FULL UNGROUPED MISSED
 * E ERRNO COUNT
 * .                               end of the interval
 */
int totals_line(struct totals *totals, const char *line);
/* The process that counts was started again: nothing is in flight. */
void totals_restart(struct totals *totals);
/* Calls the function of names again for each row. */
void totals_rename(struct totals *totals);
uint32_t totals_rows(const struct totals *totals);
/* Lent; valid until the next line. */
const struct publication_row *totals_row(const struct totals *totals, uint32_t index);
/* The times of the last interval, its accounting and the errors: everything in a slot but its rows. */
const struct publication_slot *totals_slot(const struct totals *totals);
/* Fills the next slot of the publisher. */
void totals_publish(const struct totals *totals, struct publisher *publisher);
