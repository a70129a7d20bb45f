/*
 * sample: the head of every record, and how a record gets into the ring of its CPU.
 *
 * A record in the ring is a whole perf record: a sample of the event "iotrace:bpf" with IDENTIFIER, IP, TID, TIME, CPU and RAW.
 * So it is copied out of the ring as it is. The raw data begins behind its 32-bit size, so it is not aligned to 8. On the few
 * processors where the kernel requires alignment, it refuses the programs, and perf is used.
 *
 * The time of a record is taken after its space in the ring was reserved. So if the reader does not find a record before a
 * position of the writer, the record's time is later than the moment of that position, however long the program is delayed
 * (live_bpf.h, stream/order.h).
 */
#pragma once

#include "counter.h"
#include "peek.h"

#include "load/bpf_shared.h"

#include <bpf/bpf_tracing.h>
#include <iotrace/bpf_record.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

struct sample_head {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip; /* 0: perf script needs the field */
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint32_t raw_size;
};

#define RAW_AT (__builtin_offsetof(struct sample_head, raw_size) + sizeof(uint32_t))
/* The size of a record with this many bytes of raw data. */
#define SAMPLE_SIZE(raw) ((RAW_AT + (raw) + 7) & ~7ULL)

const volatile uint64_t sample_id; /* id of the event in the capture */

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* set by the loader: number of CPUs */
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: number of CPUs */
	__type(key, uint32_t);
	__type(value, struct bpf_books);
} books SEC(".maps");

static __always_inline void put_head(struct sample_head *head, struct task_struct *task,
				     uint64_t time, uint32_t cpu, uint32_t size)
{
	head->header.type = PERF_RECORD_SAMPLE;
	head->header.misc = PERF_RECORD_MISC_KERNEL;
	head->header.size = size;
	head->id = sample_id;
	head->ip = 0;
	head->pid = task->tgid;
	head->tid = task->pid;
	head->time = time;
	head->cpu = cpu;
	head->reserved = 0;
	head->raw_size = size - RAW_AT;
}

/* Writes the command name up to its NUL; the bytes behind that are 0. */
static __always_inline void put_comm(uint8_t *to, struct task_struct *task)
{
	for (uint32_t i = 0; i < sizeof(task->comm); i++)
		to[i] = task->comm[i];
}

static __always_inline void note_drop(struct bpf_books *book)
{
	uint64_t time = bpf_ktime_get_ns();

	if (!book->first_drop)
		book->first_drop = time;
	book->last_drop = time;
	__sync_fetch_and_add(&book->dropped, 1);
}

/* Returns the flag that wakes the reader if it has requested a wake-up. Two programs may wake it at the same time. */
static __always_inline uint64_t wake_flag(struct bpf_books *book, uint32_t size)
{
	add(&book->bytes, size + BPF_RINGBUF_HDR_SZ);
	if (book->bytes < book->wake_at)
		return BPF_RB_NO_WAKEUP;
	book->wake_at = ~0ULL;
	return BPF_RB_FORCE_WAKEUP;
}

/* A record that is written directly into the ring. */
struct outgoing {
	struct bpf_books *book; /* counters of this CPU, to be updated by the sender */
	struct sample_head *head;
	uint32_t size;
};

/*
 * Returns the space for the raw data. If there is no space, out->head is NULL, and the loss is counted. Callers check that and
 * not the returned value, because verifiers before Linux 6.4 do not see that both are NULL.
 */
static __always_inline void *begin_sample(struct outgoing *out, struct task_struct *task,
					  uint32_t bytes)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	out->head = NULL;
	out->book = bpf_map_lookup_elem(&books, &cpu);
	if (!out->book)
		return NULL;
	if (!ring) { /* the CPU came online after the recording began */
		note_drop(out->book);
		return NULL;
	}
	out->size = SAMPLE_SIZE(bytes);
	out->head = bpf_ringbuf_reserve(ring, SAMPLE_SIZE(bytes), 0);
	if (!out->head) {
		note_drop(out->book);
		return NULL;
	}
	put_head(out->head, task, bpf_ktime_get_ns(), cpu, out->size);
	return (void *)out->head + RAW_AT;
}

static __always_inline void end_sample(const struct outgoing *out)
{
	bpf_ringbuf_submit(out->head, wake_flag(out->book, out->size));
}
