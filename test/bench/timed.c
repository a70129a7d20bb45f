/*
 * timed: runs a command and writes down what it cost, apart from any tracer around it.
 *
 *   timed FILE COMMAND ARG...
 *
 * FILE gets two numbers: seconds of CPU of the command and its children, seconds of wall time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage usage;
	int status;

	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_CHILDREN, &usage);
	FILE *out = fopen(argv[1], "w");

	if (!out)
		return 1;
	fprintf(out, "%.6f %.6f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
		(double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
