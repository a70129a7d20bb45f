/* place_remove: removes work directories of killed recorders. */
#include "place_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static bool is_of_wanted(const char *entry,
			 bool (*is_wanted)(const void *context, const char *name),
			 const void *context)
{
	size_t length = place_name_length(entry);
	char *name = length ? mem_format("%.*s", (int)length, entry + 1) : NULL;
	bool is = name && is_wanted(context, name);

	free(name);
	return is;
}

/* Without locks, another recorder could be using it. */
static int lock_left(int work)
{
	int fd = openat(work, PLACE_OWNER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

static bool remove_one(int parent, char *name)
{
	char owner[PLACE_OWNER_SIZE];
	int work, lock;
	bool is_empty;

	if (place_look(parent, name, owner, &work) != PLACE_LEFT)
		return false;
	lock = lock_left(work);
	is_empty = lock >= 0 && faccessat(work, PLACE_SPOOL, F_OK, AT_SYMLINK_NOFOLLOW);
	if (is_empty)
		place_tidy(&(
			struct place){.site = {.parent = parent}, .work = work, .work_name = name});
	if (lock >= 0)
		close(lock);
	close(work);
	return is_empty;
}

uint32_t place_remove_left(const char *directory,
			   bool (*is_wanted)(const void *context, const char *name),
			   const void *context)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	uint32_t count = 0;

	for (int i = 0; stream && i < PLACE_ENTRIES_MOST && (entry = readdir(stream)); i++)
		if (is_of_wanted(entry->d_name, is_wanted, context))
			count += remove_one(dirfd(stream), entry->d_name);
	if (stream)
		closedir(stream);
	return count;
}
