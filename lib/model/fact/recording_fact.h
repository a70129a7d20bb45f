/* recording_fact: facts about the recording itself: its options, its job, and its end. */
#pragma once

#include "state/state.h"

/* Returns a text of the fact, among the strings of the trace. */
str_id fact_text(struct model *m, const struct event *event, uint32_t index);
/* Whether the duration is that of the recording instead of that of the command: with -a, with -p, or if the command still runs. */
bool host_lasts_until_end(const struct model *m);
void recording_fact_end(struct model *m, const struct event *event);
void recording_fact_job(struct model *m, const struct event *event);
void recording_fact_option(struct model *m, const struct event *event);
