/*
 * workload_mmap: reads a file through mappings, and says what that must have cost.
 *
 *   workload_mmap FILE
 *
 * FILE is made, and its pages are dropped from the cache. Prints a line of JSON: the file's size, the offsets that were read at
 * random, and how many page faults of it had to wait for a disk (getrusage). Then FILE.w is made, dropped, and written to
 * through a mapping; what calls bring into the cache after that is not what these faults read.
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

static const size_t stored[] = {150 * PAGE, 5 * PAGE};
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

static volatile char *map(int fd, int protection, int advice)
{
	void *at;

	need(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	at = mmap(NULL, SIZE, protection, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED, "mmap");
	need(!madvise(at, SIZE, advice), "madvise");
	return at;
}

static int make(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	static char page[PAGE];

	need(fd >= 0, "open");
	for (size_t i = 0; i < SIZE; i += PAGE) {
		memset(page, (int)(i / PAGE) + 1, PAGE);
		need(write(fd, page, PAGE) == PAGE, "write");
	}
	need(!fsync(fd), "fsync");
	return fd;
}

static void print_offsets(const char *name, const size_t *offset, size_t count)
{
	printf(", \"%s\": [", name);
	for (size_t i = 0; i < count; i++)
		printf("%s%zu", i ? ", " : "", offset[i]);
	printf("]");
}

/* A store that faults is not followed by a tracepoint that ends the fault, so calls could be taken for a part of it. */
static void store(const char *path)
{
	static char some[40 * PAGE];
	int fd = make(path);
	volatile char *at = map(fd, PROT_READ | PROT_WRITE, MADV_RANDOM);

	for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		at[stored[i]] = 1;
	need(pread(fd, some, sizeof(some), 60 * PAGE) == sizeof(some), "pread");
	need(pwrite(fd, some, 10, 240 * PAGE + 1) == 10, "pwrite");
	for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		at[stored[i] + PAGE] = 1;
	need(!madvise((void *)(at + 170 * PAGE), 20 * PAGE, MADV_WILLNEED), "madvise");
	need(pread(fd, (void *)(at + 30 * PAGE), PAGE, 31 * PAGE) == PAGE, "pread to the mapping");
	need(pread(fd, some, 4 * PAGE, 110 * PAGE) == 4 * PAGE, "pread");
	at[20 * PAGE] = 1;
	munmap((void *)at, SIZE);
	close(fd);
}

int main(int argc, char **argv)
{
	volatile const char *at;
	char other[4096];
	long before, random_faults;
	int fd, sum = 0;

	need(argc == 2, "one argument");
	fd = make(argv[1]);
	at = map(fd, PROT_READ, MADV_RANDOM);
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
	at = map(fd, PROT_READ, MADV_SEQUENTIAL);
	for (size_t i = 0; i < SIZE; i += PAGE)
		sum += at[i];
	munmap((void *)at, SIZE);
	snprintf(other, sizeof(other), "%s.w", argv[1]);
	store(other);
	printf("{\"size\": %d, \"faults\": %ld, \"sum\": %d", SIZE, random_faults, sum);
	print_offsets("offsets", touched, sizeof(touched) / sizeof(touched[0]));
	print_offsets("stored", stored, sizeof(stored) / sizeof(stored[0]));
	printf("}\n");
	return 0;
}
