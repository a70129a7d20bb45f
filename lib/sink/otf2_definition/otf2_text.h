/* otf2_text: strings, by their ids. */
#pragma once

#include "otf2_state.h"

/* Returns the StringRef of the bytes, escaped to UTF-8 and at most SCRATCH_SIZE / 2 long. */
OTF2_StringRef otf2_string(struct sink *sink, const char *bytes, size_t length);
OTF2_StringRef otf2_text(struct sink *sink, const char *text);
OTF2_StringRef otf2_trace_string(struct sink *sink, str_id id);
/* The same for strings that repeat often, as with block requests: they are escaped once. */
OTF2_StringRef otf2_known_string(struct sink *sink, str_id id);
/* Returns the StringRef of a control group's name. If the name becomes known later, otf2_final_text() returns it at close. */
OTF2_StringRef otf2_cgroup_string(struct sink *sink, uint32_t cgroup);
/* Returns the final text of a string. Lent until the next string. */
const char *otf2_final_text(struct sink *sink, OTF2_StringRef string);
/*
 * Returns the StringRefs of a process's arguments, at least one (the caller frees them): argv[0] first, or the name of a process
 * whose arguments are unknown. If arguments are missing, the last is "[...]".
 */
OTF2_StringRef *otf2_words(struct sink *sink, const struct trace_process *process, uint32_t *count);
