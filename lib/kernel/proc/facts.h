/* facts: collects facts as records of the stream until a round takes them. */
#pragma once

#include <iotrace/fact.h>
#include <iotrace/sample.h>

struct facts {
	const struct sample_layout *layout; /* of the event "iotrace:fact"; lent */
	uint64_t id;                        /* its kernel id */
	uint8_t *bytes;                     /* complete records */
	uint32_t size, cap;
};

enum { FACTS_PART = 8000 }; /* maximum size of one part of a long text, in bytes */

void facts_init(struct facts *facts, const struct sample_layout *layout, uint64_t id);
void facts_release(struct facts *facts);
/* Empties it, after a round has taken the bytes. */
void facts_clear(struct facts *facts);

/* Appends a fact that became known at `time`. Truncates strings that are too long. */
void facts_add(struct facts *facts, const struct fact *fact, uint32_t pid, uint64_t time);
/* Appends the format of a tracepoint, in several parts if necessary. */
void facts_add_format(struct facts *facts, const char *system, const char *name, const char *text,
		      uint64_t time);

/* Appends everything in `from`, and empties that. */
void facts_move(struct facts *facts, struct facts *from);

#ifndef __cplusplus
/* Returns the string of a fact from a terminated text. */
static inline struct fact_string fact_text(const char *text)
{
	return (struct fact_string){text, (uint32_t)__builtin_strlen(text)};
}
#endif
