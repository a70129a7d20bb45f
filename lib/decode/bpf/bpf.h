/* bpf: reads the records of the event "iotrace:bpf"; see bpf_record.h. */
#pragma once

#include "tracepoint/tracepoint.h"

#include <iotrace/bpf_name.h>
#include <iotrace/bpf_record.h>

enum { BPF_RWBS_ROOM = 10 };

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
