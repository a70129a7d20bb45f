/*
 * link_target: what a link of /proc leads to. See link_target.h.
 *
 * For a process with the same root as iotrace, a look-up costs a readlink, two statx and a poll. A root belongs to one mount of one
 * namespace. So a process with the same root has the same mounts.
 */
#include "link_target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif

enum { LINK_SIZE = 64 };

/* File systems that ask a server even for a status that may be old, because they revalidate the inode on the way. */
static const char *const remote_types[] = {"nfs", "nfs4", "9p", "afs", "orangefs"};

static const char deleted[] = " (deleted)";
static const uint32_t tail = sizeof(deleted) - 1;

void mounts_release(struct mounts *mounts)
{
	if (mounts->is_open && mounts->fd >= 0)
		close(mounts->fd);
	map_release(&mounts->here);
	*mounts = (struct mounts){0};
}

void links_release(struct links *links)
{
	for (uint32_t i = 0; i < links->remotes; i++)
		free(links->remote[i]);
	free(links->remote);
	*links = (struct links){0};
}

void links_add_mount(struct links *links, const char *mount_point, const char *type)
{
	for (size_t i = 0; i < sizeof(remote_types) / sizeof(remote_types[0]); i++) {
		if (strcmp(type, remote_types[i]))
			continue;
		MEM_GROW(links->remote, links->remote_cap, links->remotes + 1);
		links->remote[links->remotes++] = mem_strdup(mount_point);
	}
}

/* Returns whether the file is on a remote mount. */
static bool is_remote(const struct links *links, const char *path)
{
	for (uint32_t i = 0; i < links->remotes; i++) {
		size_t length = strlen(links->remote[i]);

		if (!strncmp(path, links->remote[i], length) &&
		    (length == 1 || path[length] == '/' || !path[length]))
			return true;
	}
	return false;
}

enum { MOUNT_WHOLE, MOUNT_PART };

static void add_mount(void *context, const struct procfs_mount *mount)
{
	map_set(context, mount->mnt_id, strcmp(mount->top, "/") ? MOUNT_PART : MOUNT_WHOLE);
}

static void look_for_root(void *context, const struct procfs_mount *mount)
{
	((struct mounts *)context)->has_root |= !strcmp(mount->mount_point, "/");
}

/* AT_STATX_DONT_SYNC asks no server, so a recording does not hang when a file server does. */
static bool status_of(int above, const char *name, struct statx *status)
{
	return !statx(above, name, AT_STATX_DONT_SYNC,
		      STATX_TYPE | STATX_MODE | STATX_INO | STATX_NLINK | STATX_MNT_ID, status);
}

/*
 * Reads the ids of all mounts that the process sees. With chroot(), the mount of its root need not be among them, so it is added.
 */
static void read_mounts(struct map *ids, const struct procfs *proc, uint32_t tid)
{
	struct statx root;
	char name[LINK_SIZE];

	map_clear(ids);
	procfs_mounts(proc, tid, add_mount, ids);
	snprintf(name, sizeof(name), "%u/root", tid);
	if (status_of(proc->root, name, &root) && root.stx_mask & STATX_MNT_ID &&
	    map_get(ids, root.stx_mnt_id) == MAP_NONE)
		map_set(ids, root.stx_mnt_id, MOUNT_PART);
}

static void read_own_root(struct mounts *mounts, const struct procfs *proc, uint32_t own)
{
	char name[LINK_SIZE];

	snprintf(name, sizeof(name), "%u/root", own);
	if (!status_of(proc->root, name, &mounts->root))
		mounts->root.stx_mask = 0;
}

/* Reads our mounts and our root if they may have changed. */
static void know_ours(struct mounts *mounts, const struct procfs *proc)
{
	struct pollfd change = {.events = POLLPRI};
	uint32_t own = (uint32_t)getpid();
	bool is_new = !mounts->is_open;
	char name[LINK_SIZE];

	if (is_new) {
		snprintf(name, sizeof(name), "%u/mountinfo", own);
		mounts->fd = openat(proc->root, name, O_RDONLY | O_CLOEXEC);
		mounts->is_open = true;
	}
	change.fd = mounts->fd; /* poll() ignores -1 */
	if (poll(&change, 1, 0) <= 0 && !is_new)
		return;
	mounts->have_changed |= !is_new;
	read_mounts(&mounts->here, proc, own);
	read_own_root(mounts, proc, own);
	mounts->has_root = false;
	procfs_mounts(proc, own, look_for_root, mounts);
}

/* If the process is gone, nothing is known: returns false. */
static bool has_other_mounts(const struct procfs *proc, uint32_t tid)
{
	char ours[LINK_SIZE], its[LINK_SIZE];

	return procfs_link(proc, ours, sizeof(ours), "%u/ns/mnt", (uint32_t)getpid()) > 0 &&
	       procfs_link(proc, its, sizeof(its), "%u/ns/mnt", tid) > 0 && strcmp(ours, its) != 0;
}

