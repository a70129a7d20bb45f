/* live_put: puts records into the spool. */
#include "live_put.h"

#include "live_signal.h"

#include <string.h>

void *live_room(struct live *live, uint64_t size)
{
	void *room;

	while (!(room = spool_room(live->spool, size))) {
		live_read_signals(live);
		if (spool_error(live->spool) || atomic_load(&live->interrupts) > 1 ||
		    atomic_load(&live->is_stopping))
			return NULL;
	}
	return room;
}

void live_put(struct live *live, const void *bytes, uint32_t size)
{
	void *room = live_room(live, size);

	if (!room) {
		spool_drop(live->spool, size);
		return;
	}
	memcpy(room, bytes, size);
	spool_commit(live->spool, size);
	live->unmarked += size;
}

/* Facts are whole records, and are cut into pieces like those of a ring. */
void live_put_facts(struct live *live)
{
	const uint8_t *at = live->facts.bytes;
	uint32_t left = live->facts.size;

	while (left) {
		uint32_t size = 0;
		struct perf_event_header header;

		while (size < left) {
			memcpy(&header, at + size, sizeof(header));
			if (size + header.size > spool_piece(live->spool))
				break;
			size += header.size;
		}
		live_put(live, at, size);
		at += size;
		left -= size;
	}
	facts_clear(&live->facts);
}

void live_end_round(struct live *live)
{
	struct perf_event_header mark = {.type = CAPTURE_RECORD_FINISHED_ROUND,
					 .size = sizeof(mark)};

	bool has_records = live->unmarked;

	/* A reader holds records back until one more round shows that none before them is missing. */
	if (!has_records && !(live->recording->is_watched && live->has_held))
		return;
	live->has_held = has_records;
	live_put(live, &mark, sizeof(mark));
	live->unmarked = 0;
	spool_end_round(live->spool);
	spool_flush(live->spool);
}
