/*
 * keep: --path and --exclude-path: which files' records leave the model.
 *
 * A location is told of with the first record on it that is kept, and so is the begin of its thread or program.
 */
#ifndef IOTRACE_MODEL_KEEP_H
#define IOTRACE_MODEL_KEEP_H

#include "state.h"

void keep_add(struct model *m, bool is_exclusion, str_id glob);
void keep_release(struct model *m);
/* Returns whether records of a file of this name (0: not known) are kept. */
bool keep_name(struct model *m, str_id name);
/*
 * Returns the id of a file's name. Names of which no record can leave the model share one, so that they take no memory. That is
 * so if all patterns are of paths and match whatever is below what they match, and no block request may tell of the file.
 */
str_id keep_text(struct model *m, const char *bytes, size_t length);
/* Returns whether it is the name that they share. */
bool keep_is_stand_in(const struct model *m, str_id name);
/*
 * Returns whether the event, which concerns an open or ID_NONE, goes out. The begin of a call, whose file is often
 * known later only, waits for the first record in it that is kept, and goes out before it.
 */
bool keep_event(struct model *m, const struct io_event *event, uint32_t open);

#endif
