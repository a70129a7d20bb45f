/*
 * workload_mmap: reads a file through mappings, and says what that must have cost.
 *
 *   workload_mmap FILE
 *
 * FILE is made, and its pages are dropped from the cache. Prints a line of JSON: the file's size, the offsets that were read at
 * random, and how many page faults of it had to wait for a disk (getrusage).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZE = 1 << 20, PAGE = 4096 };

static const size_t touched[] = {99 * PAGE, 3 * PAGE, 200 * PAGE, 7 * PAGE};

static void need(int is_true, const char *what)
{
	if (is_true)
		return;
	perror(what);
	exit(1);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

static volatile const char *map(int fd, int advice)
{
	void *at;

	need(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	at = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED, "mmap");
	need(!madvise(at, SIZE, advice), "madvise");
	return at;
}

int main(int argc, char **argv)
{
	static char page[PAGE];
	volatile const char *at;
	long before, random_faults;
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1, sum = 0;

	need(fd >= 0, "open");
	for (size_t i = 0; i < SIZE; i += PAGE) {
		memset(page, (int)(i / PAGE) + 1, PAGE);
		need(write(fd, page, PAGE) == PAGE, "write");
	}
	need(!fsync(fd), "fsync");
	at = map(fd, MADV_RANDOM);
	close(fd);
	before = faults();
	for (size_t i = 0; i < sizeof(touched) / sizeof(touched[0]); i++)
		sum += at[touched[i]];
	for (size_t i = 0; i < sizeof(touched) / sizeof(touched[0]); i++)
		sum += at[touched[i] + 1];
	random_faults = faults() - before;
	munmap((void *)at, SIZE);
	fd = open(argv[1], O_RDONLY);
	need(fd >= 0, "open");
	at = map(fd, MADV_SEQUENTIAL);
	for (size_t i = 0; i < SIZE; i += PAGE)
		sum += at[i];
	munmap((void *)at, SIZE);
	printf("{\"size\": %d, \"faults\": %ld, \"offsets\": [", SIZE, random_faults);
	for (size_t i = 0; i < sizeof(touched) / sizeof(touched[0]); i++)
		printf("%s%zu", i ? ", " : "", touched[i]);
	printf("], \"sum\": %d}\n", sum);
	return 0;
}
