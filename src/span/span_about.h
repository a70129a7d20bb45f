/* span_about: what the programs that count a span must know of the values of its group, which are numbers of calls: COUNTED_VALUES. */
#pragma once

#include "span_options.h"

#include <iotrace/syscall.h>

/* Returns whether calls of the group are recorded for spans of the model. */
bool span_about_has_group(const struct span_options *options, enum call_group group);
/* Returns whether bytes of asynchronous requests count, too. */
bool span_about_has_async(const struct span_options *options);
/* Which values count, and what they move. */
void span_about_values(const struct span_options *options, const struct span *span, uint8_t *about);
/* These change the result of span_about_values(). Which calls count for file systems, as what, and which argument leads to the file: */
void span_about_file_systems(const struct span_options *options, uint8_t *about, uint8_t *fd);
/* Which calls are operations, of which kind, and which arguments lead to their files. */
void span_about_operations(struct span_options *options, uint8_t *about);
/* Which calls are recorded, and what they move. */
void span_about_recorded(const struct span_options *options, uint8_t *about);
