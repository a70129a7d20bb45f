/*
 * options_files: see options_files.h.
 *
 * A path may lead to anything, so it is opened without waiting, must be a regular file, and is read up to a limit.
 */
#include "options_files.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source {
	const char *path;
	bool is_machine; /* otherwise the file of the user */
	bool is_lent;
};

static const char *environment(const char *name)
{
	return getenv(name);
}

void options_paths_init(struct options_paths *paths)
{
	*paths = (struct options_paths){.machine = "/etc/iotrace/options",
					.variable = environment,
					.is_lent = confine_is_lent()};
}

/* The XDG Base Directory Specification says that a relative path is ignored. Returns NULL if the user has no directory. */
static char *user_path(const struct options_paths *paths)
{
	const char *config = paths->variable("XDG_CONFIG_HOME");
	const char *home = paths->variable("HOME");

	if (config && *config == '/')
		return mem_format("%s/iotrace/options", config);
	return home && *home == '/' ? mem_format("%s/.config/iotrace/options", home) : NULL;
}

/* Returns why the file is not trusted, or NULL. Anyone who can change it decides what is recorded, and which files are created. */
static const char *mistrust(const struct stat *status, const struct source *source)
{
	bool is_ours = !status->st_uid || status->st_uid == geteuid();

	if (!S_ISREG(status->st_mode))
		return "it is not a regular file";
	if (source->is_lent && (status->st_uid || status->st_mode & 022))
		return "iotrace has capabilities that its user does not have, so this file must "
		       "belong to root, and only root may write to it";
	if (!source->is_machine && !is_ours)
		return "it belongs to another user";
	if (!source->is_machine && status->st_mode & 02)
		return "every user may write to it";
	if (status->st_size > OPTIONS_TEXT_MOST)
		return "it is larger than 64 KiB";
	return NULL;
}

/* Returns the length, or -errno. A file that grows meanwhile is cut. */
static ssize_t read_all(int fd, char text[OPTIONS_TEXT_MOST])
{
	size_t length = 0;
	ssize_t got;

	do {
		got = read(fd, text + length, OPTIONS_TEXT_MOST - length);
		length += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? -errno : (ssize_t)length;
}

static int take_open_file(struct options_lines *lines, const struct source *source, int fd,
			  struct error *err)
{
	struct stat status;
	const char *wrong;
	ssize_t length;
	char *text;
	int code;

	if (fstat(fd, &status))
		return error_set(err, errno, "cannot read the options in %s", source->path);
	wrong = mistrust(&status, source);
	if (wrong)
		return error_say(err, EPERM, "cannot use the options in %s: %s", source->path,
				 wrong);
	text = mem_alloc(OPTIONS_TEXT_MOST);
	length = read_all(fd, text);
	code = length < 0
		       ? error_set(err, (int)-length, "cannot read the options in %s", source->path)
		       : options_lines_split(lines, source->path, true, text, (size_t)length, err);
	free(text);
	return code;
}

/* A file in a directory that iotrace may not enter counts as absent. */
static bool is_absent(const char *path, int code)
{
	struct stat status;

	return code == ENOENT || code == ENOTDIR || (code == EACCES && lstat(path, &status));
}

/* With O_NONBLOCK, the open of a FIFO does not wait for its writer. */
static int take_file(struct options_lines *lines, const struct source *source, struct error *err)
{
	int fd = open(source->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int code = 0;

	if (fd >= 0) {
		code = take_open_file(lines, source, fd, err);
		close(fd);
	} else if (!is_absent(source->path, errno)) {
		code = error_set(err, errno, "cannot read the options in %s", source->path);
	}
	return code;
}

static int take_variable(struct options_lines *lines, const struct options_paths *paths,
			 struct error *err)
{
	const char *text = paths->variable(OPTIONS_VARIABLE);

	if (!text)
		return 0;
	if (strlen(text) > OPTIONS_TEXT_MOST)
		return error_say(err, EINVAL, OPTIONS_VARIABLE ": it is larger than 64 KiB");
	return options_lines_split(lines, OPTIONS_VARIABLE, false, text, strlen(text), err);
}

static bool has_words(const char *text)
{
	return text && text[strspn(text, " \t\n")];
}

static void hint_way_out(struct error *err)
{
	error_hint(err, "To record without these options: --no-defaults");
}

int options_files_read(struct options_lines *lines, const struct options_paths *paths,
		       struct error *err)
{
	const struct source machine = {paths->machine, true, paths->is_lent};
	char *path = paths->is_lent ? NULL : user_path(paths);
	const struct source user = {path, false, false};
	int code = take_file(lines, &machine, err);

	if (!code && path)
		code = take_file(lines, &user, err);
	if (!code && !paths->is_lent)
		code = take_variable(lines, paths, err);
	else if (!code && has_words(paths->variable(OPTIONS_VARIABLE)))
		log_warn("the options in " OPTIONS_VARIABLE
			 " are ignored, because iotrace has capabilities that its user does not "
			 "have. Give them on the command line");
	if (code)
		hint_way_out(err);
	free(path);
	return code;
}

/* Returns 0, or -EINVAL if there are other words than options. */
static int parse_line(const struct recording_words *line, const struct option_row *row,
		      const struct option_hint *hint, void *options, struct error *err)
{
	int first = options_parse(row, hint, true, options, line->argc, line->argv, err);

	if (first == OPTIONS_HELP || first == OPTIONS_VERSION)
		return error_say(err, EINVAL, "--help and --version are for the command line only");
	if (first < 0)
		return -EINVAL;
	if (first < line->argc)
		return error_say(err, EINVAL,
				 "'%s' is not an option, and only options are allowed here",
				 line->argv[first]);
	return 0;
}

int options_files_parse(const struct options_lines *lines, const struct option_row *row,
			const struct option_hint *hint, void *options, struct error *err)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct recording_words *line = &lines->line[i];

		if (!parse_line(line, row, hint, options, err))
			continue;
		if (line->line)
			error_wrap(err, "%s, line %u", line->from, line->line);
		else
			error_wrap(err, "%s", line->from);
		hint_way_out(err);
		return -EINVAL;
	}
	return 0;
}
