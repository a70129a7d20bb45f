/* stat_virtiofs: the requests that the virtiofsds of this machine serve, as a span of probes. */
#pragma once

struct error;

/* Returns the definition of the span "virtiofs" over the programs that run now, to be freed; or NULL with a message. */
char *stat_virtiofs_span(struct error *err);
