/* Private to the text sink: its state, and what its two files call of each other. */
#pragma once

#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdio.h>

struct sink {
	FILE *out;
	char *path; /* for messages */
	const struct trace *trace;
	struct place *place, *own_place; /* NULL: standard output; NULL: somebody else's */
	struct sink_options options;
};

/* "O_RDWR|O_CREAT": the access mode always, then what is set, then the rest as a number. */
void text_flags(FILE *out, uint32_t flags);
/* " f3", or " -" for ID_NONE. */
void text_id(FILE *out, char letter, uint32_t id);
/* text_defs.c: a string in quotes, with a space before it. */
void text_string(struct sink *sink, str_id id);
/* " 101@100", " sda", " sda/samples" ... */
void text_location(struct sink *sink, thread_id id);
/* Everything that the trace knows: see text_defs.c. */
void text_definitions(struct sink *sink);
