/*
 * iotrace_spank: a plugin for Slurm that adds --iotrace[=OPTIONS] to srun, sbatch and salloc.
 *
 * Slurm forks the tasks of a step on a node, calls slurm_spank_task_post_fork() for each, and only then lets them execute the
 * program. At the last of these calls the plugin starts one recorder for all tasks of the node, as the user, and waits until it is
 * ready: `iotrace -p PID,PID... OPTIONS`. After the last task has ended, the plugin waits until the archive is whole, since Slurm then
 * kills what is left of the step.
 *
 * plugstack.conf: optional /path/to/iotrace_spank.so [iotrace=/path/to/iotrace]
 */
#include <slurm/slurm.h>
#include <slurm/spank.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

SPANK_PLUGIN(iotrace, 1)

enum {
	READY_FD = 3,
	PID_DIGITS = 12,
	PATH_SIZE = 4096,
	LINE_SIZE = 1024,
	COULD_NOT_EXEC = 127,
	FD_MOST = 4096
};

/* Of the step. Slurm gives its plugins no other place. */
static struct {
	bool is_wanted;
	char *options, *program;
	pid_t *task;
	uint32_t forked, ended;
	FILE *messages; /* what the recorder says, until it ends */
} step;

static int take_option(int value, const char *text, int is_remote)
{
	(void)value;
	(void)is_remote;
	step.is_wanted = true;
	free(step.options);
	/* What sbatch hands to the srun of its script: nothing is written so there. */
	step.options = strdup(text && strcmp(text, "(null)") != 0 ? text : "");
	return step.options ? 0 : -1;
}

/* An argument that may be left out is 2, as for getopt_long(). */
static struct spank_option option = {
	.name = (char *)"iotrace",
	.arginfo = (char *)"OPTIONS",
	.usage = (char *)"record the I/O of the tasks on each node; OPTIONS are those of iotrace",
	.has_arg = 2,
	.cb = take_option,
};

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
	static const char key[] = "iotrace=";

	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], key, sizeof(key) - 1) != 0) {
			slurm_error("iotrace: plugstack.conf: '%s' is no argument of the plugin",
				    argv[i]);
			return -1;
		}
		free(step.program);
		step.program = strdup(argv[i] + sizeof(key) - 1);
	}
	if (!step.program)
		step.program = strdup(IOTRACE_PROGRAM);
	return spank_option_register(spank, &option) == ESPANK_SUCCESS && step.program ? 0 : -1;
}

/* The step that Slurm runs only to keep a place for processes from outside runs no program. */
static bool is_recorded(spank_t spank)
{
	uint32_t id;

	return step.is_wanted && spank_get_item(spank, S_JOB_STEPID, &id) == ESPANK_SUCCESS &&
	       id != SLURM_EXTERN_CONT;
}

/* Returns 0 or -1. */
static int add_task(spank_t spank, uint32_t tasks)
{
	if (!step.task)
		step.task = calloc(tasks, sizeof(*step.task));
	if (!step.task || step.forked == tasks ||
	    spank_get_item(spank, S_TASK_PID, &step.task[step.forked]) != ESPANK_SUCCESS)
		return -1;
	step.forked++;
	return 0;
}

/* Returns the process ids with a comma between them, or NULL. */
static char *write_pids(void)
{
	size_t size = (size_t)step.forked * PID_DIGITS + 1, used = 0;
	char *text = calloc(1, size);

	for (uint32_t i = 0; text && i < step.forked; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "",
					 (int)step.task[i]);
	return text;
}

struct recorder {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int group_count;
	char **environment;
	char *script, *pids;
	int cwd; /* of the tasks */
	int ready[2], messages[2];
};

static bool become_user(const struct recorder *recorder)
{
	return (geteuid() || !setgroups((size_t)recorder->group_count, recorder->groups)) &&
	       !setresgid(recorder->gid, recorder->gid, recorder->gid) &&
	       !setresuid(recorder->uid, recorder->uid, recorder->uid);
}

static void close_others(void)
{
	if (!syscall(SYS_close_range, READY_FD + 1, ~0U, 0))
		return;
	for (int fd = READY_FD + 1; fd < FD_MOST; fd++) /* before Linux 5.9 */
		close(fd);
}

/*
 * In the child: slurmstepd has threads, so nothing here may allocate memory. When Slurm ends a step, it asks all its processes to end;
 * the recorder is there until the tasks have ended.
 */
