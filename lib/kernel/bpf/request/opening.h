/* opening: the ends of requests, and the files that they open. */
#pragma once

#include "entry.h"
#include "uring.h"

#include <iotrace/aio.h>

/* Some kernels lack fixed files for some requests. */
#define SLOT(type, command)                                                                        \
	(bpf_core_field_exists(struct type, file_slot) ? PEEK((struct type *)(command), file_slot) \
						       : 0)

/* is_old: a type that the kernel may lack must not be named, because libbpf would search all modules for it. */
static __always_inline uint32_t slot_of(struct io_kiocb *request, uint8_t opcode, bool is_old)
{
	void *command = (void *)&request->file;

	switch (opcode) {
	case OP_OPENAT:
	case OP_OPENAT2:
		return SLOT(io_open, command);
	case OP_ACCEPT:
		return SLOT(io_accept, command);
	case OP_SOCKET:
		return is_old ? 0 : SLOT(io_socket, command);
	case OP_CLOSE:
		return SLOT(io_close, command);
	default:
		return 0;
	}
}

static __always_inline bool opens(uint8_t opcode)
{
	return opcode == OP_OPENAT || opcode == OP_OPENAT2 || opcode == OP_ACCEPT ||
	       opcode == OP_SOCKET || opcode == OP_FD_INSTALL;
}

/* The end of a request, in the form of all kernel versions. */
struct ending {
	void *ring;
	struct io_kiocb *request; /* NULL: the request continues */
	uint64_t user_data;
	int32_t result;
	uint32_t flags;
	/* Number of the fixed file that it opens, counted from 1; SLOT_ANY; 0: none. */
	uint32_t slot;
	uint8_t opcode; /* 0: unknown */
};

/* What a request opens, for completions that do not name their request: found by its ring and the program's number for it. */
struct opening {
	uint64_t ring, user_data;
};

struct opened {
	uint32_t opcode, slot;
};

enum { OPENINGS = 1024 };

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, OPENINGS);
	__type(key, struct opening);
	__type(value, struct opened);
} openings SEC(".maps");

/* A request may accept many connections. Only its last completion names the request. */
static __always_inline void note_opening(const struct bpf_record_aio *aio, struct io_kiocb *request,
					 uint32_t slot)
{
	struct opening opening = {(uint64_t)PEEK(request, ctx), aio->user_data};
	struct opened opened = {aio->opcode, slot};

	if ((!keeps_entry(request) || aio->opcode == OP_ACCEPT) && opens(aio->opcode))
		bpf_map_update_elem(&openings, &opening, &opened, BPF_ANY);
}

/* Finds the opening of a request that the completion does not name. */
static __always_inline void find_opening(struct ending *ending)
{
	struct opening opening = {(uint64_t)ending->ring, ending->user_data};
	struct opened *opened = NULL;

	if (ending->request) {
		ending->opcode = PEEK(ending->request, opcode);
		ending->slot = slot_of(ending->request, ending->opcode, false);
	}
	if (!ending->request || ending->opcode == OP_ACCEPT)
		opened = bpf_map_lookup_elem(&openings, &opening);
	if (!opened)
		return;
	ending->opcode = opened->opcode;
	ending->slot = opened->slot;
	if (!(ending->flags & CQE_MORE))
		bpf_map_delete_elem(&openings, &opening);
}
