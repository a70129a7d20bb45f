/*
 * refused: what the kernel let no BPF program record, though the recording asked for it.
 */
#ifndef IOTRACE_REFUSED_H
#define IOTRACE_REFUSED_H

#include <iotrace/model.h>

#ifdef __cplusplus
extern "C" {
#endif

struct model_refused {
	str_id name;    /* "io_uring requests" */
	str_id why;     /* "this kernel has no tracepoint ..." */
	str_id instead; /* what recorded the same: "perf"; 0: nothing */
};

uint32_t model_refusals(const struct model *model);
/* Lent. */
const struct model_refused *model_refused(const struct model *model, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
