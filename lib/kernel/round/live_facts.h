/* live_facts: adds facts to the stream: before its first record and after its last. */
#pragma once

#include "state/live_state.h"

void live_facts_begin(struct live *live); /* host, formats, command, mounts, devices */
void live_facts_state(struct live *live); /* tasks, directories and descriptors */
void live_facts_on(struct live *live);  /* after the events are enabled: counters of the devices */
void live_facts_off(struct live *live); /* before the events are disabled */
void live_facts_end(struct live *live, enum live_end end);
