/* paths: derives names from other names. */
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_of_conversion(const char *capture)
{
	static const char *const suffix[] = {".spool", ".data"};
	size_t length = strlen(capture);
	char *made = place_of_spool(capture);

	if (made)
		return made;
	for (size_t i = 0; i < sizeof(suffix) / sizeof(*suffix); i++) {
		size_t less = strlen(suffix[i]);

		if (length > less && capture[length - less - 1] != '/' &&
		    !strcmp(capture + length - less, suffix[i]))
			return mem_format("%.*s", (int)(length - less), capture);
	}
	return mem_format("%s.otf2", capture);
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

bool path_is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_mode & 0111;
}

/* A directory that may not be searched contains nothing that can be run. */
static bool is_there(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0;
}

/* PATH may be unset, and an empty directory in it is the current one. */
char *path_search(const char *root, const char *name, bool (*is_it)(const char *path))
{
	const char *list = getenv("PATH"), *at = list ? list : "/bin:/usr/bin";

	while (at) {
		size_t length = strcspn(at, ":");
		char *path = mem_format("%s%.*s%s%s", length ? root : "", (int)length, at,
					length ? "/" : "", name);

		if (is_it(path))
			return path;
		free(path);
		at = at[length] ? at + length + 1 : NULL;
	}
	return NULL;
}

bool path_may_run(const char *name)
{
	char *found;

	if (!*name)
		return false;
	/* Exec will report the reason. */
	if (strchr(name, '/'))
		return is_there(name) || errno == EACCES;
	found = path_search("", name, is_there);
	free(found);
	return found;
}

/* With lent rights, the environment must not choose the directory. */
const char *path_temporary(uint32_t index)
{
	static const char *const directory[] = {"/tmp", "/var/tmp"};
	const char *own = secure_getenv("TMPDIR");
	bool has_own = own && *own == '/';

	if (has_own && !index)
		return own;
	index -= has_own;
	return index < sizeof(directory) / sizeof(directory[0]) ? directory[index] : NULL;
}

const char *path_device(const char *device)
{
	static const char folder[] = "/dev/";
	const char *name = device + strlen(folder);

	return !strncmp(device, folder, strlen(folder)) && *name && !strchr(name, '/') ? name
										       : device;
}

bool path_is_like_device(const char *name)
{
	static const char *const glob[] = {"/dev/?*",    "[shv]d[a-z]", "[shv]d[a-z][a-z0-9]",
					   "xvd[a-z]*",  "nvme[0-9]*",  "mmcblk[0-9]*",
					   "dm-[0-9]*",  "md[0-9]",     "md[0-9][0-9]*",
					   "loop[0-9]*", "sr[0-9]*",    "nbd[0-9]*",
					   "zram[0-9]*"};

	for (size_t i = 0; i < sizeof(glob) / sizeof(*glob); i++)
		if (!fnmatch(glob[i], name, 0))
			return true;
	return false;
}
