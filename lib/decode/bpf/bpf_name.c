/*
 * bpf_name: the name of a file, from the names of its dentries.
 *
 * A file with a path gets the path that the process sees. Other files get the name that readlink(/proc/PID/fd/N) shows. Neither
 * gets the suffix " (deleted)", because a name may really end so.
 */
#include "bpf.h"

#include <stdio.h>

/* An old system's <linux/magic.h> lacks some of these. */
enum {
	MAGIC_PIPE = 0x50495045,
	MAGIC_SOCKET = 0x534f434b,
	MAGIC_ANON_INODE = 0x09041934,
	MAGIC_PIDFD = 0x50494446,
	MAGIC_TMPFS = 0x01021994,
	MAGIC_SECRET = 0x5345434d,
};
#define MAGIC_HUGETLBFS 0x958458f6u

/* How file systems without paths name their files, with the inode or the dentry to distinguish them. */
static const struct {
	uint32_t magic;
	const char *before, *after;
	bool by_inode, by_name;
} special[] = {
	{MAGIC_PIPE, "pipe:[", "]", true, false},
	{MAGIC_SOCKET, "socket:[", "]", true, false},
	{MAGIC_ANON_INODE, "anon_inode:", "", false, true},
	{MAGIC_PIDFD, "anon_inode:[pidfd]", "", false, false},
	/* Files in memory: memfd_create(), System V segments. */
	{MAGIC_TMPFS, "/", "", false, true},
	{MAGIC_HUGETLBFS, "/", "", false, true},
	{MAGIC_SECRET, "/", "", false, true},
};

static void special_name(char room[BPF_NAME_ROOM], const struct bpf_part_file *part,
			 const char *dentry, struct event_string *name)
{
	char inode[24] = "";
	uint32_t i;
	int length;

	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		if (special[i].magic != part->magic)
			continue;
		if (special[i].by_name && !*dentry)
			return;
		if (special[i].by_inode)
			snprintf(inode, sizeof(inode), "%llu", (unsigned long long)part->ino);
		length = snprintf(room, BPF_NAME_ROOM, "%s%s%s%s", special[i].before, inode,
				  special[i].by_name ? dentry : "", special[i].after);
		if (length > 0 && length < BPF_NAME_ROOM)
			*name = (struct event_string){room, (uint32_t)length};
		return;
	}
}

/* The leaf comes first, so the path is built from its end. Returns false if these are not names. */
static bool path_name(char room[BPF_NAME_ROOM], const char *names, size_t size,
		      struct event_string *name)
{
	size_t end = BPF_NAME_ROOM, from = end, length;
	bool is_long = false;

	if (!size)
		room[--from] = '/';
	for (; size; names += length + 1, size -= length + 1) {
		length = strlen(names);
		if (!length || memchr(names, '/', length))
			return false;
		is_long |= length + 1 > from;
		if (is_long)
			continue;
		from -= length;
		memcpy(room + from, names, length);
		room[--from] = '/';
	}
	if (!is_long)
		*name = (struct event_string){room + from, (uint32_t)(end - from)};
	return true;
}

/*
 * Returns whether one component is the whole name. A path below a removed mount names no file. But files in memory
 * (memfd_create(), shmget()) are on a mount that was never attached.
 */
static bool is_whole(const struct bpf_part_file *part, const char *names, size_t size)
{
	if (strlen(names) + 1 != size)
		return false;
	return part->part.flags & BPF_PART_SPECIAL || !strncmp(names, "memfd:", 6) ||
	       !strncmp(names, "SYSV", 4);
}

bool bpf_file_name(char room[BPF_NAME_ROOM], const struct bpf_part_file *part, const char *names,
		   size_t size, struct event_string *name)
{
	bool is_torn = part->part.flags & BPF_PART_TORN;
	bool is_special = part->part.flags & (BPF_PART_SPECIAL | BPF_PART_DETACHED);

	*name = (struct event_string){NULL, 0};
	if (is_torn)
		return true;
	if (size && names[size - 1])
		return false;
	if (!is_special)
		return path_name(room, names, size, name);
	if (!size)
		special_name(room, part, "", name);
	else if (is_whole(part, names, size))
		special_name(room, part, names, name);
	return true;
}
