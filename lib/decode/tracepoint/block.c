/*
 * block: steps of block requests and bios.
 *
 * A tracepoint has the device in the kernel's dev_t format, and the operation as letters (rwbs): a leading F if the drive must
 * flush its cache first, one or two letters for the operation, then letters for its flags.
 */
#include "tracepoint.h"

#include <sys/sysmacros.h>

/* Indices of the fields that all rows share; the following fields differ from row to row. */
enum { BLOCK_DEV, BLOCK_SECTOR, BLOCK_RWBS, BLOCK_SECTORS, BLOCK_MORE, BLOCK_LAST };

#define SECTOR_NONE UINT64_MAX

/* The kernel's MKDEV(): 12 bits of major, 20 of minor. */
static uint32_t device(int64_t dev)
{
	uint32_t number = (uint32_t)dev;

	return (uint32_t)makedev(number >> 20, number & ((1U << 20) - 1));
}

static bool string_at(const struct tracepoint *tp, uint32_t index, const struct sample *sample,
		      struct event_string *string)
{
	return field_string(&tp->field[index], sample, string);
}

static uint64_t number_at(const struct tracepoint *tp, uint32_t index, const struct sample *sample)
{
	return (uint64_t)field_value(&tp->field[index], sample->raw);
}

/*
 * Reads the fields that all steps have, except the name. A split has the sector where the rest begins, but not the length of the
 * first part.
 */
enum decoded decode_block_step(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event)
{
	struct request *request = &event->request;
	uint64_t sectors = number_at(tp, BLOCK_SECTORS, sample);

	event->kind = EVENT_REQUEST;
	*request = (struct request){.step = (enum request_step)tp->row->step,
				    .dev = device(field_value(&tp->field[BLOCK_DEV], sample->raw)),
				    .sector = number_at(tp, BLOCK_SECTOR, sample),
				    .old_sector = SECTOR_NONE};
	if (request->step == REQUEST_SPLIT) {
		request->old_sector = sectors;
		sectors -= request->sector;
	}
	request->sectors = (uint32_t)sectors;
	if (!string_at(tp, BLOCK_RWBS, sample, &request->rwbs))
		return DECODED_MALFORMED;
	request->type = request_kind(request);
	return DECODED_EVENT;
}

static enum decoded fill_named(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event, uint32_t name)
{
	enum decoded decoded = decode_block_step(tp, sample, event);

	if (decoded == DECODED_EVENT && !string_at(tp, name, sample, &event->request.name))
		return DECODED_MALFORMED;
	return decoded;
}

/* Reads a step of a request that waits or goes to the device. */
enum decoded decode_block_request(const struct tracepoint *tp, const struct sample *sample,
				  struct event *event)
{
	enum decoded decoded = fill_named(tp, sample, event, BLOCK_LAST);

	event->request.bytes = (uint32_t)number_at(tp, BLOCK_MORE, sample);
	return decoded;
}

/* The kernel has negative errors; some old kernels counted errors as positive numbers. */
enum decoded decode_block_end(const struct tracepoint *tp, const struct sample *sample,
			      struct event *event)
{
	enum decoded decoded = decode_block_step(tp, sample, event);
	int64_t error = (int64_t)number_at(tp, BLOCK_MORE, sample);

	event->request.error = (int32_t)(error < 0 ? -error : error);
	return decoded;
}

enum decoded decode_block_bio(const struct tracepoint *tp, const struct sample *sample,
			      struct event *event)
{
	return fill_named(tp, sample, event, BLOCK_MORE);
}

/* The request began at the end of the bio, and begins where the bio does from now on. */
enum decoded decode_block_frontmerge(const struct tracepoint *tp, const struct sample *sample,
				     struct event *event)
{
	enum decoded decoded = fill_named(tp, sample, event, BLOCK_MORE);

	event->request.old_dev = event->request.dev;
	event->request.old_sector = event->request.sector + event->request.sectors;
	return decoded;
}

enum decoded decode_block_remap(const struct tracepoint *tp, const struct sample *sample,
				struct event *event)
{
	enum decoded decoded = decode_block_step(tp, sample, event);

	event->request.old_dev = device(field_value(&tp->field[BLOCK_MORE], sample->raw));
	event->request.old_sector = number_at(tp, BLOCK_LAST, sample);
	return decoded;
}