static void run_recorder(const struct recorder *recorder)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	char *const argv[] = {
		(char *)"sh",   (char *)"-c", recorder->script, (char *)"iotrace", step.program,
		recorder->pids, NULL};
	static const char sorry[] =
		"iotrace: cannot start a recorder as the user, in the directory of the tasks\n";
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	dup2(null, STDIN_FILENO);
	dup2(recorder->messages[1], STDOUT_FILENO);
	dup2(recorder->messages[1], STDERR_FILENO);
	if (become_user(recorder) && !fchdir(recorder->cwd)) {
		dup2(recorder->ready[1], READY_FD);
		fcntl(READY_FD, F_SETFD, 0); /* it may have had this number */
		close_others();
		execve("/bin/sh", argv, recorder->environment);
	}
	if (write(STDERR_FILENO, sorry, sizeof(sorry) - 1) < 0)
		_exit(COULD_NOT_EXEC);
	_exit(COULD_NOT_EXEC);
}

static void say_messages(void)
{
	char line[LINE_SIZE];

	while (step.messages && fgets(line, sizeof(line), step.messages)) {
		line[strcspn(line, "\n")] = '\0';
		slurm_spank_log("%s", line);
	}
	if (step.messages)
		fclose(step.messages);
	step.messages = NULL;
}

/* Returns whether the recorder says that it records; else it has ended. */
static bool is_ready(int fd)
{
	char byte;
	ssize_t got;

	do
		got = read(fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	close(fd);
	return got == 1;
}

/* Returns 0 or -1. */
static int start(struct recorder *recorder)
{
	pid_t pid;

	if (pipe2(recorder->ready, O_CLOEXEC))
		return -1;
	if (pipe2(recorder->messages, O_CLOEXEC)) {
		close(recorder->ready[0]);
		close(recorder->ready[1]);
		return -1;
	}
	pid = fork();
	if (!pid &&
	    (pid = fork())) /* nobody's child, so that Slurm does not take it for a task's */
		_exit(pid < 0 ? COULD_NOT_EXEC : 0);
	if (!pid)
		run_recorder(recorder);
	waitpid(pid, NULL, 0);
	close(recorder->ready[1]);
	close(recorder->messages[1]);
	step.messages = fdopen(recorder->messages[0], "r");
	if (is_ready(recorder->ready[0]))
		return 0;
	say_messages();
	return -1;
}

/*
 * A shell reads the options, so that quotation marks and variables mean what they mean on a command line. What the environment does
 * not say yet of the tasks is said here.
 */
static char *write_script(uint32_t node)
{
	static const char script[] =
		"SLURM_NODEID=%u; export SLURM_NODEID; exec \"$1\" record -q -p \"$2\" --ready-fd 3 %s";
	size_t size = sizeof(script) + PID_DIGITS + strlen(step.options);
	char *out = malloc(size);

	if (out)
		snprintf(out, size, script, node, step.options);
	return out;
}

/* Returns 0 or -1. */
static int record(spank_t spank)
{
	struct recorder recorder = {0};
	char cwd[PATH_SIZE];
	uint32_t node = 0;
	int code = -1;

	snprintf(cwd, sizeof(cwd), "/proc/%d/cwd", (int)step.task[0]);
	/* The user may not look into a task before it has executed its program. */
	recorder.cwd = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	spank_get_item(spank, S_JOB_NODEID, &node);
	recorder.script = write_script(node);
	recorder.pids = write_pids();
	if (recorder.script && recorder.pids &&
	    spank_get_item(spank, S_JOB_UID, &recorder.uid) == ESPANK_SUCCESS &&
	    spank_get_item(spank, S_JOB_GID, &recorder.gid) == ESPANK_SUCCESS &&
	    spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &recorder.groups,
			   &recorder.group_count) == ESPANK_SUCCESS &&
	    spank_get_item(spank, S_JOB_ENV, &recorder.environment) == ESPANK_SUCCESS)
		code = start(&recorder);
	free(recorder.script);
	free(recorder.pids);
	close(recorder.cwd);
	return code;
}

/* A failure of this function would end the step, but with the status 0 of srun. */
static void refuse(void)
{
	slurm_spank_log("iotrace: the tasks cannot be recorded, and do not run");
	for (uint32_t i = 0; i < step.forked; i++)
		kill(step.task[i], SIGKILL);
}

int slurm_spank_task_post_fork(spank_t spank, int argc, char **argv)
{
	uint32_t tasks;

	(void)argc;
	(void)argv;
	if (!is_recorded(spank))
		return 0;
	if (spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS ||
	    add_task(spank, tasks))
		return -1;
	if (step.forked == tasks && record(spank))
		refuse();
	return 0;
}

int slurm_spank_task_exit(spank_t spank, int argc, char **argv)
{
	(void)spank;
	(void)argc;
	(void)argv;
	if (step.messages && ++step.ended == step.forked)
		say_messages();
	return 0;
}
