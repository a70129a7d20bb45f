/* probe_path: see probe_path.h. */
#include "probe_path.h"

#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/process.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char qemu[] = "qemu";

/* Paths in distributions, if the user does not say which QEMU. */
static const char *const qemus[] = {
#if defined(__x86_64__)
	"qemu-system-x86_64",
#elif defined(__aarch64__)
	"qemu-system-aarch64",
#elif defined(__powerpc64__)
	"qemu-system-ppc64",
#elif defined(__s390x__)
	"qemu-system-s390x",
#endif
	"qemu-kvm",
	"/usr/libexec/qemu-kvm",
	"/usr/lib/qemu-kvm",
};

static bool is_file(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISREG(stat_of.st_mode);
}

/* Returns the path of the program below `root`, to be freed, or NULL. */
static char *find(const char *root, const char *name)
{
	char *path;

	if (!strchr(name, '/'))
		return path_search(root, name, is_file);
	path = mem_format("%s%s", root, name);
	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

/* Says why find() found no program. Returns -errno. */
static int refuse(const char *root, const char *path, struct error *err)
{
	char *whole = mem_format("%s%s", root, path);
	struct stat stat_of;
	int code = stat(whole, &stat_of) ? errno : 0;

	free(whole);
	if (!strchr(path, '/'))
		return error_say(err, ENOENT, "there is no program '%s' in PATH", path);
	if (!code)
		return error_say(err, EINVAL, "%s%s is not a regular file", root, path);
	if (code == ENOENT || code == ENOTDIR)
		return error_say(err, code, "there is no file %s%s", root, path);
	error_set(err, code, "%s%s", root, path);
	if (code == EACCES)
		error_hint(err, "Run iotrace as root: only root may probe programs");
	return -code;
}

static bool is_qemu(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, qemu, strlen(qemu));
}

/* Returns the root directory of the first process of -p: "" if it is the same as that of iotrace. */
static char *root_of(const struct recording *recording)
{
	uint32_t pid = recording->pids.count ? recording->pids.item[0] : 0;
	char *own = pid ? process_link((uint32_t)getpid(), "ns/mnt") : NULL;
	char *its = pid ? process_link(pid, "ns/mnt") : NULL;
	char *root = pid ? process_link(pid, "root") : NULL, *begin;
	bool is_ours = !own || !its || !root || (!strcmp(own, its) && !strcmp(root, "/"));

	begin = is_ours ? mem_strdup("") : process_path(pid, "");
	free(root);
	free(own);
	free(its);
	return begin;
}

static char *find_qemu(const char *root, const struct recording *recording, char *const *command)
{
	char *found = NULL, *exe;

	if (command && *command && is_qemu(*command))
		return find(root, *command);
	if (recording->pids.count) {
		exe = process_link(recording->pids.item[0], "exe");
		if (exe && is_qemu(exe))
			found = process_program(recording->pids.item[0]);
		free(exe);
	}
	for (size_t i = 0; i < sizeof(qemus) / sizeof(*qemus) && !found; i++)
		found = find(root, qemus[i]);
	return found;
}

/* Warns if the running program is not the file that has the path now. */
static int check_replaced(const char *path, const char *root, const struct recording *recording,
			  struct error *err)
{
	static const char deleted[] = " (deleted)";
	int code = 0;

	for (uint32_t i = 0; i < recording->pids.count && !code; i++) {
		char *exe = process_link(recording->pids.item[i], "exe");
		size_t length = exe ? strlen(exe) : 0, more = strlen(deleted);
		const char *own = path + strlen(root);

		if (length > more && !strcmp(exe + length - more, deleted) &&
		    strlen(own) == length - more && !strncmp(exe, own, length - more)) {
			code = error_say(
				err, ESTALE,
				"%s was replaced: process %u runs the file that it was before", own,
				recording->pids.item[i]);
			error_hint(err, "Restart the process, or give /proc/%u/exe as the path",
				   recording->pids.item[i]);
		}
		free(exe);
	}
	return code;
}

int probe_path_open(const char *path, const struct recording *recording, char *const *command,
		    char **shown, struct error *err)
{
	char *root = root_of(recording), *whole;
	int fd, code;

	/* /proc is the same for all. */
	if (!strncmp(path, "/proc/", 6))
		*root = '\0';
	*shown = NULL;
	whole = strcmp(path, qemu) ? find(root, path) : find_qemu(root, recording, command);
	if (!whole) {
		code = refuse(root, path, err);
		free(root);
		return code;
	}
	code = check_replaced(whole, root, recording, err);
	fd = code ? code : open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && !code)
		fd = error_set(err, errno, "cannot open %s", whole);
	*shown = whole;
	free(root);
	return fd;
}
