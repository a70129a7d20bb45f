/*
 * verify_books: compares the counters in iotrace.json with the events.
 *
 * They must agree. An archive that ends early says so, and is not compared.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>
#include <unistd.h>

/* Limit in bytes, because the JSON library keeps everything in memory. */
enum { BOOKS_MOST = 64 << 20 };

static bool counter(struct json_object *top, const char *name, uint64_t *value)
{
	struct json_object *books, *counters, *number;

	if (!json_object_object_get_ex(top, "books", &books) ||
	    !json_object_object_get_ex(books, "counters", &counters) ||
	    !json_object_object_get_ex(counters, name, &number) ||
	    !json_object_is_type(number, json_type_int))
		return false;
	*value = (uint64_t)json_object_get_int64(number);
	return true;
}

static void compare(struct verify *v, struct json_object *top, const char *name, uint64_t events)
{
	uint64_t booked;

	if (counter(top, name, &booked) && booked != events)
		walk_deviates(&v->walk, "iotrace.json has %" PRIu64 " %s, the events %" PRIu64,
			      booked, name, events);
}

/* The archive shows operations that were aborted, without a reported end, or in flight at the end of the recording as cancelled. */
static void compare_cancelled(struct verify *v, struct json_object *top)
{
	uint64_t cancelled, in_flight, aborted = 0, unreported = 0;

	counter(top, "aborted", &aborted);
	counter(top, "unreported", &unreported);
	aborted += unreported;
	if (counter(top, "cancelled", &cancelled) && counter(top, "in_flight", &in_flight) &&
	    cancelled + aborted + in_flight != v->report->cancelled)
		walk_deviates(&v->walk,
			      "iotrace.json has %" PRIu64 " cancelled and %" PRIu64
			      " in flight, the events %" PRIu64 " cancelled",
			      cancelled + aborted, in_flight, v->report->cancelled);
}

struct json_object *verify_read_books(const char *dir, const char **wrong)
{
	struct json_object *top = NULL;
	uint64_t size;
	int fd = file_descriptor(dir, "iotrace.json", &size, wrong);

	if (fd < 0)
		return NULL;
	if (size > BOOKS_MOST)
		*wrong = "is larger than 64 MiB";
	else
		top = json_object_from_fd(fd);
	close(fd);
	return top;
}

void verify_books(struct verify *v)
{
	char *path = mem_format("%s/iotrace.json", v->walk.dir);
	const char *wrong = "is not JSON";
	struct json_object *top;

	v->report->has_books = access(path, F_OK) == 0;
	free(path);
	if (!v->report->has_books)
		return;
	top = verify_read_books(v->walk.dir, &wrong);
	if (!top)
		walk_deviates(&v->walk, "iotrace.json %s", wrong);
	if (top && !v->report->ends_early) {
		compare(v, top, "begun", v->report->begun);
		compare(v, top, "completed", v->report->completed);
		compare_cancelled(v, top);
	}
	json_object_put(top);
}
