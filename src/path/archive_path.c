#include "archive_path.h"

#include "paths.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
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

const char *archive_path_wrong(const char *directory)
{
	char *anchor;
	int code;

	if (!path_exists(directory))
		return strerror(ENOENT);
	if (!path_is_directory(directory))
		return "is a file; an OTF2 archive is a directory";
	anchor = mem_format("%s/traces.otf2", directory);
	code = access(anchor, F_OK) ? errno : 0;
	free(anchor);
	if (code == ENOENT)
		return "is not an OTF2 archive: it has no traces.otf2";
	return code ? strerror(code) : NULL;
}
