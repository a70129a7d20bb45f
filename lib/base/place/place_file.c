/* place_file: writes a small file at once, to a name that may already exist. */
#include "place_private.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum way {
	WAY_REPLACE, /* a new file replaces the name */
	WAY_FOLLOW,  /* a link that may be followed: writes to its target */
	WAY_WRITE,   /* a terminal or a pipe: writes to it */
};

/* In a directory like /tmp, a link of another user may lead anywhere. */
static bool is_of_others(const struct stat *directory, const struct stat *entry)
{
	return directory->st_mode & S_ISVTX && entry->st_uid != geteuid() &&
	       entry->st_uid != directory->st_uid;
}

static int refuse(const char *path, int code, struct error *err)
{
	return error_set(err, code, "%s", path);
}

/* Returns an enum way, or -errno with a message. */
static int find_way(const struct place_site *site, struct error *err)
{
	struct stat directory, entry;

	if (fstat(site->parent, &directory))
		return refuse(site->path, errno, err);
	if (fstatat(site->parent, site->name, &entry, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? WAY_REPLACE : refuse(site->path, errno, err);
	if (S_ISDIR(entry.st_mode))
		return refuse(site->path, EISDIR, err);
	if (S_ISREG(entry.st_mode))
		return WAY_REPLACE;
	if (is_of_others(&directory, &entry))
		return error_say(err, EPERM,
				 "%s is a link or a device that another user put into %s, where "
				 "anybody can create files: iotrace does not write to it",
				 site->path, site->directory);
	return S_ISLNK(entry.st_mode) ? WAY_FOLLOW : WAY_WRITE;
}

int place_may_write(const char *path, struct error *err)
{
	struct place_site site = {.parent = -1};
	int code = place_site_open(&site, path);
	int way = code ? refuse(site.directory, -code, err) : find_way(&site, err);

	code = way < 0 ? way : 0;
	if (way == WAY_REPLACE && faccessat(site.parent, ".", W_OK | X_OK, AT_EACCESS))
		code = error_set(err, errno, "%s: the directory %s cannot be written", path,
				 site.directory);
	else if (way > WAY_REPLACE && faccessat(site.parent, site.name, W_OK, AT_EACCESS))
		code = refuse(path, errno, err);
	place_site_release(&site);
	return code;
}

static int write_through(const struct place_site *site, int flags, const void *bytes, size_t size)
{
	int fd = openat(site->parent, site->name, O_WRONLY | O_NOCTTY | O_CLOEXEC | flags);
	int code;

	if (fd < 0)
		return -errno;
	code = place_write_all(fd, bytes, size);
	return close(fd) && !code ? -errno : code;
}

/* Takes over the site. */
static int write_new(struct place_site *site, const void *bytes, size_t size, unsigned mode)
{
	int code, fd;
	struct place *place = place_new(site, &code);

	if (!place)
		return code;
	fd = place_create(place, PLACE_TEXT);
	code = fd < 0 ? fd : place_write_all(fd, bytes, size);
	if (fd >= 0 && close(fd) && !code)
		code = -errno;
	if (!code)
		code = place_replace(place, PLACE_TEXT, mode);
	place_close(place);
	return code;
}

int place_write(const char *path, const void *bytes, size_t size, unsigned mode, struct error *err)
{
	struct place_site site = {.parent = -1};
	int code = place_site_open(&site, path);
	int way = code ? code : find_way(&site, err);

	if (!code && way < 0) {
		place_site_release(&site);
		return way;
	}
	if (way == WAY_REPLACE)
		code = write_new(&site, bytes, size, mode);
	else if (!code)
		code = write_through(&site, way == WAY_WRITE ? O_NOFOLLOW : O_TRUNC, bytes, size);
	place_site_release(&site);
	return code ? error_set(err, -code, "cannot write %s", path) : 0;
}

bool place_is_file(const char *path, const struct stat *file)
{
	struct stat there;

	return !stat(path, &there) && there.st_dev == file->st_dev && there.st_ino == file->st_ino;
}
