/*
 * storm: one kind of cheap work, as often as asked, and what it costs in CPU time.
 *
 *   storm KIND FILE COUNT THREADS
 *
 * KIND pread reads one byte (one call each), open opens, reads and closes (three calls). Each
 * thread is pinned to a CPU, from the last one downwards, so that one thread leaves the first CPU
 * to others. Prints two numbers: nanoseconds of CPU and of wall time for one unit of work, the mean
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

enum { MAX_THREADS = 512 };

struct worker {
	pthread_t thread;
	int cpu;
	double cpu_ns, wall_ns;
};

static const char *path;
static long count;
static int (*unit)(int fd);
static pthread_barrier_t start;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int unit_pread(int fd)
{
	char byte;

	return pread(fd, &byte, 1, 0) == 1;
}

static int unit_open(int fd)
{
	char byte;

	fd = open(path, O_RDONLY);
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
	int fd = open(path, O_RDONLY);

	pin(w->cpu);
	if (fd < 0 || !unit(fd))
		exit(1);
	pthread_barrier_wait(&start);
	w->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
	w->wall_ns = now(CLOCK_MONOTONIC);
	for (long i = 0; i < count; i++)
		if (!unit(fd))
			exit(1);
	w->wall_ns = now(CLOCK_MONOTONIC) - w->wall_ns;
	w->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - w->cpu_ns;
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker worker[MAX_THREADS];
	int threads = argc == 5 ? atoi(argv[4]) : 0;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	double cpu = 0, wall = 0;

	if (threads < 1 || threads > MAX_THREADS || (count = atol(argv[3])) < 1) {
		fprintf(stderr, "usage: storm pread|open FILE COUNT THREADS\n");
		return 2;
	}
	unit = strcmp(argv[1], "open") ? unit_pread : unit_open;
	path = argv[2];
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
