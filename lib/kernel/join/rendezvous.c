/* rendezvous: see rendezvous.h. The directory and its files belong to one user, so no name in it leads to files of others. */
#include "rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME_MOST = 64, PATH_SIZE = 64, ENTRY_SIZE = NAME_MOST + 16, GUESTS_WAITING = 4096 };

struct join_rendezvous {
	int dir, lock;
	char name[NAME_MOST + 1];
};

/* Makes a file name of a name that the user chose. Different names give different files. */
static int write_name(char out[NAME_MOST + 1], const char *name, struct error *err)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t used = 0;

	for (const char *at = name; *at && used <= NAME_MOST; at++) {
		bool is_plain = strchr(plain, *at);

		used += (size_t)snprintf(out + used, used < NAME_MOST ? NAME_MOST + 1 - used : 0,
					 is_plain ? "%c" : "%%%02x", (unsigned char)*at);
	}
	if (!used || used > NAME_MOST)
		return error_say(err, EINVAL, "--join: invalid name '%s': expected 1 to %d bytes",
				 name, NAME_MOST);
	return 0;
}

static int refuse_directory(const char *path, const char *why, struct error *err)
{
	error_say(err, EPERM, "--join: %s, the directory of the recordings of a job, %s", path,
		  why);
	error_hint(err, "remove it, or record each command with its own recorder: --alone");
	return -EPERM;
}

static int check_directory(int dir, const char *path, struct error *err)
{
	struct stat status;

	if (fstat(dir, &status))
		return error_set(err, errno, "--join: %s", path);
	if (status.st_uid != getuid())
		return refuse_directory(path, "belongs to another user", err);
	if (status.st_mode & (S_IRWXG | S_IRWXO))
		return refuse_directory(path, "is open to other users", err);
	return 0;
}

/* Returns a descriptor, or -errno with a message. */
static int open_directory(struct error *err)
{
	char path[PATH_SIZE];
	int dir, code;

	snprintf(path, sizeof(path), "/tmp/iotrace-%u", (unsigned)getuid());
	if (mkdir(path, 0700) && errno != EEXIST)
		return error_set(err, errno, "--join: cannot create %s", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return refuse_directory(path, "is not a directory that can be opened", err);
	code = check_directory(dir, path, err);
	if (!code)
		return dir;
	close(dir);
	return code;
}

static void write_entry(char entry[ENTRY_SIZE], const struct join_rendezvous *rendezvous,
			const char *kind)
{
	snprintf(entry, ENTRY_SIZE, "%s.%s", rendezvous->name, kind);
}

/* The previous holder may have removed the file. Returns 0, -EWOULDBLOCK, or another -errno. */
static int take_lock(struct join_rendezvous *rendezvous, int flags)
{
	char entry[ENTRY_SIZE];
	struct stat status;
	int code;

	write_entry(entry, rendezvous, "lock");
	for (;;) {
		rendezvous->lock = openat(rendezvous->dir, entry,
					  O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (rendezvous->lock < 0)
			return -errno;
		while ((code = flock(rendezvous->lock, LOCK_EX | flags) ? errno : 0) == EINTR)
			;
		if (code)
			return -code;
		if (!fstat(rendezvous->lock, &status) && status.st_nlink)
			return 0;
		close(rendezvous->lock);
	}
}

/* On failure, with a message, the directory is -1. */
static struct join_rendezvous *new_rendezvous(const char *name, struct error *err)
{
	struct join_rendezvous *rendezvous = mem_zero(sizeof(*rendezvous));

	rendezvous->lock = -1;
	rendezvous->dir = write_name(rendezvous->name, name, err) ? -1 : open_directory(err);
	return rendezvous;
}

static struct join_rendezvous *lock_rendezvous(const char *name, int flags, struct error *err)
{
	struct join_rendezvous *rendezvous = new_rendezvous(name, err);
	int code = rendezvous->dir < 0 ? -1 : take_lock(rendezvous, flags);

	if (!code)
		return rendezvous;
	if (rendezvous->dir >= 0)
		error_set(err, -code, "--join: cannot lock %s", name);
	join_rendezvous_unlock(rendezvous);
	return NULL;
}

struct join_rendezvous *join_rendezvous_lock(const char *name, struct error *err)
{
	return lock_rendezvous(name, 0, err);
}

struct join_rendezvous *rendezvous_try_lock(const char *name, struct error *err)
{
	return lock_rendezvous(name, LOCK_NB, err);
}

void join_rendezvous_unlock(struct join_rendezvous *rendezvous)
{
	if (!rendezvous)
		return;
	if (rendezvous->lock >= 0)
		close(rendezvous->lock);
	if (rendezvous->dir >= 0)
		close(rendezvous->dir);
	free(rendezvous);
}

void rendezvous_remove(const struct join_rendezvous *rendezvous)
{
	char entry[ENTRY_SIZE];

	write_entry(entry, rendezvous, "socket");
	unlinkat(rendezvous->dir, entry, 0);
	write_entry(entry, rendezvous, "lock");
	unlinkat(rendezvous->dir, entry, 0);
}

/*
 * The address goes through the descriptor of the directory: it is short enough for a socket, and nobody can exchange the
 * directory.
 */
static struct sockaddr_un address_of(const struct join_rendezvous *rendezvous)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s.socket",
		 rendezvous->dir, rendezvous->name);
	return address;
}

