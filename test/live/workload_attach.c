/*
 * workload_attach: threads with open files, which wait for SIGUSR1 and then make a known number of
 * calls.
 *
 *   workload_attach DIRECTORY THREADS ROUNDS
 *
 * Thread i then writes ROUNDS times i + 1 bytes to own-I, open since before, reads as often 7 bytes
 * of the file `shared`, opened by the first thread, and writes 100 + i bytes to new-I, which it
 * opens. A child writes 55 bytes to `child`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

static const char *directory;
static int shared, rounds;
static pthread_barrier_t ready, go;

static int file(const char *name, int i)
{
	char path[4096];

	snprintf(path, sizeof(path), i < 0 ? "%s/%s" : "%s/%s-%d", directory, name, i);
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		exit(1);
	return fd;
}

/* Kept open until its name has been looked up. */
static void write_new(const char *name, int i, size_t size)
{
	char bytes[512] = "";
	struct timespec t = {0, 50000000};
	int fd = file(name, i);

	nanosleep(&t, NULL);
	if (write(fd, bytes, size) != (ssize_t)size || close(fd))
		exit(1);
}

static void *work(void *arg)
{
	int i = (int)(intptr_t)arg, own = file("own", i);
	char bytes[MAX_THREADS + 8] = "";

	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	for (int n = 0; n < rounds; n++)
		if (write(own, bytes, (size_t)i + 1) != i + 1 || pread(shared, bytes, 7, n) != 7)
			exit(1);
	write_new("new", i, 100 + (size_t)i);
	close(own);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc == 4 ? atoi(argv[2]) : 0, number, status;
	char bytes[4096] = "";
	pthread_t thread[MAX_THREADS];
	sigset_t set;

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	directory = argv[1];
	rounds = atoi(argv[3]);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	shared = file("shared", -1);
	if (write(shared, bytes, sizeof(bytes)) != sizeof(bytes))
		return 1;
	pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&go, NULL, (unsigned)threads + 1);
	for (intptr_t i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	pthread_barrier_wait(&ready);
	printf("ready\n");
	fflush(stdout);
	sigwait(&set, &number);
	pthread_barrier_wait(&go);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pid_t pid = fork();

	if (!pid) {
		write_new("child", -1, 55);
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || status;
}
