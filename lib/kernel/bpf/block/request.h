/*
 * request: block requests as spans. A request begins when it is inserted or issued, whichever comes first, as in model/block.
 * Without spec.is_of_requests no program is loaded.
 */
#pragma once

#include "bpf/block/origin.h"
#include "bpf/block/pair.h"

static __always_inline void begin_request(struct request *request, uint32_t device, bool is_issued)
{
	uint32_t kind = kind_of(request->cmd_flags), moves = moves_of(kind);
	const struct bpf_span_open new = {.group = group_of_block(device, kind, moves),
					  .bytes = size_of(kind, request->__data_len),
					  .moves = moves};
	struct origin origin = request_origin(request, device);

	if (origin.counts)
		begin_one(request, &new, origin.task, is_issued);
}

/* A request that its driver gave back, and that is inserted or issued again, is the same one. */
static __always_inline int request_step(struct request *request, bool is_issued)
{
	struct bpf_span_books *books = books_of_cpu();
	uint32_t device = device_of_request(request);
	struct bpf_span_open *open;

	if (!books || !device || !is_of_chosen(device))
		return 0;
	open = find_one(request);
	if (open && !(open->moves & BPF_SPAN_ISSUED)) {
		if (is_issued)
			issue_one(open, size_of(kind_of(request->cmd_flags), request->__data_len),
				  books);
		return 0;
	}
	if (open) { /* its end was missed */
		__sync_fetch_and_add(&books->begun_again, 1);
		drop_one(request, open);
	}
	begin_request(request, device, is_issued);
	return 0;
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(request_waits, struct request *request)
{
	return request_step(request, false);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(request_goes, struct request *request)
{
	return request_step(request, true);
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(request_returns, struct request *request)
{
	struct bpf_span_open *open = find_one(request);

	if (open)
		open->moves &= ~BPF_SPAN_ISSUED;
	return 0;
}

/* Another request has taken what this one moves. What was never issued has not begun, as in model/block. */
SEC("tp_btf/block_rq_merge")
int BPF_PROG(request_merges, struct request *request)
{
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open = find_one(request);

	if (!books || !open)
		return 0;
	if (open->moves & BPF_SPAN_WAS_ISSUED)
		__sync_fetch_and_add(&books->cancelled, 1);
	else if (open->begin)
		__sync_fetch_and_add(&books->begun, -1);
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
	if (bytes >= request->__data_len)
		end_one(request, open);
	return 0;
}
