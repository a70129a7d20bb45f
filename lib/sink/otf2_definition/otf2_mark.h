/* otf2_mark: markers: losses, pauses, marks of users. */
#pragma once

#include "otf2_state.h"

/* Keeps an event without a location. It becomes a marker at the end. */
void otf2_mark(struct sink *sink, const struct io_event *event);
bool otf2_write_markers(struct sink *sink);
