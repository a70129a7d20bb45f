#include <iotrace/request.h>

#include <stdbool.h>
#include <string.h>

/*
 * "N" stands for requests without a letter: writing zeroes, and commands to the drive. Commands have no sector: the kernel writes
 * -1 or "0 + 0".
 */
static enum request_kind kind_without_letter(const struct request *request)
{
	bool is_at_none = request->sector == UINT64_MAX;

	return is_at_none || !request->sectors ? REQUEST_OTHER : REQUEST_ZEROES;
}

/* Of the zone commands, only append moves data. */
static enum request_kind kind_of_zone(const struct request *request, uint32_t at)
{
	bool is_append = at + 1 < request->rwbs.length && request->rwbs.at[at + 1] == 'A';

	return is_append ? REQUEST_WRITE : REQUEST_OTHER;
}

enum request_kind request_kind(const struct request *request)
{
	const struct event_string *rwbs = &request->rwbs;
	uint32_t at = 0;

	/* "FWS": a flush before the write. "FF", or "F" alone: the flush itself. */
	if (rwbs->length > 1 && rwbs->at[0] == 'F' && memchr("WDRZNF", rwbs->at[1], 6))
		at = 1;
	switch (at < rwbs->length ? rwbs->at[at] : 0) {
	case 'R':
		return REQUEST_READ;
	case 'W':
		return REQUEST_WRITE;
	case 'F':
		return REQUEST_FLUSH;
	case 'D':
		return REQUEST_DISCARD;
	case 'Z':
		return kind_of_zone(request, at);
	case 'N':
		return kind_without_letter(request);
	default:
		return REQUEST_OTHER;
	}
}
