/*
 * Takes 1,000 keys and gives all but 7 back; these are lost in three places. Each of the places says where it is: "leak FUNCTION LINE
 * KEYS". The functions keys_take and keys_give can be probed, and so can the static probes keys:take and keys:give, which are on only
 * while somebody counts their semaphores up.
 *
 * With "files" each key that it loses is an open file. With "quiet N" it takes and gives N keys, without loss. With "wait" it says "waiting" and reads a line before it begins, and with "reset" it calls keys_reset for both boxes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../support/static_probe.h"

enum { KEYS = 1000 };

struct box {
	uint32_t number, kind;
	const char *name;
};

struct key {
	struct box *box;
	uint64_t size;
	int file;
};

volatile uint16_t keys_take_semaphore __attribute__((section(".probes")));
volatile uint16_t keys_give_semaphore __attribute__((section(".probes")));

#define PROBE(name, a, b)                                                                          \
	STATIC_PROBE("keys", #name, "keys_" #name "_semaphore", "8@%0 -4@%1", "r"(a), "r"(b))

static uint64_t switched_on;
static int has_files;

__attribute__((noinline)) struct key *keys_take(struct box *box, uint64_t size)
{
	struct key *key = malloc(sizeof(*key));

	if (!key)
		abort();
	key->box = box;
	key->size = size;
	/* Not open(): in Debian's libc it has no frame pointer, so the kernel finds no function above it. */
	key->file = has_files ? (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY) : -1;
	if (keys_take_semaphore) {
		switched_on++;
		PROBE(take, key, (int)size);
	}
	return key;
}

__attribute__((noinline)) void keys_give(const void *reason, struct key *key)
{
	__asm__ volatile("" ::"r"(reason) : "memory");
	if (keys_give_semaphore)
		PROBE(give, key, 0);
	if (key->file >= 0)
		close(key->file);
	free(key);
}

__attribute__((noinline)) void keys_reset(struct box *box)
{
	__asm__ volatile("" ::"r"(box) : "memory");
}

static struct key *lost[16];
static int losses;

static __attribute__((noinline)) void lose_some(struct box *box)
{
	lost[losses++] = keys_take(box, 10); /* leak lose_some 3 */
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void lose_inline(struct box *box)
{
	lost[losses++] = keys_take(box, 20); /* leak lose_inline 2 */
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void lose_others(struct box *box)
{
	lose_inline(box);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void lose_more(struct box *box)
{
	lost[losses++] = keys_take(box, 30); /* leak lose_more 2 */
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void use(struct box *box, uint64_t size)
{
	struct key *key = keys_take(box, size);

	__asm__ volatile("" ::: "memory");
	keys_give(NULL, key);
}

static void lose_all(struct box *box)
{
	for (int i = 0; i < 3; i++)
		lose_some(box);
	for (int i = 0; i < 2; i++)
		lose_others(box);
	for (int i = 0; i < 2; i++)
		lose_more(box);
}

int main(int argc, char **argv)
{
	struct box box[2] = {{1, 14, "first"}, {2, 15, "second"}};
	int keys = argc > 2 && !strcmp(argv[1], "quiet") ? atoi(argv[2]) : KEYS - 7;
	char line[16];

	has_files = argc == 2 && !strcmp(argv[1], "files");
	if (argc == 2 && !strcmp(argv[1], "wait")) {
		puts("waiting");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	for (int i = 0; i < keys; i++)
		use(&box[i % 2], (uint64_t)i);
	if (argc <= 2)
		lose_all(&box[0]);
	printf("taken %d\nswitched_on %llu\n", keys + losses, (unsigned long long)switched_on);
	fflush(stdout);
	if (argc == 2 && !strcmp(argv[1], "reset")) {
		keys_reset(&box[1]);
		keys_reset(&box[0]);
	}
	return 0;
}