static bool is_same_file(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major &&
	       a->stx_dev_minor == b->stx_dev_minor;
}

static bool is_same_place(const struct statx *a, const struct statx *b)
{
	return is_same_file(a, b) && a->stx_mnt_id == b->stx_mnt_id;
}

/* The root from which a process sees the files, and whether it is iotrace's root. */
enum view_kind {
	VIEW_OURS,
	VIEW_OTHER,
	VIEW_UNKNOWN, /* the process is gone */
};

struct view {
	enum view_kind kind;
	struct statx root;
};

/* Linux before 5.8 has no ids of mounts, so our root and its copy in another namespace look the same there. */
static struct view view_of(struct mounts *mounts, const struct procfs *proc, uint32_t tid)
{
	struct view view = {.kind = VIEW_OURS};
	char name[LINK_SIZE];

	know_ours(mounts, proc);
	if (!mounts->root.stx_mask)
		return view;
	snprintf(name, sizeof(name), "%u/root", tid);
	if (!status_of(proc->root, name, &view.root))
		view.kind = VIEW_UNKNOWN;
	else if (!is_same_place(&view.root, &mounts->root) ||
		 (!(view.root.stx_mask & STATX_MNT_ID) && has_other_mounts(proc, tid)))
		view.kind = VIEW_OTHER;
	return view;
}

/* Whether the mount is attached in the namespace of the process. */
static bool has_mount(const struct mounts *mounts, const struct view *view,
		      const struct procfs *proc, uint32_t tid, uint64_t id)
{
	struct map ids = {0};
	bool is_there;

	if (mounts->fd < 0)
		return true; /* a saved /proc */
	if (view->kind == VIEW_OURS || !has_other_mounts(proc, tid))
		return map_get(&mounts->here, id) != MAP_NONE;
	/* It is opened each time, because an open mountinfo would keep the namespace alive. */
	read_mounts(&ids, proc, tid);
	is_there = map_get(&ids, id) != MAP_NONE;
	map_release(&ids);
	return is_there;
}

/*
 * Whether the kernel's path of the root of a process in our namespace leads there. It does not if iotrace runs in a chroot and the root
 * is outside of it, or if something is mounted over it.
 */
static bool leads_to_root(const char *path, const struct statx *root)
{
	struct statx there;

	return status_of(AT_FDCWD, path, &there) && is_same_place(&there, root);
}

/* Removes the root of the process from the path. Returns false if the file is not below it, or if the process now has another. */
static bool strip_root(struct link_target *found, const struct view *view,
		       const struct procfs *proc, uint32_t tid)
{
	struct statx root;
	char path[LINK_TARGET_SIZE], name[LINK_SIZE];
	ssize_t n = procfs_link(proc, path, sizeof(path), "%u/root", tid);
	bool is_same = !has_other_mounts(proc, tid);

	snprintf(name, sizeof(name), "%u/root", tid);
	if (n <= 0 || !status_of(proc->root, name, &root) || !is_same_place(&root, &view->root))
		return false;
	if (is_same && !leads_to_root(path, &root))
		return false;
	if (n == 1)
		return true;
	if (strncmp(found->target, path, (size_t)n) != 0 ||
	    (found->target[n] && found->target[n] != '/'))
		return false;
	found->length -= (uint32_t)n;
	memmove(found->target, found->target + n, found->length + 1);
	if (!found->length) {
		found->length = 1;
		memcpy(found->target, "/", 2);
	}
	return true;
}

/* Files of memfd_create() and System V segments are on a mount that was never attached. */
static bool is_memory(const struct link_target *found)
{
	return found->is_deleted &&
	       (!strncmp(found->target, "/memfd:", 7) || !strncmp(found->target, "/SYSV", 5));
}

static bool has_suffix(const struct link_target *found)
{
	return found->length > tail && !strcmp(found->target + found->length - tail, deleted);
}

static void cut_suffix(struct link_target *found)
{
	found->is_deleted = true;
	found->length -= tail;
	found->target[found->length] = '\0';
}

/* The suffix is either the kernel's, or part of the real name. In the second case the path leads to the file. */
static void judge_suffix(struct link_target *found, const struct procfs *proc, uint32_t tid)
{
	char name[LINK_SIZE + LINK_TARGET_SIZE];
	struct statx there;

	snprintf(name, sizeof(name), "%u/root%s", tid, found->target);
	if (statx(proc->root, name, AT_STATX_DONT_SYNC | AT_SYMLINK_NOFOLLOW, STATX_INO, &there) ||
	    !is_same_file(&there, &found->status))
		cut_suffix(found);
}

