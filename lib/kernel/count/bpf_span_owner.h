/*
 * bpf_span_owner: groups that have an owner and a class. For the programs that count spans, and their loader.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

/* What a group belongs to, in its upper half; its lower half is a class. Flights are those of owners. */
enum bpf_span_owner {
	BPF_SPAN_NO_OWNER,
	BPF_SPAN_OF_DEVICE,      /* of a request; the class is what it moves */
	BPF_SPAN_OF_KEY,         /* the first field of the key; the class is the group */
	BPF_SPAN_OF_CONNECTION,  /* the same, but flights are those of both */
	BPF_SPAN_OF_FILE_SYSTEM, /* of the call's file; the class is that of the call */
	BPF_SPAN_OF_OPERATION, /* no owner: spans are operations, of which a call that copies has two */
};
enum { BPF_SPAN_OWNER_SHIFT = 32 };
/* Which argument of a call is the descriptor of its file. */
enum { BPF_SPAN_FD_NONE = 6, BPF_SPAN_FD_RESULT = 7 };
enum { BPF_SPAN_ERRNOS = 256 };
