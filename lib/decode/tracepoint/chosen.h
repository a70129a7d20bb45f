/*
 * chosen: an event of -e: any tracepoint, with all its fields or those that were named.
 */
#pragma once

#include "tracepoint.h"

#include <iotrace/decode.h>

#define CHOSEN_NONE UINT32_MAX

struct chosen;

/* `text` is SYSTEM:EVENT[=FIELD,...]; copied. */
struct chosen *chosen_new(const char *text);
void chosen_free(struct chosen *chosen);
/* Takes the event's format. Returns NULL, or a sentence about fields that cannot be told (the caller frees it). */
char *chosen_add_format(struct chosen *chosen, const char *system, const char *text, size_t size);
/* Returns NULL as long as the format has not come. */
const struct decode_event *chosen_event(const struct chosen *chosen);
/* Fills kind and union of the event. */
enum decoded chosen_decode(const struct chosen *chosen, uint32_t index, const struct sample *sample,
			   struct event *event);
