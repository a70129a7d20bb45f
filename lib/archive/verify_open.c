/*
 * verify_open: files of an archive, which may be anything.
 */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int verify_open(const struct verify *v, const char *name, uint64_t *size, const char **wrong)
{
	char *path = mem_format("%s/%s", v->dir, name);
	/* A pipe would be waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	free(path);
	if (fd < 0 || fstat(fd, &status) != 0)
		*wrong = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		*wrong = "is not a regular file";
	else {
		*size = (uint64_t)status.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}
