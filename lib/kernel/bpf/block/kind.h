/* kind: the kinds of requests and bios, as <iotrace/request.h> has them. */
#pragma once

#include "bpf/block/block.h"

#include <iotrace/request.h>

const volatile uint32_t zone_append; /* number of this operation, which differs between kernels */

/* flags: cmd_flags or bi_opf */
static __always_inline uint32_t kind_of(uint32_t flags)
{
	uint32_t operation = flags & OPERATION;

	switch (operation) {
	case REQ_OP_READ:
		return REQUEST_READ;
	case REQ_OP_WRITE:
		return REQUEST_WRITE;
	case REQ_OP_FLUSH:
		return REQUEST_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return REQUEST_DISCARD;
	case REQ_OP_WRITE_ZEROES:
		return REQUEST_ZEROES;
	default:
		return operation == zone_append ? REQUEST_WRITE : REQUEST_OTHER;
	}
}
