/*
 * open: the spans that have begun and not ended.
 *
 * A span is found by its number and key. The spans of a process can be enumerated when the process ends. Each needs 136 bytes,
 * and 4 to 8 in the table of hashes; both are reused when the span has ended.
 */
#pragma once

#include <iotrace/hash.h>
#include <iotrace/map.h>
#include <iotrace/span.h>
#include <iotrace/strtab.h>

#define OPEN_NONE UINT32_MAX

struct open_span {
	uint64_t key[SPAN_KEYS];
	uint64_t begin, group, bytes;
	uint64_t read, written; /* see span_engine.h; of a tracepoint only when it ends */
	uint64_t left;          /* time when its process ended; 0: it runs */
	uint32_t pid, tid;
	str_id comm, about; /* see span_engine.h */
	uint32_t stack;
	uint32_t process; /* index of its process in open_spans; open_add() sets it */
	uint64_t hash;    /* hash of span and key; open_add() sets it */
	uint16_t span;
	uint8_t moves; /* SPAN_READS, SPAN_WRITES */
	bool has_failed;
	bool is_last; /* its thread has ended in it */
	bool is_used;
	uint32_t next; /* list of slots with the same index in the table, or of free slots */
	uint32_t before, after; /* list of the spans of the same process */
};

/* A process that has open spans, or had some a while ago. */
struct open_process {
	uint32_t pid;
	uint32_t first; /* of its spans; OPEN_NONE: it has none now */
	uint32_t next;  /* if this element is free */
	bool is_used;
};

struct open_spans {
	struct open_span *at;
	uint32_t count, cap, free; /* count: number of slots that were ever in use */
	uint32_t used;
	uint32_t *table; /* by the low bits of the hash: the first slot, or OPEN_NONE */
	uint32_t places; /* a power of two, or 0 */
	struct open_process *process;
	uint32_t processes, processes_cap,
		free_process; /* processes: of elements that were used once */
	uint32_t idle;        /* processes without spans */
	uint32_t last;        /* the process of the last span that was added */
	struct map by_pid;
	/* Keys come from outside, and must not be able to make the lists long. */
	struct hash_key secret;
};

void open_init(struct open_spans *open);
void open_release(struct open_spans *open);
uint64_t open_hash(const struct open_spans *open, uint32_t span, const uint64_t *key);
/* Returns a slot with a copy of the span. No other slot may have its span and key, of which this is the hash. */
uint32_t open_add(struct open_spans *open, const struct open_span *span, uint64_t hash);
/* Return the slot, or OPEN_NONE. The first one takes the hash. */
uint32_t open_find_hash(const struct open_spans *open, uint32_t span, const uint64_t *key,
			uint64_t hash);
uint32_t open_find(const struct open_spans *open, uint32_t span, const uint64_t *key);
void open_remove(struct open_spans *open, uint32_t slot);
/* The span keeps its slot. No other one may have the key. */
void open_set_key(struct open_spans *open, uint32_t slot, const uint64_t *key);
/* Returns a span of the process, or OPEN_NONE. */
uint32_t open_of_process(const struct open_spans *open, uint32_t pid);
