/* bpf: reads the records of the event "iotrace:bpf"; see bpf_record.h. */
#pragma once

#include "tracepoint/tracepoint.h"

#include <iotrace/bpf_record.h>

enum {
	BPF_NAME_ROOM = 4096 + 16, /* PATH_MAX, and the characters around special names */
	BPF_RWBS_ROOM = 10,
};

/* Texts that are built from records; an event lends them until the next one. */
struct bpf_text {
	char name[EVENT_FILES][BPF_NAME_ROOM];
	char base[EVENT_PATHS][BPF_NAME_ROOM];
	char rwbs[BPF_RWBS_ROOM];
};

/* Fills the event from the sample's raw data. arch: of the recording machine; NULL: unknown, and calls are skipped. */
enum decoded bpf_decode(struct bpf_text *text, const struct sample *sample, const struct arch *arch,
			struct event *event);

/* See decode_is_passing(). */
bool bpf_is_passing(const struct sample *sample, const struct arch *arch);

/*
 * bpf_name.c: converts the names of a FILE part into a path, or for files without a path into the text of /proc/PID/fd/N.
 * Returns whether they follow their format. at is NULL if the name is unknown.
 */
bool bpf_file_name(char room[BPF_NAME_ROOM], const struct bpf_part_file *part, const char *names,
		   size_t size, struct event_string *name);
