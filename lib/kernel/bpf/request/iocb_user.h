/* iocb_user: the iocbs of io_submit and the events of io_getevents in the program's memory, which are the same in all kernels. */
#pragma once

#include "bpf/base/kernel.h"

enum { IOCB_PREAD = 0, IOCB_PWRITE = 1, IOCB_PREADV = 7, IOCB_PWRITEV = 8 };

struct iocb_user {
	uint64_t data;
	uint32_t key, rw_flags;
	uint16_t opcode, priority;
	uint32_t fd;
	uint64_t buffer, bytes;
	int64_t offset;
	uint64_t reserved;
	uint32_t flags, event_fd;
};

struct event_user {
	uint64_t data, iocb;
	int64_t result, result2;
};
