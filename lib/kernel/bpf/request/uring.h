/* uring: the parts of io_uring's structures that the programs read, in the kernel and in user memory. */
#pragma once

#include "bpf/base/kernel.h"
#include "uring_number.h"

enum { KERNEL_THREAD = 0x00200000 }; /* PF_KTHREAD */

struct io_kiocb;

/* Linked requests, which wait until the last of them is submitted. */
struct io_submit_link {
	struct io_kiocb *head;
} KERNEL;

struct io_submit_state {
	struct io_submit_link link;
} KERNEL;

/* A fixed file since Linux 6.13. */
struct io_rsrc_node {
	unsigned long file_ptr;
} KERNEL;

struct io_rsrc_data {
	unsigned int nr;
	struct io_rsrc_node **nodes;
} KERNEL;

struct io_file_table {
	struct io_rsrc_data data; /* since Linux 6.13 */
	void *files;              /* before Linux 6.13: 64 bits for each */
	unsigned int alloc_hint;  /* since Linux 5.19 */
} KERNEL;

struct io_ring_ctx {
	unsigned int flags, nr_user_files;
	struct io_submit_state submit_state;
	struct io_file_table file_table;
} KERNEL;

struct sqe_user; /* in user memory */

/* The entries that the program wrote, and the index of the next one. Needed if requests do not keep their contents. */
struct io_ring_ctx___entries {
	uint32_t *sq_array;
	unsigned int cached_sq_head, sq_entries;
	struct sqe_user *sq_sqes;
} KERNEL;

struct io_cqe {
	uint64_t user_data;
	int fd;
} KERNEL;

struct io_uring_task {
	struct task_struct *task;
} KERNEL;

struct io_kiocb {
	struct file *file; /* the fields of the opcode also begin here */
	uint8_t opcode;
	uint64_t flags; /* 32 bits in some kernels, but only the lowest are used */
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	struct io_uring_task *tctx; /* owner, since Linux 6.13 */
	struct task_struct *task;   /* owner, before Linux 6.13 */
} KERNEL;

/* The struct before Linux 5.19. */
struct io_kiocb___old {
	uint64_t user_data;
} KERNEL;

struct kiocb {
	long long ki_pos;
} KERNEL;

struct io_rw {
	struct kiocb kiocb;
	uint64_t addr;
	uint32_t len;
	int flags; /* RWF_... */
} KERNEL;

struct io_sr_msg {
	int len;
} KERNEL;

struct io_close {
	int fd;
	uint32_t file_slot;
} KERNEL;

struct io_open {
	uint32_t file_slot;
} KERNEL;

struct io_accept {
	uint32_t file_slot;
} KERNEL;

struct io_socket {
	uint32_t file_slot;
} KERNEL;

struct io_msg {
	uint32_t cmd;
} KERNEL;

struct io_rsrc_update {
	uint32_t nr_args, offset;
} KERNEL;

struct io_uring_cqe {
	uint64_t user_data;
	int32_t res;
	uint32_t flags;
} KERNEL;

/* Structures of the user interface, which are the same in all kernels. */
struct sqe_user {
	uint8_t opcode, flags;
	uint16_t priority;
	int32_t fd;
	int64_t offset;
	uint64_t address;
	uint32_t size, rw_flags;
	uint64_t user_data, more[3];
};

struct files_update_user {
	uint32_t offset, reserved;
	uint64_t fds;
};

struct rsrc_register_user {
	uint32_t count, flags;
	uint64_t reserved, data, tags;
};

struct rsrc_update_user {
	uint32_t offset, reserved;
	uint64_t data, tags;
};
