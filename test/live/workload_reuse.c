/*
 * workload_reuse: open, read, close in a tight loop, over files whose size tells which one it is.
 *
 *   workload_reuse DIRECTORY FILES ROUNDS THREADS
 *
 * Makes the files DIRECTORY/0 … , file i with i + 1 bytes; then each thread reads, ROUNDS times,
 * one of them in an order of its own. The number of the descriptor is nearly always the same.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 64, MAX_FILES = 200 };

static char path[MAX_FILES][512];
static int files, rounds;

static void *work(void *arg)
{
	uint32_t random = (uint32_t)(uintptr_t)arg * 2654435761u + 1;
	char bytes[MAX_FILES + 1];

	for (int i = 0; i < rounds; i++) {
		random = random * 1664525u + 1013904223u;
		int file = (int)((random >> 8) % (uint32_t)files);
		int fd = open(path[file], O_RDONLY);

		if (fd < 0 || read(fd, bytes, sizeof(bytes)) != file + 1 || close(fd))
			exit(1);
	}
	return NULL;
}

static int make(const char *directory)
{
	char bytes[MAX_FILES] = "";

	for (int i = 0; i < files; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", directory, i);
		int fd = open(path[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || write(fd, bytes, (size_t)i + 1) != i + 1 || close(fd))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	int threads = argc == 5 ? atoi(argv[4]) : 0;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	files = atoi(argv[2]);
	rounds = atoi(argv[3]);
	if (files < 1 || files > MAX_FILES || make(argv[1]))
		return 1;
	for (uintptr_t i = 0; i < (uintptr_t)threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)(i + 1)))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
