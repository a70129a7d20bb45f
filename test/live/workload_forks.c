/*
 * workload_forks: N short processes, each of which opens one file, reads from it and ends.
 *
 *   workload_forks N FILE [SECONDS]
 *
 * Each makes three calls on the file: openat, read of 3 bytes, close. With SECONDS, it stays for that long, and all are there at once.
 * They share the memory of the program: to copy it takes most of the time of a fork.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static unsigned seconds;

static int work(void *unused)
{
	char bytes[3];
	int fd = open(path, O_RDONLY);

	(void)unused;
	if (fd < 0 || read(fd, bytes, 3) != 3 || close(fd))
		return 1;
	sleep(seconds);
	return 0;
}

struct place {
	pid_t pid; /* 0: free */
	char stack[16 << 10] __attribute__((aligned(16)));
};

static struct place *place_of(struct place *place, pid_t pid)
{
	while (place->pid != pid)
		place++;
	return place;
}

int main(int argc, char **argv)
{
	int count = argc >= 3 ? atoi(argv[1]) : 0, most = argc == 4 ? count : 32, running = 0,
	    bad = 0, status;
	struct place *places = calloc((size_t)most + 1, sizeof(*places));

	if (!count || !places)
		return 1;
	path = argv[2];
	seconds = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	for (int i = 0; i < count || running;) {
		if (i < count && running < most) {
			struct place *place = place_of(places, 0);

			place->pid = clone(work, place->stack + sizeof(place->stack),
					   CLONE_VM | SIGCHLD, NULL);
			if (place->pid < 0)
				return 1;
			i++;
			running++;
			continue;
		}
		place_of(places, wait(&status))->pid = 0;
		running--;
		bad += status != 0;
	}
	return bad != 0;
}
