/*
 * paths: everything is checked before a command runs, since afterwards it is too late.
 */
#include "paths.h"

#include <errno.h>
#include <ftw.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *path_of_recording(void)
{
	char host[256] = "localhost", stamp[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, "./")] = '\0';
	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	return mem_format("iotrace-%s-%s-%d", host, stamp, (int)getpid());
}

char *path_of_conversion(const char *capture)
{
	static const char *const suffix[] = {".spool", ".data"};
	size_t length = strlen(capture);

	for (size_t i = 0; i < sizeof(suffix) / sizeof(*suffix); i++) {
		size_t less = strlen(suffix[i]);

		if (length > less && capture[length - less - 1] != '/' &&
		    !strcmp(capture + length - less, suffix[i]))
			return mem_format("%.*s", (int)(length - less), capture);
	}
	return mem_format("%s.otf2", capture);
}

char *path_trimmed(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return mem_format("%.*s", (int)length, path);
}

bool path_exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

bool path_is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int path_check_new(const char *what, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int code;

	if (!*path)
		return error_say(err, EINVAL, "%s needs a name, not nothing", what);
	if (path_exists(path))
		return error_say(err, EEXIST,
				 "%s: %s exists already; name another one or remove it", what,
				 path);
	parent = !slash          ? mem_strdup(".")
		 : slash == path ? mem_strdup("/")
				 : mem_format("%.*s", (int)(slash - path), path);
	code = access(parent, W_OK | X_OK) ? errno : 0;
	if (code)
		error_set(err, code, "%s %s: the directory %s cannot be written", what, path,
			  parent);
	free(parent);
	return -code;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void path_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
