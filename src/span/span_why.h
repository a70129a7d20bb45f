/*
 * span_why: why the kernel cannot count a span, so that it is recorded. Each function returns a part of a sentence, or NULL if the kernel
 * can; the text is static.
 */
#pragma once

#include "span_options.h"

/* The points that the kernel has programs for, of each side; COUNTED_POINTS ends them. */
extern const uint8_t span_counted_points[SPAN_SIDES][COUNTED_POINTS];

/* What is true of all spans. of_tasks: of those that begin in the task that they belong to. */
const char *span_why_none(const struct span_options *options, bool of_tasks);
const char *span_why_not(const struct span_options *options, const struct span *span);
/* A span of calls. */
const char *span_why_not_calls(const struct span_options *options);
/* Another span of the model. */
const char *span_why_not_operations(const struct span_options *options, const struct span *span);
/* A span of block requests or asynchronous operations. */
const char *span_why_not_requests(const struct span_options *options);
