/* chosen: an event of -e: any tracepoint, with all its fields or the named ones. */
#pragma once

#include "tracepoint.h"

#include <iotrace/decode.h>

#define CHOSEN_NONE UINT32_MAX

struct chosen;

/* `text` is SYSTEM:EVENT[=FIELD,...], and is copied. */
struct chosen *chosen_new(const char *text);
void chosen_free(struct chosen *chosen);
/* Parses the event's format. Returns NULL, or a sentence about skipped fields (the caller frees it). */
char *chosen_add_format(struct chosen *chosen, const char *system, const char *text, size_t size);
/* Returns NULL until the format has arrived. */
const struct decode_event *chosen_event(const struct chosen *chosen);
/* Fills kind and union of the event. */
enum decoded chosen_decode(struct chosen *chosen, uint32_t index, const struct sample *sample,
			   struct event *event);
