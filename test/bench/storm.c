/*
 * storm: one kind of cheap work, as often as asked, and what it costs in CPU time.
 *
 *   storm KIND FILE COUNT THREADS [FILES]
 *
 * KIND pread reads one byte (one call each), open opens, reads and closes (three calls): FILE, or in
 * turn FILE.0, FILE.1 and so on if there are that many FILES. Each thread is pinned to a CPU, from
 * the last one downwards, so that one thread leaves the first CPU to others. Prints two numbers: nanoseconds of CPU and of wall time for one unit of work, the mean
 * over the threads.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 512, MAX_FILES = 1000, PATH_SIZE = 256 };

struct worker {
	pthread_t thread;
	int cpu;
	double cpu_ns, wall_ns;
};

static char path[MAX_FILES][PATH_SIZE];
static int files = 1;
static long count;
static int (*unit)(int fd, long i);
static pthread_barrier_t start;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int unit_pread(int fd, long i)
{
	char byte;

	(void)i;
	return pread(fd, &byte, 1, 0) == 1;
}

static int unit_open(int fd, long i)
{
	char byte;

	fd = open(path[i % files], O_RDONLY);
	return fd >= 0 && read(fd, &byte, 1) == 1 && close(fd) == 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int fd = open(path[0], O_RDONLY);

	pin(w->cpu);
	if (fd < 0 || !unit(fd, 0))
		exit(1);
	pthread_barrier_wait(&start);
	w->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
	w->wall_ns = now(CLOCK_MONOTONIC);
	for (long i = 0; i < count; i++)
		if (!unit(fd, i))
			exit(1);
	w->wall_ns = now(CLOCK_MONOTONIC) - w->wall_ns;
	w->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - w->cpu_ns;
	close(fd);
	return NULL;
}

static int name_files(const char *name, const char *number)
{
	files = number ? atoi(number) : 1;
	if (files < 1 || files > MAX_FILES)
		return 0;
	snprintf(path[0], PATH_SIZE, "%s", name);
	for (int i = 0; number && i < files; i++)
		snprintf(path[i], PATH_SIZE, "%s.%d", name, i);
	return 1;
}

int main(int argc, char **argv)
{
	static struct worker worker[MAX_THREADS];
	int threads = argc == 5 || argc == 6 ? atoi(argv[4]) : 0;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	double cpu = 0, wall = 0;

	if (threads < 1 || threads > MAX_THREADS || (count = atol(argv[3])) < 1 ||
	    !name_files(argv[2], argv[5])) {
		fprintf(stderr, "usage: storm pread|open FILE COUNT THREADS [FILES]\n");
		return 2;
	}
	unit = strcmp(argv[1], "open") ? unit_pread : unit_open;
	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		worker[i].cpu = cpus - 1 - i % cpus;
		pthread_create(&worker[i].thread, NULL, work, &worker[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(worker[i].thread, NULL);
		cpu += worker[i].cpu_ns;
		wall += worker[i].wall_ns;
	}
	printf("%.1f %.1f\n", cpu / threads / (double)count, wall / threads / (double)count);
	return 0;
}
