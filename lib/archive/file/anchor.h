/* anchor: traces.otf2, the file that describes the other files of an archive. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct anchor {
	uint64_t event_chunk, definition_chunk, locations, definitions;
	uint8_t *bytes; /* contents of the whole file; owned */
	const char *creator;
	const char *property; /* name, value, next name ...: each ends with a NUL */
	uint32_t properties;
	size_t left; /* number of bytes from the first property on */
};

/* Returns NULL, or an error text. In both cases, the caller calls anchor_release(). */
const char *anchor_read(struct anchor *anchor, const char *dir);
/* Returns the value of a property, or NULL. Lent. */
const char *anchor_property(const struct anchor *anchor, const char *name);
void anchor_release(struct anchor *anchor);
