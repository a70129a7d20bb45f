#include "pattern.h"

#include "options.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends a path whose special characters are escaped for fnmatch(). */
static char *add_escaped(char *text, const char *more)
{
	for (; *more; more++)
		mem_append(&text, "%s%c", strchr("*?[\\", *more) ? "\\" : "", *more);
	return text;
}

/* A user who means all files in a directory may forget the star. */
static void remark_directory(const char *path)
{
	size_t length = strlen(path);
	struct stat st;

	if (strpbrk(path, "*?[\\") || stat(path, &st) || !S_ISDIR(st.st_mode))
		return;
	length -= path[length - 1] == '/';
	log_warn("'%s' is a directory: the pattern matches only the directory itself. To match "
		 "the files in it: '%.*s/*'",
		 path, (int)length, path);
}

int pattern_parse(void *field, const char *arg, struct error *err)
{
	char directory[PATH_MAX], *slash, *glob;

	remark_directory(arg);
	if (!*arg || *arg == '/' || *arg == '*')
		return options_add(field, mem_strdup(arg), err);
	if (*arg == '~' && (!arg[1] || arg[1] == '/')) {
		error_say(err, EINVAL, "'%s': the shell expands ~ only where a word begins", arg);
		error_hint(err,
			   "Write the pattern as a word of its own, or the whole path. For a "
			   "file called ~: './%s'",
			   arg);
		return -EINVAL;
	}
	if (!getcwd(directory, sizeof(directory)))
		return error_set(err, errno, "'%s' is relative to the current directory", arg);
	for (;;) {
		if (!strncmp(arg, "./", 2)) {
			arg += 2;
		} else if (!strncmp(arg, "../", 3) || !strcmp(arg, "..")) {
			arg += arg[2] ? 3 : 2;
			slash = strrchr(directory, '/');
			slash[slash == directory] = '\0';
		} else {
			break;
		}
	}
	if (!strcmp(arg, "."))
		arg++;
	glob = add_escaped(mem_strdup(""), directory);
	slash = mem_format("%s%s%s", glob, *arg && strcmp(glob, "/") != 0 ? "/" : "", arg);
	free(glob);
	return options_add(field, slash, err);
}
