#include "remote.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads page by page, because the next page may not be mapped. */
ssize_t remote_string(uint32_t pid, uint64_t address, char *out, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t done = 0;

	while (done < size) {
		size_t part = page - (address + done) % page;
		struct iovec to = {out + done, part < size - done ? part : size - done};
		struct iovec from = {(void *)(uintptr_t)(address + done), to.iov_len};
		ssize_t n = process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0);
		const char *end;

		if (n <= 0)
			return n < 0 ? -errno : -EFAULT;
		end = memchr(to.iov_base, 0, (size_t)n);
		if (end)
			return end - out;
		done += (size_t)n;
	}
	return -ENAMETOOLONG;
}
