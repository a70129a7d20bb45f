/*
 * request: block requests as spans. A request begins when it is inserted or issued, whichever comes first, as in model/block.
 * Without spec.is_of_requests no program is loaded.
 */
#pragma once

#include "bpf/block/origin.h"
#include "bpf/block/pair.h"

/* A request that its driver gave back, and that is inserted or issued again, is the same one. */
static __always_inline int request_step(struct request *request, uint32_t issued)
{
	struct bpf_span_open *open, new = {.group = device_of_request(request)};
	struct bpf_span_books *books = books_of_cpu();
	struct origin origin;

	if (!books || !is_of_chosen(new.group))
		return 0;
	open = find_one(request);
	if (open && !(open->moves & BPF_SPAN_ISSUED)) {
		open->moves |= issued;
		return 0;
	}
	if (open) { /* its end was missed */
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(request, open);
	}
	origin = request_origin(request, new.group);
	if (!origin.counts)
		return 0;
	new.moves = moves_of(request->cmd_flags) | issued;
	begin_one(request, &new, origin.task);
	return 0;
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(request_waits, struct request *request)
{
	return request_step(request, 0);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(request_goes, struct request *request)
{
	return request_step(request, BPF_SPAN_ISSUED);
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(request_returns, struct request *request)
{
	struct bpf_span_open *open = find_one(request);

	if (open)
		open->moves &= ~BPF_SPAN_ISSUED;
	return 0;
}

/* Another request has taken what this one moves. */
SEC("tp_btf/block_rq_merge")
int BPF_PROG(request_merges, struct request *request)
{
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open = find_one(request);

	if (!books || !open)
		return 0;
	__sync_fetch_and_add(&books->cancelled, 1);
	drop_one(request, open);
	return 0;
}

/* A request with a flush behind it ends a second time. Its data ended before. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(request_ends, struct request *request, int status, unsigned int bytes)
{
	struct bpf_span_open *open = find_one(request);

	if (!open)
		return 0;
	if (status)
		open->moves |= BPF_SPAN_FAILED;
	else
		open->bytes += bytes;
	if (bytes >= request->__data_len)
		end_one(request, open);
	return 0;
}
