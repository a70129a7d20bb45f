/*
 * workload_self: what a process is given by the one that started it, a line each, to be compared
 * with and without a tracer: arguments, environment, directory, identity, limits, signals,
 * descriptors, group, priority.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void print_words(const char *what, char **word)
{
	for (; *word; word++)
		printf("%s %s\n", what, *word);
}

static void print_limits(void)
{
	for (int i = 0; i < RLIMIT_NLIMITS; i++) {
		struct rlimit limit;

		if (!getrlimit(i, &limit))
			printf("limit %d %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	}
}

static void print_signals(void)
{
	sigset_t mask, pending;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < NSIG; i++) {
		struct sigaction action;

		if (sigaction(i, NULL, &action))
			continue;
		printf("signal %d %s%s%s\n", i,
		       action.sa_handler == SIG_IGN ? "ignored" : "default",
		       sigismember(&mask, i) == 1 ? " blocked" : "",
		       sigismember(&pending, i) == 1 ? " pending" : "");
	}
}

/* Number, kind, flags and position of what is open. Not the one that this list is read from. */
static void print_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int open[1024], count = 0;

	for (struct dirent *e = readdir(dir); e && count < 1024; e = readdir(dir))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(dir))
			open[count++] = atoi(e->d_name);
	closedir(dir);
	for (int i = 0; i < count; i++) {
		struct stat st;

		fstat(open[i], &st);
		printf("descriptor %d %o %lu %x %x %ld\n", open[i], st.st_mode,
		       S_ISFIFO(st.st_mode) ? 0ul : (unsigned long)st.st_ino,
		       fcntl(open[i], F_GETFL), fcntl(open[i], F_GETFD),
		       (long)(open[i] == 1 ? 0 : lseek(open[i], 0, SEEK_CUR)));
	}
}

static void print_status(void)
{
	static const char *const key[] = {
		"Uid:",          "Gid:",     "Groups:",      "CapInh:",     "CapPrm:",    "CapEff:",
		"CapBnd:",       "CapAmb:",  "NoNewPrivs:",  "Seccomp:",    "TracerPid:", "Umask:",
		"Cpus_allowed:", "Threads:", "CoreDumping:", "THP_enabled:"};
	FILE *status = fopen("/proc/self/status", "r");
	char line[512];

	while (fgets(line, sizeof(line), status))
		for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++)
			if (!strncmp(line, key[i], strlen(key[i])))
				fputs(line, stdout);
	fclose(status);
}

int main(int argc, char **argv)
{
	char cwd[4096];

	(void)argc;
	print_words("argument", argv);
	print_words("environment", environ);
	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)));
	print_limits();
	print_signals();
	print_descriptors();
	print_status();
	printf("group %s\n", getpgrp() == getpgid(getppid()) ? "of the parent" : "another");
	printf("session %s\n", getsid(0) == getsid(getppid()) ? "of the parent" : "another");
	printf("priority %d, scheduler %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
	int death = 0;

	prctl(PR_GET_PDEATHSIG, &death);
	printf("death signal %d, dumpable %d, subreaper %d, timer slack %d\n", death,
	       prctl(PR_GET_DUMPABLE), prctl(PR_GET_CHILD_SUBREAPER, &(int){0}),
	       prctl(PR_GET_TIMERSLACK));
	return 0;
}
