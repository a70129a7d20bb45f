/*
 * entry: what a program asked io_uring for, as it wrote it into the ring.
 *
 * Since Linux 5.19 a request keeps what the programs need of it.
 */
#pragma once

#include "aio.h"
#include "bpf/base/peek.h"
#include "uring.h"

/* Whether a request keeps the descriptor, and the position as it was asked for. */
static __always_inline bool keeps_entry(struct io_kiocb *request)
{
	return bpf_core_field_exists(request->cqe.fd);
}

/* The entry of the request that is being taken: the last one. It is the kernel's until the whole round is taken. */
static __always_inline void read_entry(struct sqe_user *entry, struct io_kiocb *request)
{
	struct io_ring_ctx___entries *ctx = (void *)PEEK(request, ctx);
	uint32_t at = (PEEK(ctx, cached_sq_head) - 1) & (PEEK(ctx, sq_entries) - 1), index;

	if (bpf_probe_read_kernel(&index, sizeof(index), PEEK(ctx, sq_array) + at) ||
	    bpf_probe_read_kernel(entry, sizeof(*entry), PEEK(ctx, sq_sqes) + index))
		*entry = (struct sqe_user){.fd = AIO_FD_NONE};
}
