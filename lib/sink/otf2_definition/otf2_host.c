/*
 * otf2_host: the number of this host, for the OTF2 library.
 *
 * The library calls gethostid() when it creates an archive. Nearly no machine has /etc/hostid. Without it, gethostid() of the C library
 * resolves the name of the host, and waits for seconds if no server answers. This file defines a gethostid() that asks no server. The
 * program's function replaces that of the C library, for shared libraries as well.
 */
#include "otf2_host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Returns the number of bytes, 0 if the file does not exist. */
static size_t read_file(const char *path, void *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, out, size);

	if (fd >= 0)
		close(fd);
	return length > 0 ? (size_t)length : 0;
}

/* Returns the FNV-1a hash of the bytes, which is the same in each run, unlike hash_bytes(). */
static uint32_t digest(const char *bytes, size_t length)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 16777619U;
	return hash;
}

uint32_t otf2_host_id(const char *hostid, const char *machine_id)
{
	char text[256] = "";
	uint32_t id;
	size_t length;

	if (read_file(hostid, &id, sizeof(id)) == sizeof(id))
		return id;
	length = read_file(machine_id, text, sizeof(text) - 1);
	if (!length && !gethostname(text, sizeof(text) - 1))
		length = strlen(text);
	return digest(text, length);
}

/* The number has 32 bits, with a sign. */
__attribute__((visibility("default"))) long gethostid(void)
{
	int before = errno;
	long id = (int32_t)otf2_host_id("/etc/hostid", "/etc/machine-id");

	errno = before;
	return id;
}
