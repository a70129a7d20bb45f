/* Private to the text sink: its state, and the functions that its files share. */
#pragma once

#include <iotrace/sink.h>
#include <iotrace/trace.h>
#include <stdio.h>

struct sink {
	FILE *out;
	char *path; /* for messages */
	const struct trace *trace;
	/* place: NULL: standard output; own_place: NULL if the place belongs to somebody else. */
	struct place *place, *own_place;
	struct sink_options options;
};

/* Prints "O_RDWR|O_CREAT": always the access mode, then the other flags, then the rest as a number. */
void text_flags(FILE *out, uint32_t flags);
/* Prints " f3", or " -" for ID_NONE. */
void text_id(FILE *out, char letter, uint32_t id);
/* text_defs.c: prints a string in quotes, after a space. */
void text_string(struct sink *sink, str_id id);
/* Prints " 101@100", " sda", " sda/samples" or similar. */
void text_location(struct sink *sink, thread_id id);
/* Prints all definitions of the trace: see text_defs.c. */
void text_definitions(struct sink *sink);
