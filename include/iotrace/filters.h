/*
 * filters: what a recording was to keep (--path, --comm, --uid, --cgroup, --device), and what it met instead.
 */
#ifndef IOTRACE_FILTERS_H
#define IOTRACE_FILTERS_H

#include <iotrace/model.h>

#ifdef __cplusplus
extern "C" {
#endif

struct model_filter {
	enum fact_filter kind;
	str_id text; /* a glob, or a name */
};

uint32_t model_filters(const struct model *model);
/* Lent. */
const struct model_filter *model_filter(const struct model *model, uint32_t index);

/* Returns whether a name of a file passed --path; and how many calls did not, since they were on other files or on none. */
bool model_met_path(const struct model *model);
uint64_t model_calls_elsewhere(const struct model *model);

/* The command names of the first few tasks that made calls and were left out. */
enum { MODEL_OTHERS = 3 };
/* Returns how many of them there are. */
uint32_t model_others(const struct model *model, str_id name[MODEL_OTHERS]);

#ifdef __cplusplus
}
#endif
#endif
