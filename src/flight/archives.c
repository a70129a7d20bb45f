#include "archives.h"

#include <dirent.h>
#include <fcntl.h>
#include <iotrace/list.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, DEPTH_MOST = 4, DIGITS_MOST = 9 };

struct made_file {
	char *path; /* below the directory of the archive; "" for that */
	dev_t dev;
	ino_t ino;
	bool is_directory;
};

struct made_archive {
	char *path;
	struct made_file *file; /* directories before what is in them */
	uint32_t files, cap;
	uint64_t bytes;
};

static void note(struct made_archive *made, const char *path, const struct stat *status)
{
	MEM_GROW(made->file, made->cap, made->files + 1);
	made->file[made->files++] = (struct made_file){mem_strdup(path), status->st_dev,
						       status->st_ino, S_ISDIR(status->st_mode)};
	made->bytes += (uint64_t)status->st_blocks * BLOCK;
}

/* Somebody may put other files into an archive as soon as it has its name. */
static bool is_of_archive(const char *path)
{
	static const char *const name[] = {"traces.otf2", "traces.def", "traces.marker",
					   "iotrace.json", "traces"};
	static const char folder[] = "traces/";
	size_t digits;

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (!strcmp(path, name[i]))
			return true;
	if (strncmp(path, folder, strlen(folder)) != 0)
		return false;
	path += strlen(folder);
	digits = strspn(path, "0123456789");
	return digits && (!strcmp(path + digits, ".evt") || !strcmp(path + digits, ".def"));
}

static DIR *open_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !directory)
		close(fd);
	return directory;
}

static void note_below(struct made_archive *made, int parent, const char *name, const char *path,
		       int depth)
{
	DIR *directory = open_directory(parent, name);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		struct stat status;
		char *below;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		below = mem_format("%s%s%s", path, *path ? "/" : "", entry->d_name);
		if (is_of_archive(below)) {
			note(made, below, &status);
			if (S_ISDIR(status.st_mode) && depth < DEPTH_MOST)
				note_below(made, dirfd(directory), entry->d_name, below, depth + 1);
		}
		free(below);
	}
	if (directory)
		closedir(directory);
}

uint64_t archives_add(struct archives *archives, const char *path)
{
	struct made_archive *made;
	struct stat status;

	MEM_GROW(archives->made, archives->cap, archives->count + 1);
	made = &archives->made[archives->count++];
	*made = (struct made_archive){.path = mem_strdup(path)};
	if (fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW))
		return 0;
	note(made, "", &status);
	note_below(made, AT_FDCWD, path, "", 0);
	return made->bytes;
}

/* Returns N of "NAME-N", or 0. */
static uint32_t number_of(const char *entry, const char *name)
{
	size_t length = strlen(name);
	const char *digits = entry + length + 1;

	if (strncmp(entry, name, length) != 0 || entry[length] != '-' ||
	    strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > DIGITS_MOST)
		return 0;
	return (uint32_t)strtoul(digits, NULL, 10);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static char *parent_of(const char *base)
{
	const char *slash = strrchr(base, '/');

	return slash ? mem_format("%.*s", (int)(slash - base) + 1, base) : mem_strdup(".");
}

static DIR *open_parent(const char *base)
{
	char *parent = parent_of(base);
	DIR *directory = opendir(parent);

	free(parent);
	return directory;
}

static bool is_numbered(const void *context, const char *name)
{
	return number_of(name, context) != 0;
}

uint32_t archives_remove_unfinished(const char *base)
{
	const char *slash = strrchr(base, '/');
	char *parent = parent_of(base);
	uint32_t count = place_remove_left(parent, is_numbered, slash ? slash + 1 : base);

	free(parent);
	return count;
}

uint32_t archives_find(struct archives *archives, const char *base)
{
	const char *slash = strrchr(base, '/');
	DIR *directory = open_parent(base);
	struct number_list numbers = {0};
	const struct dirent *entry;
	uint32_t highest;

	while (directory && (entry = readdir(directory))) {
		uint32_t number = number_of(entry->d_name, slash ? slash + 1 : base);

		if (number)
			number_list_add(&numbers, number);
	}
	if (directory)
		closedir(directory);
	if (numbers.count)
		qsort(numbers.item, numbers.count, sizeof(*numbers.item), by_number);
	for (uint32_t i = 0; i < numbers.count; i++) {
		char *path = mem_format("%s-%u", base, numbers.item[i]);

		archives_add(archives, path);
		free(path);
	}
	highest = numbers.count ? numbers.item[numbers.count - 1] : 0;
	number_list_release(&numbers);
	return highest;
}

uint64_t archives_bytes(const struct archives *archives)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < archives->count; i++)
		bytes += archives->made[i].bytes;
	return bytes;
}

/* Whether the name still leads to the file that was noted. */
static bool is_same(int parent, const char *name, const struct made_file *file)
{
	struct stat status;

	return !fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) && status.st_dev == file->dev &&
	       status.st_ino == file->ino;
}

/* A directory that contains anything else stays. */
static void remove_file(int directory, const struct made_file *file)
{
	const char *slash = strrchr(file->path, '/');
	char *parent = slash ? mem_format("%.*s", (int)(slash - file->path), file->path)
			     : mem_strdup(".");
	const char *name = slash ? slash + 1 : file->path;
	int fd = openat(directory, parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && is_same(fd, name, file))
		unlinkat(fd, name, file->is_directory ? AT_REMOVEDIR : 0);
	if (fd >= 0)
		close(fd);
	free(parent);
}

static void remove_made(const struct made_archive *made)
{
	int fd = open(made->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return;
	if (made->files && !fstat(fd, &status) && status.st_dev == made->file[0].dev &&
	    status.st_ino == made->file[0].ino) {
		for (uint32_t i = made->files; i-- > 1;)
			remove_file(fd, &made->file[i]);
		if (is_same(AT_FDCWD, made->path, &made->file[0]))
			rmdir(made->path);
	}
	close(fd);
}

static void release(struct made_archive *made)
{
	for (uint32_t i = 0; i < made->files; i++)
		free(made->file[i].path);
	free(made->file);
	free(made->path);
}

char *archives_remove(struct archives *archives)
{
	char *path;

	if (!archives->count)
		return NULL;
	remove_made(&archives->made[0]);
	path = mem_strdup(archives->made[0].path);
	release(&archives->made[0]);
	archives->count--;
	memmove(archives->made, archives->made + 1, archives->count * sizeof(*archives->made));
	return path;
}

void archives_release(struct archives *archives)
{
	for (uint32_t i = 0; i < archives->count; i++)
		release(&archives->made[i]);
	free(archives->made);
	*archives = (struct archives){0};
}