static bool is_reached(struct link_target *found, const struct mounts *mounts,
		       const struct view *view, const struct procfs *proc, uint32_t tid)
{
	if (view->kind == VIEW_UNKNOWN ||
	    (!found->has_status && has_suffix(found))) /* its meaning is unknown */
		return false;
	if (is_memory(found))
		return true;
	if (found->has_status && found->status.stx_mask & STATX_MNT_ID &&
	    !has_mount(mounts, view, proc, tid, found->status.stx_mnt_id))
		return false;
	return view->kind == VIEW_OURS || strip_root(found, view, proc, tid);
}

/*
 * Whether the path leads to this file, and not to one that is mounted above it. For a deleted file, only the directory is
 * compared.
 */
static bool leads_to_file(const struct link_target *found, const struct procfs *proc, uint32_t tid)
{
	char name[LINK_SIZE + LINK_TARGET_SIZE];
	struct statx there;
	int length = found->is_deleted ? (int)(strrchr(found->target, '/') - found->target)
				       : (int)found->length;

	snprintf(name, sizeof(name), "%u/root%.*s/", tid, length, found->target);
	if (!found->is_deleted)
		name[strlen(name) - 1] = '\0';
	return !statx(proc->root, name, AT_STATX_DONT_SYNC | AT_SYMLINK_NOFOLLOW,
		      STATX_INO | STATX_MNT_ID, &there) &&
	       there.stx_mnt_id == found->status.stx_mnt_id &&
	       (found->is_deleted || is_same_file(&there, &found->status));
}

/*
 * A later mount may cover the file, or the file may be outside of the chroot that iotrace runs in. A file that was moved out of the
 * mounted part of its file system has a path that the kernel made up.
 */
static bool is_covered(const struct link_target *found, const struct mounts *mounts,
		       const struct view *view, const struct procfs *proc, uint32_t tid)
{
	if (!found->length || !found->has_status || !(found->status.stx_mask & STATX_MNT_ID) ||
	    is_memory(found))
		return false;
	return (mounts->have_changed || !mounts->has_root || view->kind == VIEW_OTHER ||
		map_get(&mounts->here, found->status.stx_mnt_id) == MOUNT_PART) &&
	       !leads_to_file(found, proc, tid);
}

/* A file that was opened by a handle may have no known directory. Then the kernel shows "/" as its path. */
static bool hangs_nowhere(const struct link_target *found)
{
	return found->length == 1 && found->has_status && !S_ISDIR(found->status.stx_mode);
}

static void take_name(struct link_target *found)
{
	found->length = 0;
	found->target[0] = '\0';
}

int link_target_read(struct link_target *found, struct mounts *mounts, struct links *links,
		     uint32_t tid, const char *link)
{
	ssize_t n = procfs_link(links->proc, found->target, sizeof(found->target), "%u/%s", tid,
				link);
	char name[LINK_SIZE];
	struct view view;

	found->length = n > 0 ? (uint32_t)n : 0;
	found->is_deleted = found->has_status = false;
	if (n <= 0)
		return n < 0 ? (int)n : -ENOENT;
	snprintf(name, sizeof(name), "%u/%s", tid, link);
	if (!is_remote(links, found->target))
		found->has_status = status_of(links->proc->root, name, &found->status);
	found->is_path = found->target[0] == '/';
	if (!found->is_path)
		return 0;
	view = view_of(mounts, links->proc, tid);
	if (found->has_status && !found->status.stx_nlink) {
		if (has_suffix(found))
			cut_suffix(found);
		found->is_deleted = true;
	}
	if (!is_reached(found, mounts, &view, links->proc, tid)) {
		take_name(found);
	} else if (!found->is_deleted && has_suffix(found)) {
		judge_suffix(found, links->proc, tid);
	}
	if (hangs_nowhere(found) || is_covered(found, mounts, &view, links->proc, tid))
		take_name(found);
	return 0;
}

int link_root_read(struct link_root *root, struct mounts *mounts, const struct procfs *proc,
		   uint32_t tid)
{
	char name[LINK_SIZE];
	struct view view = view_of(mounts, proc, tid);
	ssize_t n = procfs_link(proc, root->path, sizeof(root->path), "%u/root", tid);

	root->length = n > 0 ? (uint32_t)n : 0;
	root->mount_namespace = 0;
	if (n <= 0)
		return n < 0 ? (int)n : -ENOENT;
	if (view.kind == VIEW_OTHER && !has_other_mounts(proc, tid) &&
	    !leads_to_root(root->path, &view.root)) {
		root->length = 0;
		root->path[0] = '\0';
	}
	if (procfs_link(proc, name, sizeof(name), "%u/ns/mnt", tid) > 0)
		sscanf(name, "mnt:[%" SCNu64 "]", &root->mount_namespace);
	return 0;
}
