/*
 * target: fork, wait, exec. The child only waits for a byte: if iotrace dies before it has sent one, the pipe closes and the
 * child ends. Standard streams, directory and process group stay as they are.
 */
#include "target.h"

#include "environment.h"

#include "notify.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/quiet.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NO_EXEC = 127 };

void command_init(struct command *command)
{
	*command = (struct command){.release_fd = -1, .error_fd = -1, .mark_fd = -1};
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Finds the program as execvp(3) does, but before the recording begins: tries that fail are no calls of the command. Returns NULL if that
 * does not matter, or if execvp() has to say what is wrong.
 */
static const char *find(const char *name, char path[PATH_MAX])
{
	const char *at = strchr(name, '/') ? NULL : getenv("PATH"), *end;

	for (; at; at = *end ? end + 1 : NULL) {
		struct stat status;
		int length;

		end = strchrnul(at, ':');
		length = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - at), at,
				  end == at ? "" : "/", name);
		if (length < PATH_MAX && !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) &&
		    !stat(path, &status) && S_ISREG(status.st_mode))
			return path;
	}
	return NULL;
}

static void __attribute__((noreturn))
child(char *const argv[], int release, int error, int mark, const struct command_signals *signals)
{
	char byte, variable[32], path[PATH_MAX];
	char **environment = environment_of_caller(argv);
	const char *program;
	ssize_t n;
	int code = 0;

	confine_child();
	program = find(argv[0], path);
	if (write(error, &code, sizeof(code)) < 0)
		_exit(EXIT_NO_EXEC);
	sigaction(SIGCHLD, &signals->child, NULL);
	if (signals->quiet)
		quiet_end(signals->quiet);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	do {
		n = read(release, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	if (mark >= 0) {
		snprintf(variable, sizeof(variable), "IOTRACE_MARK_FD=%d", mark);
		environment = environment_with(environment, variable);
		fcntl(mark, F_SETFD, 0);
	}
	if (program)
		execve(program, argv, environment);
	execvpe(argv[0], argv, environment);
	code = errno;
	if (write(error, &code, sizeof(code)) < 0)
		_exit(EXIT_NO_EXEC);
	_exit(EXIT_NO_EXEC);
}

/* Waits until the child has dropped the rights of iotrace: it is looked up before its exec. */
static bool is_ready(const struct command *command)
{
	ssize_t n;
	int code;

	do {
		n = read(command->error_fd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code);
}

int command_fork(struct command *command, char *const argv[], const struct command_signals *signals,
		 struct error *err)
{
	int release[2], error[2];

	if (pipe2(release, O_CLOEXEC))
		return error_set(err, errno, "pipe");
	if (pipe2(error, O_CLOEXEC)) {
		int code = errno;

		close(release[0]);
		close(release[1]);
		return error_set(err, code, "pipe");
	}
	confine_show(true);
	command->pid = fork();
	if (command->pid == 0) {
		close(release[1]);
		close(error[0]);
		child(argv, release[0], error[1], command->mark_fd, signals);
	}
	int code = errno;

	confine_show(false);
	close(release[0]);
	close(error[1]);
	command->release_fd = release[1];
	command->error_fd = error[0];
	if (command->pid > 0 && is_ready(command))
		return 0;
	if (command->pid > 0)
		code = ESRCH;
	else
		command->pid = 0;
	command_close(command);
	return error_set(err, code, "cannot create a process for %s", argv[0]);
}

int command_release(struct command *command, struct error *err)
{
	int code = notify(command->release_fd, "", 1);

	close_fd(&command->release_fd);
	/* A child that was killed while it waited has a wait status like any other command. */
	return code && code != -EPIPE ? error_set(err, -code, "cannot release the command") : 0;
}

bool command_ended(struct command *command, bool wait)
{
	pid_t pid;

	if (command->is_ended || !command->pid)
		return true;
	do {
		pid = waitpid(command->pid, &command->status, wait ? 0 : WNOHANG);
	} while (pid < 0 && errno == EINTR);
	command->is_ended = pid != 0;
	if (pid < 0)
		command->status = 0; /* another function reaped it, so its status is unknown */
	return command->is_ended;
}

int command_exec_error(struct command *command)
{
	int code;

	if (command->error_fd < 0 || command->exec_error)
		return command->exec_error;
	fcntl(command->error_fd, F_SETFL, O_NONBLOCK);
	if (read(command->error_fd, &code, sizeof(code)) == (ssize_t)sizeof(code))
		command->exec_error = code;
	return command->exec_error;
}

void command_close(struct command *command)
{
	bool was_waiting = command->release_fd >= 0;

	close_fd(&command->release_fd);
	close_fd(&command->error_fd);
	if (was_waiting && command->pid > 0)
		command_ended(command, true);
}