static int open_socket(int type, struct error *err)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	return fd < 0 ? error_set(err, errno, "--join: socket") : fd;
}

static int connect_to(const struct join_rendezvous *rendezvous, int type, struct error *err)
{
	struct sockaddr_un address = address_of(rendezvous);
	int fd = open_socket(type, err), code;

	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	code = errno;
	close(fd);
	if (code == ECONNREFUSED || code == ENOENT)
		return -ENOENT;
	return error_set(err, code, "--join: cannot connect to the recorder of this node");
}

/* Replaces the socket of a process that has ended. */
static int bind_to(const struct join_rendezvous *rendezvous, int type, struct error *err)
{
	struct sockaddr_un address = address_of(rendezvous);
	char entry[ENTRY_SIZE];
	int fd = open_socket(type, err), code;

	if (fd < 0)
		return fd;
	write_entry(entry, rendezvous, "socket");
	unlinkat(rendezvous->dir, entry, 0);
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	code = errno;
	close(fd);
	return error_set(err, code, "--join: listen");
}

int join_connect(const struct join_rendezvous *rendezvous, struct error *err)
{
	return connect_to(rendezvous, SOCK_SEQPACKET, err);
}

int join_listen(const struct join_rendezvous *rendezvous, struct error *err)
{
	int fd = bind_to(rendezvous, SOCK_SEQPACKET, err), code;

	if (fd < 0 || !listen(fd, GUESTS_WAITING))
		return fd;
	code = errno;
	close(fd);
	return error_set(err, code, "--join: listen");
}

struct join_rendezvous *rendezvous_open(const char *name, struct error *err)
{
	struct join_rendezvous *rendezvous = new_rendezvous(name, err);

	if (rendezvous->dir >= 0)
		return rendezvous;
	join_rendezvous_unlock(rendezvous);
	return NULL;
}

int rendezvous_receive_at(const struct join_rendezvous *rendezvous, struct error *err)
{
	return bind_to(rendezvous, SOCK_DGRAM | SOCK_NONBLOCK, err);
}

int rendezvous_send_to(const struct join_rendezvous *rendezvous, struct error *err)
{
	return connect_to(rendezvous, SOCK_DGRAM, err);
}

void rendezvous_each(const char *prefix, void (*on_name)(void *context, const char *name),
		     void *context)
{
	static const char suffix[] = ".socket";
	int fd = open_directory(NULL);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name), end = sizeof(suffix) - 1;
		char name[NAME_MOST + 1];

		if (length <= end || length - end > NAME_MOST ||
		    strcmp(entry->d_name + length - end, suffix) != 0 ||
		    strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(length - end), entry->d_name);
		on_name(context, name);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}
