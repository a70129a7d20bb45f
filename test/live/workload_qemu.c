/*
 * Elements of two virtqueues, with the static probes of a QEMU that was built with --enable-trace-backends=dtrace.
 *
 * A probe is passed only while somebody listens: its semaphore is not 0. Of each queue, POPS elements are taken. FILLS of them are
 * filled, BACK are given back unused. The device of the first queue is reset then, and takes back HELD elements. Those of the second
 * are still held at the end. The key is the element, and elements of both queues are at the same addresses.
 */
#include <stdint.h>
#include <stdio.h>

#include "../support/static_probe.h"

enum { POPS = 100, FILLS = 90, BACK = 7 };

struct queue {
	char before[96];
	const void *device;
};

/* The kernel writes to them. */
#define SEMAPHORE __attribute__((section(".probes"), used)) volatile unsigned short

SEMAPHORE pop_semaphore, fill_semaphore, status_semaphore;

static char element[POPS];
static char device[2];

__attribute__((noinline, noclone)) void virtqueue_detach_element(struct queue *queue, void *of,
								 unsigned length)
{
	__asm__ volatile("" ::"r"(queue), "r"(of), "r"(length) : "memory");
}

__attribute__((noinline, noclone)) static void pop(const struct queue *queue, const void *of)
{
	if (pop_semaphore)
		STATIC_PROBE("qemu", "virtqueue_pop", "pop_semaphore", "8@%0 8@%1 4@%2 4@%3",
			     "r"(queue), "r"(of), "r"(1), "i"(0));
}

__attribute__((noinline, noclone)) static void fill(const struct queue *queue, const void *of,
						    unsigned length)
{
	if (fill_semaphore)
		STATIC_PROBE("qemu", "virtqueue_fill", "fill_semaphore", "8@%0 8@%1 4@%2 4@%3",
			     "r"(queue), "r"(of), "r"(length), "i"(0));
}

__attribute__((noinline, noclone)) static void set_status(const void *of, uint8_t status)
{
	if (status_semaphore)
		STATIC_PROBE("qemu", "virtio_set_status", "status_semaphore", "8@%0 1@%1", "r"(of),
			     "q"(status));
}

int main(void)
{
	struct queue queue[2] = {{.device = &device[0]}, {.device = &device[1]}};

	for (int i = 0; i < POPS; i++)
		for (int k = 0; k < 2; k++)
			pop(&queue[k], &element[i]);
	for (int i = 0; i < FILLS; i++)
		for (int k = 0; k < 2; k++)
			fill(&queue[k], &element[i], 1);
	for (int i = FILLS; i < FILLS + BACK; i++)
		for (int k = 0; k < 2; k++)
			virtqueue_detach_element(&queue[k], &element[i], 0);
	set_status(&device[0], 4);
	set_status(&device[0], 0);
	printf("done\n");
	return 0;
}
