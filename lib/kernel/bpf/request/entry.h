/*
 * entry: what a program requested of io_uring, as it wrote it into the ring.
 *
 * Since Linux 5.19, the kernel's request keeps all that the programs need.
 */
#pragma once

#include "aio.h"
#include "bpf/base/peek.h"
#include "uring.h"

/* Whether the request keeps the descriptor, and the position that was requested. */
static __always_inline bool keeps_entry(struct io_kiocb *request)
{
	return bpf_core_field_exists(request->cqe.fd);
}

/*
 * Reads the entry of the request that is being submitted: the last one taken. The program does not change it until the whole
 * batch is taken.
 */
static __always_inline void read_entry(struct sqe_user *entry, struct io_kiocb *request)
{
	struct io_ring_ctx___entries *ctx = (void *)PEEK(request, ctx);
	uint32_t at = (PEEK(ctx, cached_sq_head) - 1) & (PEEK(ctx, sq_entries) - 1), index;

	if (bpf_probe_read_kernel(&index, sizeof(index), PEEK(ctx, sq_array) + at) ||
	    bpf_probe_read_kernel(entry, sizeof(*entry), PEEK(ctx, sq_sqes) + index))
		*entry = (struct sqe_user){.fd = AIO_FD_NONE};
}
