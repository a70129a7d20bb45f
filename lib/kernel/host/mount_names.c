/* mount_names: see mount_names.h of <iotrace/>. */
#include <iotrace/mount_names.h>

#include "proc/procfs.h"
#include "sysblock.h"

#include <ctype.h>
#include <dirent.h>
#include <iotrace/hash.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MINOR_BITS = 20, MACHINE = 1 /* the first process */, WAITING = 24 };

struct mount_names {
	struct procfs proc, sys;
	struct mount_point {
		char *text;
		uint32_t device;
		bool is_fuse;
	} * point;
	uint32_t points, cap;
	uint32_t machine; /* how many of them are those of the first process */
	struct map of;    /* the index of the point, by device */
	uint64_t hash;    /* of all mounts */
};

struct mount_names *mount_names_open(const char *proc, const char *sys, struct error *err)
{
	struct mount_names *names = mem_zero(sizeof(*names));

	names->sys.root = -1;
	if (procfs_open(&names->proc, proc, err) || procfs_open(&names->sys, sys, err)) {
		mount_names_close(names);
		return NULL;
	}
	mount_names_look(names);
	return names;
}

/* Forgets all mounts but the first `kept`. */
static void clear(struct mount_names *names, uint32_t kept)
{
	for (uint32_t i = kept; i < names->points; i++)
		free(names->point[i].text);
	names->points = names->machine = kept;
	map_clear(&names->of);
	for (uint32_t i = 0; i < kept; i++)
		map_set(&names->of, names->point[i].device, i);
}

void mount_names_close(struct mount_names *names)
{
	if (!names)
		return;
	clear(names, 0);
	free(names->point);
	map_release(&names->of);
	procfs_close(&names->proc);
	procfs_close(&names->sys);
	free(names);
}

static uint32_t device_of(const struct procfs_mount *mount)
{
	return major(mount->dev) << MINOR_BITS | minor(mount->dev);
}

static void add_hash(void *context, const struct procfs_mount *mount)
{
	struct hash_key *key = context;

	key->high ^= mount->dev;
	key->low = hash_bytes(*key, mount->mount_point, strlen(mount->mount_point));
}

static bool is_fuse(const char *type)
{
	return !strcmp(type, "fuse") || !strncmp(type, "fuse.", 5) || !strcmp(type, "fuseblk") ||
	       !strcmp(type, "virtiofs");
}

static void add_point(void *context, const struct procfs_mount *mount)
{
	struct mount_names *names = context;
	uint32_t device = device_of(mount), index = map_get(&names->of, device);

	if (index == MAP_NONE) {
		MEM_GROW(names->point, names->cap, names->points + 1);
		map_set(&names->of, device, names->points);
		names->point[names->points++] = (struct mount_point){mem_strdup(mount->mount_point),
								     device, is_fuse(mount->type)};
	} else if (index >= names->machine &&
		   strlen(mount->mount_point) < strlen(names->point[index].text)) {
		free(names->point[index].text);
		names->point[index].text = mem_strdup(mount->mount_point);
	}
}

/* A recording that has dropped its rights may not see the first process any more. Then what it saw before stays. */
bool mount_names_look(struct mount_names *names)
{
	struct hash_key hash = hash_key_of_process();
	bool is_seen = !procfs_mounts(&names->proc, MACHINE, add_hash, &hash);

	procfs_mounts(&names->proc, (uint32_t)getpid(), add_hash, &hash);
	if (hash.low == names->hash)
		return false;
	names->hash = hash.low;
	clear(names, is_seen ? 0 : names->machine);
	if (is_seen)
		procfs_mounts(&names->proc, MACHINE, add_point, names);
	names->machine = names->points;
	procfs_mounts(&names->proc, (uint32_t)getpid(), add_point, names);
	return true;
}

const char *mount_names_point(const struct mount_names *names, uint32_t device)
{
	uint32_t index = map_get(&names->of, device);

	return index == MAP_NONE ? NULL : names->point[index].text;
}

void mount_names_device(const struct mount_names *names, uint32_t device, char *text, size_t size)
{
	uint32_t major_number = device >> MINOR_BITS;
	uint32_t minor_number = device & ((1U << MINOR_BITS) - 1);

	if (!sysblock_name(&names->sys, major_number, minor_number, text, size))
		snprintf(text, size, "%u:%u", major_number, minor_number);
}

static void add_device(uint32_t *list, uint32_t *count, uint32_t most, uint32_t device)
{
	for (uint32_t i = 0; i < *count; i++)
		if (list[i] == device)
			return;
	if (*count < most)
		list[(*count)++] = device;
}

/* The directory has those that are mounted only in containers, too. Some machines have not mounted it. */
uint32_t mount_names_connections(const struct mount_names *names, uint32_t *device, uint32_t most)
{
	DIR *dir = procfs_opendir(names->sys.root, "fs/fuse/connections", 0);
	const struct dirent *entry;
	uint32_t count = 0;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_device(device, &count, most,
				   (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	for (uint32_t i = 0; i < names->points; i++)
		if (names->point[i].is_fuse)
			add_device(device, &count, most, names->point[i].device);
	return count;
}

uint32_t mount_names_waiting(const struct mount_names *names, uint32_t device)
{
	char text[WAITING];

	if (procfs_read(&names->sys, text, sizeof(text), "fs/fuse/connections/%u/waiting", device) <
	    0)
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}
