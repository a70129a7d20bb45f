/* publisher: writes the file that publication.h describes. */
#pragma once

#include <iotrace/publication.h>

struct error;
struct publisher;
struct publisher_options {
	const char *directory, *name, *magic;
	const char *boot_id; /* "": unknown */
	uint32_t slots, rows, row_size;
	uint64_t interval, start;
};

/* Creates the file beside an older one, and replaces it. Its space is reserved. Returns NULL with a message. */
struct publisher *publisher_open(const struct publisher_options *options, struct error *err);
/* Returns the next slot, cleared except for its rows. Readers do not use it until publisher_put(). */
struct publication_slot *publisher_next(struct publisher *publisher);
void *publisher_row(struct publisher *publisher, uint32_t index);
void publisher_put(struct publisher *publisher);
/* Says since when nobody counts (0: somebody does), and for how long nobody has counted before. */
void publisher_uncounted(struct publisher *publisher, uint64_t since, uint64_t uncounted);
/* Says in the file that the daemon has stopped. */
void publisher_close(struct publisher *publisher);
