/* span_stack: the functions of stacks. */
#pragma once

#include <iotrace/span_report.h>

struct span_run;
struct span_stacks;

/* Called while iotrace has the right to see kernel addresses, and while the processes run. */
struct recording;
struct span_stacks *span_stacks_new(const struct recording *recording);
void span_stacks_free(struct span_stacks *stacks);
/* For leaks_merge_stacks(): returns the first stack with the same functions and lines. Call span_stacks_symbols() before. */
uint32_t span_stacks_same(void *stacks, uint32_t stack);
/* Returns the functions to look up symbols in what the run has seen; lent until the next call. */
const struct span_symbols *span_stacks_symbols(struct span_stacks *stacks,
					       const struct span_run *run);
