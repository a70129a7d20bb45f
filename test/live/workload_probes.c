/*
 * Threads that call functions and pass static probes, each a known number of times. It says "waiting" and reads a line before they
 * begin.
 *
 * LOOPS times, each of the THREADS threads takes an item and gives it back; each tenth item is dropped between, each hundredth is taken
 * twice, and each 25th is given back by put(), which calls give(). deep() calls itself, DEPTH calls in one another. sent() and
 * received() are called in different threads, all sent() before all received().
 * The static probe mark:begin is in four places, with its arguments in another place each. At the end, the first thread calls named()
 * with two texts, and absent() with memory that it never touched, MORE times each.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../support/static_probe.h"

enum { THREADS = 4, LOOPS = 1000, DEPTH = 5, MORE = 100 };

#define AWAY __attribute__((noinline, noclone))

struct kind {
	uint32_t number;
	int16_t below; /* negative */
	char unused[2];
	uint64_t pad;
};

struct item {
	uint64_t before;
	const struct kind *kind;
	uint64_t size;
};

#define PROBE(name, ...) STATIC_PROBE("mark", name, "0", __VA_ARGS__)

AWAY struct item *take(struct item *item, uint64_t size)
{
	item->size = size;
	__asm__ volatile("" ::: "memory");
	return item;
}

AWAY void give(struct item *item)
{
	__asm__ volatile("" ::"r"(item) : "memory");
}

AWAY void put(struct item *item)
{
	give(item);
	__asm__ volatile("" ::: "memory");
}

AWAY void drop(struct item *item)
{
	__asm__ volatile("" ::"r"(item) : "memory");
}

AWAY uint64_t deep(uint64_t depth)
{
	uint64_t below = depth > 1 ? deep(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below)::"memory");
	return below + 1;
}

AWAY void sent(uint64_t number)
{
	__asm__ volatile("" ::"r"(number) : "memory");
}

AWAY void received(uint64_t number)
{
	__asm__ volatile("" ::"r"(number) : "memory");
}

AWAY void named(const char *name)
{
	__asm__ volatile("" ::"r"(name) : "memory");
}

AWAY void absent(const uint64_t *where)
{
	__asm__ volatile("" ::"r"(where) : "memory");
}

/* The second argument has 4 bytes and a sign: the number of the place, less 2. */
AWAY void mark(uint64_t key, uint32_t place)
{
	volatile int in_memory = -1;

	switch (place) {
	case 0:
		PROBE("begin", "8@%0 -4@%1", "r"(key), "r"(-2));
		break;
	case 1:
		PROBE("begin", "8@%1 -4@%0", "m"(in_memory), "r"(key));
		break;
	case 2:
		PROBE("begin", "8@%0 -4@%1", "r"(key), "i"(0));
		break;
	default:
		PROBE("begin", "8@%1 -4@%0", "r"(1), "r"(key));
		break;
	}
	PROBE("end", "8@%0", "r"(key));
}

static pthread_barrier_t barrier;
static int number_of[THREADS];

static void use(const struct kind *kind, uint64_t key, int i)
{
	struct item item = {.kind = kind};

	take(&item, (uint64_t)i);
	if (i % 100 == 0)
		take(&item, (uint64_t)i);
	if (i % 10 == 0)
		drop(&item);
	(i % 25 ? give : put)(&item);
	deep(DEPTH);
	mark(key, (uint32_t)i % 4);
	if (i % 50 == 0)
		syscall(SYS_getppid);
}

static void *work(void *argument)
{
	const struct kind kind[2] = {{1, -7, {0}, 0}, {2, -8, {0}, 0}};
	int own = *(int *)argument;

	for (int i = 0; i < LOOPS; i++) {
		use(&kind[i % 2], (uint64_t)own << 32 | (uint64_t)i, i);
		sent((uint64_t)own << 32 | (uint64_t)i);
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < LOOPS; i++)
		received((uint64_t)((own + 1) % THREADS) << 32 | (uint64_t)i);
	return NULL;
}

static int more(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, MORE * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < MORE; i++) {
		named(i % 4 ? "often" : "seldom");
		absent((const uint64_t *)(memory + i * page));
	}
	return 0;
}

int main(void)
{
	pthread_t thread[THREADS];
	char line[16];

	puts("waiting");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		number_of[i] = i;
		pthread_create(&thread[i], NULL, work, &number_of[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
	return more();
}
