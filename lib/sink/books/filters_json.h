/* filters_json: which filters hold for a command: commands that join a recording may have different ones. */
#pragma once

#include <iotrace/trace.h>
#include <json.h>

/* `all`: the groups of calls of the recording, for commands without their own; 0: not known. */
uint32_t filters_groups(const struct trace *trace, uint32_t selection, uint32_t all);
/* Returns those that any command has. */
uint32_t filters_all_groups(const struct trace *trace, uint32_t all);
json_object *filters_json(const struct trace *trace, uint32_t selection, uint32_t all);
/* Returns the names of groups of calls, NULL for 0. */
json_object *filters_json_groups(uint32_t groups);
