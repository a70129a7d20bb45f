/*
 * span_storm: pairs of events as fast as they come, and what one costs in CPU time.
 *
 *   span_storm KIND COUNT [OPEN | DEVICE]
 *
 * KIND getppid: calls of getppid. function: calls of called(). marker: passes the static probes storm:begin and storm:end. signal: a process sends itself a signal. seek: for the span "lseek with whence 0 to lseek with
 * whence 1, by pid and offset", first OPEN begins that never end, then pairs of other keys. group: the same call with 10,000 file positions in
 * turn. request: reads 4 KiB of DEVICE past the page cache. Prints nanoseconds of CPU for one unit, the median of nine parts; for a request,
 * which others work for, too, nanoseconds of time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../support/static_probe.h"

enum { PARTS = 9, GROUPS = 10000, REQUEST = 4096, REQUESTS = 1024 };

static int fd;
static long next;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void unit_getppid(void)
{
	syscall(SYS_getppid);
}

static void unit_signal(void)
{
	raise(SIGUSR1);
}

static void unit_seek(void)
{
	lseek(fd, next, SEEK_SET);
	lseek(fd, next, SEEK_CUR);
	next++;
}

static void unit_group(void)
{
	lseek(fd, next++ % GROUPS, SEEK_SET);
}

__attribute__((noinline, noclone)) long called(long number)
{
	__asm__ volatile("" : "+r"(number)::"memory");
	return number;
}

static void unit_function(void)
{
	called(next++ % 1000);
}

#define PROBE(name, key) STATIC_PROBE("storm", #name, "0", "8@%0", "r"(key))

static void unit_marker(void)
{
	PROBE(begin, next);
	PROBE(end, next);
	next++;
}

static void unit_request(void)
{
	static _Alignas(REQUEST) char buffer[REQUEST];

	if (pread(fd, buffer, REQUEST, next++ % REQUESTS * REQUEST) != REQUEST)
		exit(1);
}

static void nothing(int number)
{
	(void)number;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*unit)(void);
	} kind[] = {{"getppid", unit_getppid}, {"function", unit_function}, {"marker", unit_marker},
		    {"signal", unit_signal},   {"seek", unit_seek},         {"group", unit_group},
		    {"request", unit_request}};
	long count = argc > 2 ? atol(argv[2]) / PARTS : 0, open_keys = argc > 3 ? atol(argv[3]) : 0;
	void (*unit)(void) = NULL;
	clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
	double part[PARTS];

	for (size_t i = 0; argc > 2 && i < sizeof(kind) / sizeof(*kind); i++)
		if (!strcmp(kind[i].name, argv[1]))
			unit = kind[i].unit;
	if (unit == unit_request)
		clock = CLOCK_MONOTONIC;
	fd = unit == unit_request && argc > 3 ? open(argv[3], O_RDONLY | O_DIRECT)
					      : open("/etc/passwd", O_RDONLY);
	if (!unit || count < 1 || fd < 0) {
		fprintf(stderr,
			"usage: span_storm getppid|function|marker|signal|seek|group|request COUNT [OPEN|DEVICE]\n");
		return 1;
	}
	signal(SIGUSR1, nothing);
	for (; next < open_keys; next++)
		lseek(fd, next, SEEK_SET);
	for (int i = 0; i < PARTS; i++) {
		double begun = now(clock);

		for (long k = 0; k < count; k++)
			unit();
		part[i] = (now(clock) - begun) / (double)count;
	}
	qsort(part, PARTS, sizeof(*part), compare);
	printf("%.1f\n", part[PARTS / 2]);
	return 0;
}
