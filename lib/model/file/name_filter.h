/*
 * name_filter: which names of files --path and --exclude-path want.
 */
#pragma once

#include "state/state.h"

void name_filter_add(struct model *m, bool is_exclusion, str_id glob);
void name_filter_release(struct model *m);
/* Whether certain files are asked for, and not only some left out. There is a filter. */
bool name_filter_is_choosy(const struct model *m);
/* Returns whether records of a file of this name (0: not known) are wanted. */
bool name_is_wanted(struct model *m, str_id name);
/*
 * Returns the id of a file's name. Names of which no record can leave the model share one, so that they take no memory. That is
 * so if all patterns are of paths and match whatever is below what they match, and no block request may name the file.
 */
str_id name_add(struct model *m, const char *bytes, size_t length);
/* Returns whether it is the name that they share. */
bool name_is_stand_in(const struct model *m, str_id name);
