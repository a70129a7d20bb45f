/* uring_number: numbers of io_uring: flags, opcodes, and operations of io_uring_register. */
#pragma once

enum {
	SQPOLL = 1 << 1, /* IORING_SETUP_SQPOLL */
	SQE_FIXED_FILE = 1 << 0,
	SQE_DRAIN = 1 << 1,
	SQE_ASYNC = 1 << 4,
	SQE_BUFFER_SELECT = 1 << 5,
	SQE_SKIP = 1 << 6,
	CQE_MORE = 1 << 1,
};

/* Operations of io_uring_register. */
enum {
	REGISTER_FILES = 2,
	UNREGISTER_FILES = 3,
	REGISTER_FILES_UPDATE = 6,
	REGISTER_FILES2 = 13,
	REGISTER_FILES_UPDATE2 = 14,
};

/* Kinds of messages to another ring: a number, or a fixed file. */
enum { MESSAGE_FILE = 1 };

#define SLOT_ANY 0xffffffffU /* the kernel chooses the slot of the fixed file */

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
	OP_FD_INSTALL = 54,
	OP_READV_FIXED = 60,
	OP_WRITEV_FIXED = 61,
	OP_PIPE = 62,
};
