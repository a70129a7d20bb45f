/* live_put: puts records into the spool. */
#pragma once

#include "live_state.h"

/* live_room() returns space in the spool, or NULL if there will be none. live_put() puts records there. */
void *live_room(struct live *live, uint64_t size);
void live_put(struct live *live, const void *records, uint32_t size);
/* Puts the gathered facts into the spool; then the mark that ends a round. */
void live_put_facts(struct live *live);
void live_end_round(struct live *live);
