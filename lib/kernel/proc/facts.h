/*
 * facts: facts as records of the stream, gathered until the round takes them.
 */
#pragma once

#include <iotrace/fact.h>
#include <iotrace/sample.h>

struct facts {
	const struct sample_layout *layout; /* of the event "iotrace:fact"; lent */
	uint64_t id;                        /* its kernel id */
	uint8_t *bytes;                     /* whole records */
	uint32_t size, cap;
};

enum { FACTS_PART = 8000 }; /* bytes of one part of a long text */

void facts_init(struct facts *facts, const struct sample_layout *layout, uint64_t id);
void facts_release(struct facts *facts);
/* The bytes were taken: begins anew. */
void facts_clear(struct facts *facts);

/* Appends a fact that became known at `time`. Strings that are too long are cut. */
void facts_add(struct facts *facts, const struct fact *fact, uint32_t pid, uint64_t time);
/* Appends a tracepoint's format, in as many parts as it needs. */
void facts_add_format(struct facts *facts, const char *system, const char *name, const char *text,
		      uint64_t time);

/* Appends all that `from` has gathered, and empties it. */
void facts_move(struct facts *facts, struct facts *from);

#ifndef __cplusplus
/* A fact's string of terminated text. */
static inline struct fact_string fact_text(const char *text)
{
	return (struct fact_string){text, (uint32_t)__builtin_strlen(text)};
}
#endif
