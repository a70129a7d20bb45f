#include "cgroup_names.h"

#include "clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 64 };

struct search {
	int top;
	bool is_first_version, is_of_blocks;
};

static void try_mount(void *context, const struct procfs_mount *mount)
{
	struct search *search = context;
	bool is_first_version = search->is_of_blocks && !strcmp(mount->type, "cgroup") &&
				strstr(mount->mount_point, "blkio");
	int fd;

	if (search->is_first_version || (!is_first_version && strcmp(mount->type, "cgroup2")))
		return;
	fd = open(mount->mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (search->top >= 0)
		close(search->top);
	search->top = fd;
	search->is_first_version = is_first_version;
}

void cgroup_names_open(struct cgroup_names *names, const struct procfs *proc, bool is_of_blocks)
{
	struct search search = {.top = -1, .is_of_blocks = is_of_blocks};

	procfs_mounts(proc, (uint32_t)getpid(), try_mount, &search);
	cgroup_names_at(names, search.top);
}

void cgroup_names_at(struct cgroup_names *names, int top)
{
	*names = (struct cgroup_names){.top = top};
}

void cgroup_names_close(struct cgroup_names *names)
{
	if (names->top > 0)
		close(names->top);
	map_release(&names->known);
	names->top = -1;
}

/* The state of the walk. path: of the current directory, "" for the top. */
struct cgroup_search {
	struct cgroup_names *names;
	struct facts *facts;
	char path[PATH_MAX];
};

static bool add_fact(struct cgroup_search *search, int fd)
{
	struct cgroup_names *names = search->names;
	struct stat status;

	if (fstat(fd, &status) || names->known.count >= CGROUP_NAMES_MAX)
		return false;
	if (map_get(&names->known, status.st_ino) != MAP_NONE)
		return true;
	map_set(&names->known, status.st_ino, 0);
	facts_add(search->facts,
		  &(struct fact){.kind = FACT_CGROUP,
				 .number = {[FACT_CGROUP_id] = status.st_ino},
				 .string = {[FACT_CGROUP_path] = fact_text(
						    *search->path ? search->path : "/")}},
		  0, clock_now());
	return true;
}

static void walk(struct cgroup_search *search, int above, const char *name, int depth)
{
	size_t above_length = strlen(search->path), length = above_length;
	DIR *dir = procfs_opendir(above, name, O_NOFOLLOW);
	const struct dirent *entry;

	if (!dir)
		return;
	if (depth)
		length += (size_t)snprintf(search->path + length, sizeof(search->path) - length,
					   "/%s", name);
	if (length < sizeof(search->path) - NAME_MAX - 2 && depth < DEPTH_MAX &&
	    add_fact(search, dirfd(dir))) {
		while ((entry = readdir(dir)) != NULL)
			if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
				walk(search, dirfd(dir), entry->d_name, depth + 1);
	}
	closedir(dir);
	search->path[above_length] = '\0';
}

void cgroup_names_add_facts(struct cgroup_names *names, struct facts *facts)
{
	struct cgroup_search search = {.names = names, .facts = facts};

	if (names->top > 0)
		walk(&search, names->top, ".", 0);
}
