/*
 * place_left: finds work directories of killed recorders.
 *
 * Only directories of the same user count, because another user could put anything there. A lock means that the recorder runs.
 * It may run on another host that shares the file system: if the owner file names another host, the recorder is assumed to run.
 */
#include "place_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

size_t place_name_length(const char *name)
{
	const char *mark = NULL, *at = name;

	if (*name != '.')
		return 0;
	while ((at = strstr(at + 1, PLACE_MARK)))
		mark = at;
	if (!mark || mark == name + 1 || mark == name)
		return 0;
	at = mark + strlen(PLACE_MARK);
	return !*at || (*at == '-' && at[1] && !strchr(at, '.')) ? (size_t)(mark - name - 1) : 0;
}

/* Fills in who created the directory. Returns whether it was on this host. */
static bool read_owner(int fd, char owner[PLACE_OWNER_SIZE])
{
	ssize_t length = pread(fd, owner, PLACE_OWNER_SIZE - 1, 0);
	char host[256] = "", *on;

	owner[length > 0 ? length : 0] = '\0';
	owner[strcspn(owner, "\n")] = '\0';
	on = strstr(owner, " on ");
	gethostname(host, sizeof(host) - 1);
	return on && !strcmp(on + 4, host);
}

enum place_state place_look(int parent, const char *name, char owner[PLACE_OWNER_SIZE], int *work)
{
	enum place_state state = PLACE_FOREIGN;
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = -1;
	struct stat status;

	*work = -1;
	snprintf(owner, PLACE_OWNER_SIZE, "of another user");
	if (dir < 0)
		return errno == EACCES ? PLACE_RUNNING : PLACE_FOREIGN;
	if (!fstat(dir, &status) && status.st_uid == geteuid())
		fd = openat(dir, PLACE_OWNER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode)) {
		bool is_here = read_owner(fd, owner);

		state = is_here && (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
				? PLACE_LEFT
				: PLACE_RUNNING;
	}
	if (fd >= 0)
		close(fd);
	if (state == PLACE_LEFT)
		*work = dir;
	else
		close(dir);
	return state;
}

char *place_join(const char *directory, const char *name)
{
	size_t length = strlen(directory);

	if (!strcmp(directory, "."))
		return mem_strdup(name);
	return mem_format("%s%s%s", directory, directory[length - 1] == '/' ? "" : "/", name);
}

static bool look_at(int parent, const char *directory, const char *name, struct place_left *left)
{
	char owner[PLACE_OWNER_SIZE];
	struct stat status;
	int work;

	if (!place_name_length(name) || place_look(parent, name, owner, &work) != PLACE_LEFT)
		return false;
	*left = (struct place_left){.path = place_join(directory, name)};
	if (!fstatat(work, PLACE_SPOOL, &status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status.st_mode)) {
		left->spool = mem_format("%s/" PLACE_SPOOL, left->path);
		left->bytes = (uint64_t)status.st_size;
	}
	left->is_converted = !faccessat(work, PLACE_CONVERTED, F_OK, AT_SYMLINK_NOFOLLOW);
	close(work);
	return true;
}

uint32_t place_find_left(const char *directory, struct place_left *left, uint32_t size)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	uint32_t count = 0;

	for (int i = 0;
	     stream && i < PLACE_ENTRIES_MOST && count < size && (entry = readdir(stream)); i++)
		count += look_at(dirfd(stream), directory, entry->d_name, &left[count]);
	if (stream)
		closedir(stream);
	return count;
}

void place_note_converted(const char *spool)
{
	char *made = place_of_spool(spool), owner[PLACE_OWNER_SIZE];
	char *directory = made ? mem_format("%.*s", (int)(strrchr(spool, '/') - spool), spool)
			       : NULL;
	int work = -1, fd = -1;

	if (directory && place_look(AT_FDCWD, directory, owner, &work) == PLACE_LEFT)
		fd = openat(work, PLACE_CONVERTED, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	if (work >= 0)
		close(work);
	free(directory);
	free(made);
}

void place_left_release(struct place_left *left, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(left[i].path);
		free(left[i].spool);
	}
}

char *place_of_spool(const char *path)
{
	const char *slash = strrchr(path, '/'), *begin = slash;
	size_t length;
	char *work, *made;

	if (!slash || strcmp(slash + 1, PLACE_SPOOL) != 0)
		return NULL;
	while (begin > path && begin[-1] != '/')
		begin--;
	work = mem_format("%.*s", (int)(slash - begin), begin);
	length = place_name_length(work);
	made = length ? mem_format("%.*s%.*s", (int)(begin - path), path, (int)length, work + 1)
		      : NULL;
	free(work);
	return made;
}
