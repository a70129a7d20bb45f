/* span_choice: decides which spans the kernel counts. */
#pragma once

#include "span_options.h"

struct error;
struct live;

/*
 * Chooses the spans that the kernel can count, so that only numbers leave it, and adds them to the recording. With -v, it prints
 * for the others why not.
 */
void span_choice_make(struct span_options *options);
/* Returns whether the rows are file systems: the kernel counts calls, or the model has the spans of calls. */
bool span_choice_is_of_file_systems(const struct span_options *options);
/* Returns whether the span was chosen. */
bool span_choice_has(const struct span_options *options, uint32_t span);
/* Returns 0, or -ENOTSUP with a message if events of users that are not chosen would be among the others. */
int span_choice_check_users(const struct span_options *options, const struct live *live,
			    struct error *err);
void span_choice_release(struct span_options *options);
