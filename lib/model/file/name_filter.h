/* name_filter: which file names match --path and --exclude-path of a selection. */
#pragma once

#include "state/state.h"

void name_filter_add(struct model *m, uint32_t selection, bool is_exclusion, str_id glob);
void name_filter_release(struct model *m);
/* Whether there is a --path, and not only --exclude-path. */
bool name_filter_has_inclusions(const struct model *m, uint32_t selection);
/* Returns whether records of a file with this name (0: unknown) are recorded. */
bool name_is_wanted(struct model *m, uint32_t selection, str_id name);
/* Returns whether any selection wants it. */
bool name_is_wanted_by_any(struct model *m, str_id name);
/*
 * Returns the id of a file name. Names that cannot appear in the output share one id, so they take no memory. This is possible if all
 * patterns are absolute and match everything below what they match, and block requests cannot name the file.
 */
str_id name_add(struct model *m, const char *bytes, size_t length);
/* Returns the shared name. */
str_id name_stand_in(struct model *m);
/* Returns whether it is the shared name. */
bool name_is_stand_in(const struct model *m, str_id name);
