/* ioctl: which requests of ioctl() are recorded. */
#pragma once

#include <linux/types.h>

/*
 * Returns whether the request changes descriptors. Programs send many other requests to terminals and devices, which are skipped.
 */
static __always_inline bool is_known_request(uint32_t request)
{
	switch (request) {
#define IOCTL(name, request, ...) case request:
#include <iotrace/ioctls.def>
#undef IOCTL
		return true;
	default:
		return false;
	}
}
