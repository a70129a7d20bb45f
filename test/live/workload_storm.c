/*
 * workload_storm: threads that do one cheap call over and over.
 *
 *   workload_storm FILE THREADS COUNT [PAUSE_MS]      COUNT pread()s of one byte by each thread
 *
 * With PAUSE_MS, a pause after each call. Prints "ready" when all threads run, then at the end how
 * many calls worked.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

static const char *path;
static long count, pause_ms;
static pthread_barrier_t start;

static void *work(void *arg)
{
	long *done = arg;
	struct timespec t = {pause_ms / 1000, pause_ms % 1000 * 1000000};
	char byte;
	int fd = open(path, O_RDONLY);

	pthread_barrier_wait(&start);
	for (long i = 0; fd >= 0 && i < count; i++) {
		*done += pread(fd, &byte, 1, 0) == 1;
		if (pause_ms)
			nanosleep(&t, NULL);
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t thread[MAX_THREADS];
	static long done[MAX_THREADS];
	int threads = argc >= 4 ? atoi(argv[2]) : 0;
	long sum = 0;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	path = argv[1];
	count = atol(argv[3]);
	pause_ms = argc > 4 ? atol(argv[4]) : 0;
	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, &done[i]);
	pthread_barrier_wait(&start);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += done[i];
	}
	printf("%ld\n", sum);
	return 0;
}
