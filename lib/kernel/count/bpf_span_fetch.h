/* bpf_span_fetch: finds the fields of probes for the programs that count spans, in the probes' lines of uprobe_events. */
#pragma once

#include "bpf_span_probe.h"

struct error;
struct recording_probe;
struct recording_probes;

/* The probes of one event, at all places where it occurs. */
struct bpf_span_found {
	const struct recording_probe *probe; /* lent */
	uint32_t count;                      /* 0: the event is no probe */
};

struct bpf_span_found bpf_span_find_probe(const struct recording_probes *probes, const char *event);
/* Fills the sites, without fields. Returns 0, or -ENOTSUP with a message. */
int bpf_span_find_sites(struct bpf_span_probe *to, const struct bpf_span_found *found,
			struct error *err);
/* Finds a number or a text at all sites. Returns 1; 0 if the probe does not have it; -ENOTSUP with a message. */
int bpf_span_find_field(struct bpf_span_probe *to, const struct bpf_span_found *found,
			uint32_t number, const char *name, bool wants_text, struct error *err);
/* What the return of a function needs of its entry. */
struct bpf_span_wish {
	const char *name;
	bool is_text;
	uint8_t match; /* see struct bpf_span_fetch */
};
/*
 * The same at the entry of a function, for its return. The fields get their own numbers: *kept. The same wish has one number.
 */
int bpf_span_find_kept(struct bpf_span_entry *to, const struct bpf_span_found *found,
		       const struct bpf_span_wish *wish, uint8_t *kept, struct error *err);
