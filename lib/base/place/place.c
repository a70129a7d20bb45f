/*
 * place: the work directory and its publication.
 *
 * A work directory first gets a random name, and its owner file is locked. Only then it takes the name that others compete for,
 * by a rename that replaces nothing. So a process that finds that name also finds the lock.
 */
#include "place_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	NAME_MOST = 255,
	RANDOM_LETTERS = 6,
	SUFFIX_MOST = sizeof("." PLACE_MARK "-") + RANDOM_LETTERS,
	TRIES = 100,
};

/* Returns 0 or -errno. `from` must not be an empty directory. Only replaces what this function has created. */
static int rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
	struct stat status;
	int fd;

	if (!renameat2(from_dir, from, to_dir, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* The file system does not know the flag: creates something empty with this name, and replaces it. */
	if (fstatat(from_dir, from, &status, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISDIR(status.st_mode)) {
		if (mkdirat(to_dir, to, 0700))
			return -errno;
	} else {
		fd = openat(to_dir, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		close(fd);
	}
	return renameat(from_dir, from, to_dir, to) ? -errno : 0;
}

/* Returns ".NAME.iotrace" and the suffix, cut to the maximum length of a name. */
static char *work_name(const char *name, const char *suffix)
{
	return mem_format(".%.*s" PLACE_MARK "%s", NAME_MOST - SUFFIX_MOST, name, suffix);
}

static char *random_name(const char *name)
{
	static const char letter[] = "abcdefghijklmnopqrstuvwxyz012345";
	char suffix[RANDOM_LETTERS + 2] = "-";
	uint8_t byte[RANDOM_LETTERS] = {0};

	if (getrandom(byte, sizeof(byte), 0) < 0)
		byte[0] = (uint8_t)getpid();
	for (int i = 0; i < RANDOM_LETTERS; i++)
		suffix[i + 1] = letter[byte[i] % (sizeof(letter) - 1)];
	return work_name(name, suffix);
}

int place_sign(const struct place *place)
{
	char host[256] = "", text[PLACE_OWNER_SIZE];

	gethostname(host, sizeof(host) - 1);
	snprintf(text, sizeof(text), "process %d on %s\n", (int)getpid(), host);
	return place_write_all(place->owner, text, strlen(text));
}

/* The lock lasts as long as this process. Some file systems have no locks: then the host name decides. */
static int write_owner(struct place *place)
{
	place->owner = openat(place->work, PLACE_OWNER,
			      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (place->owner < 0)
		return -errno;
	flock(place->owner, LOCK_EX | LOCK_NB);
	return place_sign(place);
}

/*
 * Returns whether this is the directory that was just created. Somebody may have replaced it by another one, whose files must not
 * be removed. Owner and mode cannot show that: on NFS, files of root belong to another user, and FAT has no modes.
 */
static bool is_empty(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool has_any = !directory;

	if (!directory && fd >= 0)
		close(fd);
	while (directory && !has_any && (entry = readdir(directory)))
		has_any = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (directory)
		closedir(directory);
	return !has_any;
}

static int make_work(struct place *place)
{
	struct statvfs disk;
	int code = -EEXIST;

	if (!fstatvfs(place->site.parent, &disk))
		place->free_before = (uint64_t)disk.f_bavail * disk.f_frsize;

	for (int i = 0; i < TRIES && code == -EEXIST; i++) {
		free(place->work_name);
		place->work_name = random_name(place->site.name);
		code = mkdirat(place->site.parent, place->work_name, 0700) ? -errno : 0;
	}
	if (code) {
		free(place->work_name);
		place->work_name = NULL;
		return code;
	}
	place->work = openat(place->site.parent, place->work_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place->work < 0)
		return -errno;
	if (is_empty(place->work))
		return write_owner(place);
	close(place->work);
	place->work = -1;
	return -ESTALE;
}

/* Takes the name that other recorders of the same target compete for. Work directories of killed recorders do not count. */
static int claim(struct place *place, const char *what, struct error *err)
{
	char owner[PLACE_OWNER_SIZE], suffix[16] = "";
	int left = -1, code;

	for (int i = 1; i <= TRIES; i++) {
		char *name = work_name(place->site.name, suffix);

		code = rename_new(place->site.parent, place->work_name, place->site.parent, name);
		if (!code) {
			free(place->work_name);
			place->work_name = name;
			return 0;
		}
		if (code == -EEXIST &&
		    place_look(place->site.parent, name, owner, &left) == PLACE_RUNNING) {
			free(name);
			error_say(err, EBUSY, "%s: another iotrace (%s) is making %s", what, owner,
				  place->site.path);
			return -EBUSY;
		}
		if (left >= 0)
			close(left);
		free(name);
		if (code != -EEXIST)
			return error_set(err, -code, "%s %s", what, place->site.path);
		snprintf(suffix, sizeof(suffix), "-%d", i + 1);
	}
	return error_say(err, EEXIST,
			 "%s: %d killed recordings of %s were left in %s: see 'iotrace check'",
			 what, TRIES, place->site.path, place->site.directory);
}

/*
 * Advice for directories in which no files can be created. If it begins with a lower-case letter, it follows the name of the
 * option.
 */
static const struct {
	int code;
	const char *remedy;
} remedies[] = {
	{ENOENT, "Create that directory first, or choose another one."},
	{ENOTDIR, "Choose a path in a directory."},
	{EACCES, "choose a directory where you may write"},
	{EPERM, "choose a directory where files can be created"},
	{EROFS, "choose a directory that is writable"},
	{ENOSPC, "Free some space there, or choose another directory."},
	{EDQUOT, "Free some space there, or choose another directory."},
	{ENAMETOOLONG, "Choose a shorter name."},
};

/* A process may stay in a directory that was removed. No file can be created in it. */
static bool is_removed(int directory)
{
	struct stat status;

	return !fstat(directory, &status) && !status.st_nlink;
}

static void explain_refused(const char *what, const struct place_site *site, int code,
			    struct error *err)
{
	/* The directory exists, so this file system allows no new files, like proc. */
	if (code == ENOENT && site->parent >= 0)
		code = EPERM;
	if (site->parent >= 0 && is_removed(site->parent)) {
		error_say(err, ENOENT,
			  "%s %s: cannot create files in %s: that directory was removed", what,
			  site->path, site->directory);
		error_hint(err, "Change to another directory, or choose one with %s.", what);
		return;
	}
	error_set(err, code, "%s %s: cannot create files in %s", what, site->path, site->directory);
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
		const char *remedy = remedies[i].remedy;

		if (remedies[i].code == code && islower((unsigned char)*remedy))
			error_hint(err, "With %s, %s.", what, remedy);
		else if (remedies[i].code == code)
			error_hint(err, "%s", remedy);
	}
}

struct place *place_open(const char *what, const char *path, struct error *err)
{
	struct place_site site = {.parent = -1};
	struct place *place = NULL;
	int code;

	if (!*path) {
		error_say(err, EINVAL, "%s: the name is empty", what);
		error_hint(err, "Give a name, for example trace.");
		return NULL;
	}
	code = place_site_open(&site, path);
	if (!code && place_site_check_new(&site, what, err)) {
		place_site_release(&site);
		return NULL;
	}
	if (!code)
		place = place_new(&site, &code);
	if (!place)
		explain_refused(what, &site, -code, err);
	place_site_release(&site);
	/* Another recorder may have published the target and ended meanwhile. */
	if (place && (claim(place, what, err) || place_site_check_new(&place->site, what, err))) {
		place_close(place);
		return NULL;
	}
	if (place)
		place->work_path = place_join(place->site.directory, place->work_name);
	return place;
}

int place_dir(const struct place *place)
{
	return place->work;
}

const char *place_target(const struct place *place)
{
	return place->site.path;
}

const char *place_work(const struct place *place)
{
	return place->work_path;
}

const char *place_directory(const struct place *place)
{
	return place->site.directory;
}

bool place_is_same(const struct place *place, const char *path)
{
	struct place_site other = {.parent = -1};
	struct stat mine, its;
	bool is_same = !place_site_open(&other, path) && !strcmp(place->site.name, other.name) &&
		       !fstat(place->site.parent, &mine) && !fstat(other.parent, &its) &&
		       mine.st_dev == its.st_dev && mine.st_ino == its.st_ino;

	place_site_release(&other);
	return is_same;
}

int place_create(const struct place *place, const char *name)
{
	int fd = openat(place->work, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	return fd < 0 ? -errno : fd;
}

int place_read(const struct place *place, const char *name)
{
	int fd = openat(place->work, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Calls call() for each entry except "." and "..". Returns 0, or the first other result. Uses one descriptor for each level,
 * because few may be left.
 */
static int each_entry(DIR *directory, int (*call)(int dir, const char *name, unsigned mode),
		      unsigned mode)
{
	struct dirent *entry;
	int code = 0;

	while (!code && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			code = call(dirfd(directory), entry->d_name, mode);
	return code;
}

/* Returns NULL with errno if the name is not a directory or cannot be opened. */
static DIR *open_directory(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory && fd >= 0)
		close(fd);
	return directory;
}

static int set_mode(int dir, const char *name, unsigned mode)
{
	DIR *directory = open_directory(dir, name);
	struct stat status;
	int code;

	if (!directory)
		return errno != ENOTDIR || fchmodat(dir, name, mode, 0) ? -errno : 0;
	code = each_entry(directory, set_mode, mode);
	/* Everyone who may read a directory may also enter it; the inherited S_ISGID stays. */
	if (!code &&
	    (fstat(dirfd(directory), &status) ||
	     fchmod(dirfd(directory), (status.st_mode & 07000) | mode | (mode & 0444) >> 2)))
		code = -errno;
	closedir(directory);
	return code;
}

static int remove_entry(int dir, const char *name, unsigned mode)
{
	DIR *directory = open_directory(dir, name);

	if (!directory) {
		unlinkat(dir, name, 0);
		return 0;
	}
	each_entry(directory, remove_entry, mode);
	closedir(directory);
	unlinkat(dir, name, AT_REMOVEDIR);
	return 0;
}

int place_replace(struct place *place, const char *name, unsigned mode)
{
	int code = set_mode(place->work, name, mode);

	if (!code && renameat(place->work, name, place->site.parent, place->site.name))
		code = -errno;
	return code;
}

int place_publish(struct place *place, const char *name, unsigned mode, struct error *err)
{
	int code = set_mode(place->work, name, mode);

	if (!code)
		code = rename_new(place->work, name, place->site.parent, place->site.name);
	place->is_published = !code;
	if (!code)
		return 0;
	place_keep(place, name);
	error_set(err, -code, "cannot rename %s/%s to %s", place->work_path, name,
		  place->site.path);
	error_hint(err, "It is complete, and stays in %s/%s.", place->work_path, name);
	return code;
}

uint64_t place_free_before(const struct place *place)
{
	return place->free_before;
}

bool place_is_published(const struct place *place)
{
	return place->is_published;
}

void place_give_up(struct place *place)
{
	place->is_given_up = true;
}

bool place_is_given_up(const struct place *place)
{
	return place->is_given_up;
}

void place_keep(struct place *place, const char *name)
{
	if (place->kept_count < PLACE_KEPT_MOST)
		place->kept[place->kept_count++] = name;
}

/* Removes the contents. Returns whether something is left that must be kept. */
static bool clear(const struct place *place)
{
	static const char *const made[] = {PLACE_ARCHIVE, PLACE_TEXT, PLACE_SPOOL};
	struct stat status;
	bool has_kept = false;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		bool is_kept = false;

		for (uint32_t k = 0; k < place->kept_count; k++)
			is_kept |= !strcmp(place->kept[k], made[i]);
		if (!is_kept)
			remove_entry(place->work, made[i], 0);
		else
			has_kept |= !fstatat(place->work, made[i], &status, AT_SYMLINK_NOFOLLOW);
	}
	return has_kept;
}

/* Somebody may have put another directory there, which must not be removed. */
static void remove_work(const struct place *place)
{
	struct stat ours, there;

	unlinkat(place->work, PLACE_OWNER, 0);
	if (!fstat(place->work, &ours) &&
	    !fstatat(place->site.parent, place->work_name, &there, AT_SYMLINK_NOFOLLOW) &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
		unlinkat(place->site.parent, place->work_name, AT_REMOVEDIR);
}

void place_tidy(const struct place *place)
{
	if (place->work >= 0 && !clear(place))
		remove_work(place);
	else if (place->work < 0 && place->work_name)
		unlinkat(place->site.parent, place->work_name, AT_REMOVEDIR);
}

struct place *place_new(struct place_site *site, int *code)
{
	struct place *place = mem_zero(sizeof(*place));

	place->work = place->owner = -1;
	place->site = *site;
	*code = make_work(place);
	if (!*code) {
		*site = (struct place_site){.parent = -1};
		return place;
	}
	place_tidy(place);
	place->site = (struct place_site){.parent = -1};
	place_close(place);
	return NULL;
}

void place_close(struct place *place)
{
	if (!place)
		return;
	place_tidy(place);
	place_forget(place);
}

void place_forget_closed(struct place *place)
{
	place->work = place->owner = place->site.parent = -1;
	place_forget(place);
}

void place_forget(struct place *place)
{
	if (place->work >= 0)
		close(place->work);
	if (place->owner >= 0)
		close(place->owner);
	place_site_release(&place->site);
	free(place->work_name);
	free(place->work_path);
	free(place);
}
