/* place_site: the location of a target, and whether its name already exists. */
#include "place_private.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void place_site_name(struct place_site *site, const char *path)
{
	size_t length = strlen(path);
	const char *slash;

	while (length > 1 && path[length - 1] == '/')
		length--;
	site->path = mem_format("%.*s", (int)length, path);
	slash = strrchr(site->path, '/');
	site->name = slash ? slash + 1 : site->path;
	site->directory = !slash ? mem_strdup(".")
			  : slash == site->path
				  ? mem_strdup("/")
				  : mem_format("%.*s", (int)(slash - site->path), site->path);
}

int place_site_open(struct place_site *site, const char *path)
{
	place_site_name(site, path);
	site->parent = open(site->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return site->parent < 0 ? -errno : 0;
}

void place_site_release(struct place_site *site)
{
	if (site->parent >= 0)
		close(site->parent);
	site->parent = -1;
	free(site->path);
	free(site->directory);
	site->path = site->directory = NULL;
}

static bool has_archive(const struct place_site *site, const char *name)
{
	char *anchor = place_join(name, "traces.otf2");
	bool has = !faccessat(site->parent, anchor, F_OK, 0);

	free(anchor);
	return has;
}

int place_site_check_new(const struct place_site *site, const char *what, struct error *err)
{
	const char *name = *site->name ? site->name : "."; /* the path is "/" */
	struct stat status;
	char *inside;

	if (fstatat(site->parent, name, &status, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : error_set(err, errno, "%s %s", what, site->path);
	if (!S_ISDIR(status.st_mode) || has_archive(site, name))
		return error_say(err, EEXIST,
				 "%s: %s already exists; choose another name or remove it", what,
				 site->path);
	inside = place_join(site->path, "trace");
	error_say(err, EEXIST, "%s: %s already exists; choose another name, for example %s", what,
		  site->path, inside);
	free(inside);
	return -EEXIST;
}
