/* span_probe: the probes of programs that a span needs. */
#pragma once

#include <iotrace/recording.h>
#include <iotrace/span.h>

struct error;

/*
 * Finds the locations of all probes of the span, and adds them to recording->probes; then the span's events are their
 * tracepoints. `command`: the words of the command, or NULL. Returns 0, or -errno with a message that contains the nearest names.
 */
int span_find_probes(struct span *span, struct recording *recording, char *const *command,
		     struct error *err);
/* Returns whether some of its events are probes of programs. */
bool span_wants_probes(const struct span *span);
/* Closes the files of all probes, and forgets them. */
void span_release_probes(struct recording *recording);
