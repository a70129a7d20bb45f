/*
 * workload_forks: N short processes, each of which opens one file, reads from it and ends.
 *
 *   workload_forks N FILE
 *
 * Each makes three calls on the file: openat, read of 3 bytes, close.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(const char *path)
{
	char bytes[3];
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, bytes, 3) != 3 || close(fd))
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[1]) : 0, running = 0, bad = 0, status;

	for (int i = 0; i < count || running;) {
		if (i < count && running < 32) {
			pid_t pid = fork();

			if (!pid)
				work(argv[2]);
			if (pid < 0)
				return 1;
			i++;
			running++;
			continue;
		}
		if (wait(&status) > 0) {
			running--;
			bad += status != 0;
		}
	}
	return bad || !count;
}
