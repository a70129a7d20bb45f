/* ioctl: the requests of ioctl() that affect descriptors (ioctls.def). */
#pragma once

#include <iotrace/syscall.h>

enum ioctl_effect {
	IOCTL_FLAGS,   /* it becomes close-on-exec, as with FIOCLEX */
	IOCTL_UNFLAGS, /* it stays open in an exec, as with FIONCLEX */
	IOCTL_MAKES,   /* the result is a new descriptor */
	IOCTL_PUTS, /* the result is a descriptor number that another process got, or that was replaced there */
};

struct ioctl_row {
	const char *name;
	uint32_t request;
	enum ioctl_effect effect;
	enum call_cloexec cloexec; /* CALL_CLOEXEC_IF: if the argument has O_CLOEXEC */
};

/* Returns the row of a request, or NULL if it does not affect descriptors. */
const struct ioctl_row *ioctl_row(uint64_t request);
