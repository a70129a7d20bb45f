/*
 * stat_virtiofs: see stat_virtiofs.h.
 *
 * A daemon serves a request from the entry of one function to its return, in one thread. The second argument leads to the header of the
 * request, struct fuse_in_header: the opcode is 4 bytes behind its begin, and its number 8. The function of QEMU's virtiofsd takes a list
 * of buffers of which the first has the header; that of libfuse takes one buffer.
 */
#include "stat_virtiofs.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/process.h>
#include <iotrace/program.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROGRAMS_MOST = 8 };

/* The fields of all alternatives of a span are the same, so all its programs have the same function. */
static const struct served {
	const char *function;
	const char *header; /* where the address of the header is, from the second argument */
} served[] = {
	{"fuse_session_process_buf_int", "+40(arg2)"},
	{"fuse_session_process_buf", "+16(arg2)"},
};

enum { FUNCTIONS = sizeof(served) / sizeof(*served), NO_FUNCTION = FUNCTIONS };

struct daemon {
	char *path; /* of process_program(), so that containers have it, too */
	char *name;
	struct stat file;
	unsigned function;
};

struct daemons {
	struct daemon item[PROGRAMS_MOST];
	unsigned count;
	bool is_hidden; /* a process could not be looked at */
};

static bool is_virtiofsd(const char *exe)
{
	static const char name[] = "virtiofsd";
	const char *slash = strrchr(exe, '/');

	return !strncmp(slash ? slash + 1 : exe, name, strlen(name));
}

static bool has_function(struct program *program, const char *function)
{
	struct probe_point point;

	return !program_function(program, function, &point, NULL);
}

static unsigned function_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct program *program = fd < 0 ? NULL : program_open(fd, path, NULL);
	unsigned i = 0;

	while (program && i < FUNCTIONS && !has_function(program, served[i].function))
		i++;
	program_close(program);
	if (fd >= 0)
		close(fd);
	return program ? i : NO_FUNCTION;
}

/* Many daemons run the same file. */
static bool is_known(const struct daemons *daemons, const struct stat *file)
{
	for (unsigned i = 0; i < daemons->count; i++)
		if (daemons->item[i].file.st_dev == file->st_dev &&
		    daemons->item[i].file.st_ino == file->st_ino)
			return true;
	return false;
}

static void look(void *context, uint32_t pid)
{
	struct daemons *daemons = context;
	struct daemon *daemon = &daemons->item[daemons->count];
	char *path, *name;

	if (daemons->count == PROGRAMS_MOST)
		return;
	path = process_program(pid);
	name = process_link(pid, "exe");
	if (!name)
		daemons->is_hidden |= errno == EACCES;
	if (!name || !is_virtiofsd(name) || stat(path, &daemon->file) ||
	    is_known(daemons, &daemon->file)) {
		free(path);
		free(name);
		return;
	}
	daemon->path = path;
	daemon->name = name;
	daemon->function = function_of(path);
	daemons->count++;
}

/* Returns the function that most of them have, the first of several. */
static unsigned choose(const struct daemons *daemons)
{
	unsigned count[FUNCTIONS + 1] = {0}, best = 0;

	for (unsigned i = 0; i < daemons->count; i++)
		count[daemons->item[i].function]++;
	for (unsigned i = 1; i < FUNCTIONS; i++)
		if (count[i] > count[best])
			best = i;
	return count[best] ? best : NO_FUNCTION;
}

static char *probes_of(const struct daemons *daemons, unsigned function, const char *what)
{
	char *text = mem_strdup("");

	for (unsigned i = 0; i < daemons->count; i++)
		if (daemons->item[i].function == function)
			mem_append(&text, "%suprobe:%s:%s%s", *text ? " or " : "",
				   daemons->item[i].path, served[function].function, what);
	return text;
}

static void warn_of_others(const struct daemons *daemons, unsigned function)
{
	for (unsigned i = 0; i < daemons->count; i++)
		if (daemons->item[i].function != function)
			log_warn("the requests of %s (%s) are not seen: it has no function %s%s",
				 daemons->item[i].name, daemons->item[i].path,
				 served[function].function,
				 daemons->item[i].function == NO_FUNCTION ? ""
									  : ", but another one");
}

static void refuse(const struct daemons *daemons, struct error *err)
{
	if (daemons->count) {
		error_say(
			err, ENOTSUP,
			"%s has none of the functions in which a virtiofsd of C serves a request, "
			"%s and %s: as far as known, one of Rust has none",
			daemons->item[0].name, served[0].function, served[1].function);
		error_hint(err, "Look at its system calls: iotrace stat -p PID");
		return;
	}
	error_say(err, ENOENT, "no virtiofsd runs on this machine%s",
		  daemons->is_hidden ? ", as far as this user may see" : "");
}

char *stat_virtiofs_span(struct error *err)
{
	struct daemons daemons = {.count = 0};
	char *begins, *ends, *text = NULL;
	unsigned function;

	process_each(look, &daemons);
	function = choose(&daemons);
	if (function == NO_FUNCTION) {
		refuse(&daemons, err);
	} else {
		warn_of_others(&daemons, function);
		begins = probes_of(&daemons, function, "");
		ends = probes_of(&daemons, function, "%return");
		text = mem_format(
			"virtiofs: %s -> %s by tid,+8(%s):u64 group +4(%s):u32 as fuse_opcode",
			begins, ends, served[function].header, served[function].header);
		free(begins);
		free(ends);
	}
	for (unsigned i = 0; i < daemons.count; i++) {
		free(daemons.item[i].path);
		free(daemons.item[i].name);
	}
	return text;
}
