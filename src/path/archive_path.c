#include "archive_path.h"

#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *archive_path(const char *path)
{
	static const char anchor[] = "/traces.otf2";
	size_t length = strlen(path), less = strlen(anchor);

	if (!strcmp(path, anchor + 1))
		return mem_strdup(".");
	if (length > less && !strcmp(path + length - less, anchor))
		length -= less;
	return mem_format("%.*s", (int)length, path);
}

bool archive_path_is(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *anchor = mem_format("%s/traces.otf2", path);
	bool is = path_exists(anchor) || !strcmp(slash ? slash + 1 : path, "traces.otf2");

	free(anchor);
	return is;
}

bool archive_path_is_capture(const char *path)
{
	char magic[8] = ""; /* in either byte order */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? 0 : read(fd, magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return got == sizeof(magic) &&
	       (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

const char *archive_path_wrong(const char *directory)
{
	struct stat status;
	char *anchor;
	int code;

	if (stat(directory, &status))
		return strerror(errno);
	if (archive_path_is_capture(directory))
		return "is a capture; 'iotrace convert' makes an OTF2 archive of it";
	if (!S_ISDIR(status.st_mode))
		return "is a file; an OTF2 archive is a directory";
	anchor = mem_format("%s/traces.otf2", directory);
	code = access(anchor, F_OK) ? errno : 0;
	free(anchor);
	if (code == ENOENT)
		return "is not an OTF2 archive: it has no traces.otf2";
	return code ? strerror(code) : NULL;
}
