/* filters_json: the filters of a command. Commands that join a recording may have different ones. */
#pragma once

#include <iotrace/trace.h>
#include <json.h>

/* `all`: the call groups of the recording, for commands without their own; 0: unknown. */
uint32_t filters_groups(const struct trace *trace, uint32_t selection, uint32_t all);
/* Returns the groups that any command has. */
uint32_t filters_all_groups(const struct trace *trace, uint32_t all);
json_object *filters_json(const struct trace *trace, uint32_t selection, uint32_t all);
/* Returns the names of call groups, NULL for 0. */
json_object *filters_json_groups(uint32_t groups);
