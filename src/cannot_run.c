#include "cannot_run.h"

#include "command.h"
#include "path/paths.h"

#include <errno.h>
#include <iotrace/log.h>
#include <iotrace/probe.h>
#include <string.h>

/* Returns whether the name is the device of a --block without '='. */
static bool is_device_of_block(const struct record_options *options, const char *name)
{
	const struct recording_blocks *blocks = &options->recording.blocks;

	return blocks->is_given && !blocks->has_choice && !blocks->devices.count &&
	       (probe_is_device(path_device(name)) || path_is_like_device(name));
}

/* The shell replaces an unquoted pattern with file names. The second of them then stands where the command should be. */
static bool is_of_pattern(const struct record_options *options, const char *name)
{
	const struct recording_selection *selection = &options->recording.selection;

	if (!(selection->paths.count || selection->excluded.count) || !path_exists(name))
		return false;
	log_error(
		"%s: is not a program; put the pattern of --path in quotes, or the shell expands it",
		name);
	return true;
}

/* Suggests what the user may have meant by a command that does not exist. */
static void log_not_found(const struct record_options *options, const char *name)
{
	const char *near = command_nearest(name);

	if (path_is_program(name))
		log_error("%s: command not found; did you mean './%s'?", name, name);
	else if (near && !strcmp(near, name)) /* behind "--" or an option */
		log_error("%s: command not found; a command of iotrace comes first: iotrace %s",
			  name, name);
	else if (near)
		log_error("%s: command not found; did you mean 'iotrace %s'?", name, near);
	else if (is_device_of_block(options, name))
		log_error("%s: command not found; did you mean '--block=%s'?", name, name);
	else if (is_of_pattern(options, name))
		return;
	else if (path_is_directory(name))
		log_error("%s: command not found; %s is a directory here, and no OTF2 archive",
			  name, name);
	else if (path_exists(name))
		log_error("%s: command not found; the file %s here is no program, capture or "
			  "archive",
			  name, name);
	else
		log_error("%s: command not found", name);
}

int cannot_run(const struct record_options *options, const char *name, int code)
{
	if (code == ENOENT && strchr(name, ' ') && !strchr(name, '\'') && !path_exists(name)) {
		log_error("%s: command not found; for a line of the shell: iotrace sh -c '%s'",
			  name, name);
		return STATUS_NOT_FOUND;
	}
	if (code == ENOENT && !strchr(name, '/')) {
		log_not_found(options, name);
		return STATUS_NOT_FOUND;
	}
	if (is_device_of_block(options, name))
		log_error("%s: is not a program; did you mean '--block=%s'?", name, name);
	else if (code == ENOENT && path_exists(name))
		log_error("%s: its interpreter or loader is missing", name);
	else if (code == EACCES && is_of_pattern(options, name))
		return STATUS_CANNOT_RUN;
	else if (code == EACCES && path_is_directory(name))
		log_error("%s: is a directory, not a program", name);
	else if (code == EACCES && path_exists(name))
		log_error("%s: %s; if it is a program: chmod +x %s", name, strerror(code), name);
	else
		log_error("%s: %s", name, strerror(code));
	return code == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

int cannot_find(const struct record_options *options, const char *name)
{
	return path_may_run(name) ? 0 : cannot_run(options, name, ENOENT);
}
