/*
 * uring: what the programs read of io_uring, in the kernel and in the program.
 */
#ifndef BPF_URING_H
#define BPF_URING_H

#include "kernel.h"

enum { KERNEL_THREAD = 0x00200000 }; /* PF_KTHREAD */

enum {
	SQPOLL = 1 << 1, /* IORING_SETUP_SQPOLL */
	SQE_FIXED_FILE = 1 << 0,
	SQE_BUFFER_SELECT = 1 << 5,
	SQE_SKIP = 1 << 6,
	CQE_MORE = 1 << 1,
};

/* What io_uring_register is asked for. */
enum {
	REGISTER_FILES = 2,
	UNREGISTER_FILES = 3,
	REGISTER_FILES_UPDATE = 6,
	REGISTER_FILES2 = 13,
	REGISTER_FILES_UPDATE2 = 14,
};

/* What a message to another ring is: a number, or a fixed file. */
enum { MESSAGE_FILE = 1 };

#define SLOT_ANY 0xffffffffU /* the kernel chooses which fixed file it becomes */

enum uring_opcode {
	OP_READV = 1,
	OP_WRITEV = 2,
	OP_FSYNC = 3,
	OP_READ_FIXED = 4,
	OP_WRITE_FIXED = 5,
	OP_SENDMSG = 9,
	OP_ACCEPT = 13,
	OP_OPENAT = 18,
	OP_CLOSE = 19,
	OP_FILES_UPDATE = 20,
	OP_READ = 22,
	OP_WRITE = 23,
	OP_SEND = 26,
	OP_RECV = 27,
	OP_OPENAT2 = 28,
	OP_MSG_RING = 40,
	OP_SOCKET = 45,
	OP_READ_MULTISHOT = 49,
	OP_READV_FIXED = 60,
	OP_WRITEV_FIXED = 61,
	OP_PIPE = 62,
};

struct io_ring_ctx {
	unsigned int flags;
} KERNEL;

struct io_cqe {
	uint64_t user_data;
	int fd;
} KERNEL;

struct io_uring_task {
	struct task_struct *task;
} KERNEL;

struct io_kiocb {
	struct file *file; /* what the opcode needs begins here, too */
	uint8_t opcode;
	uint64_t flags; /* of 32 bits in some kernels: only the lowest are asked for */
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	struct io_uring_task *tctx; /* whose it is: since Linux 6.13 */
	struct task_struct *task;   /* the same before */
} KERNEL;

struct kiocb {
	long long ki_pos;
} KERNEL;

struct io_rw {
	struct kiocb kiocb;
	uint64_t addr;
	uint32_t len;
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

/* What programs and kernel agree on: it is the same everywhere. */
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

#endif
