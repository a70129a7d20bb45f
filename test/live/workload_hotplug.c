/*
 * Writes on a CPU that goes and comes. It goes for 0.2 s.
 *
 *   workload_hotplug FILE back   on CPU 1, which then goes offline and comes back, and then there again
 *   workload_hotplug FILE new    CPU 1, which is offline, comes online; on CPU 1
 *
 * Afterwards a child writes there, too, which begins and ends on that CPU.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE = 100, AFTER = 500, CHILD = 50, PAUSE_US = 200000 };

static void set_online(const char *digit)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, digit, 1) != 1)
		_exit(3);
	close(fd);
	usleep(PAUSE_US);
}

static void run_on(int cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	if (sched_setaffinity(0, sizeof(mask), &mask))
		_exit(4);
}

static void put(int fd, int count)
{
	while (count--)
		if (write(fd, "a", 1) != 1)
			_exit(5);
}

static void write_on_1(int fd, int count)
{
	run_on(1);
	put(fd, count);
	run_on(0);
}

static void child_on_1(int fd)
{
	int status = 0;
	pid_t child;

	run_on(1);
	child = fork();
	if (!child) {
		put(fd, CHILD);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		_exit(6);
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644) : -1;

	if (fd < 0)
		return 2;
	if (!strcmp(argv[2], "back")) {
		write_on_1(fd, BEFORE);
		set_online("0");
	}
	set_online("1");
	write_on_1(fd, AFTER);
	child_on_1(fd);
	return 0;
}
