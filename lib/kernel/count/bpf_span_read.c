/* bpf_span_read: the numbers that the programs of a span have counted, and what is open. */
#include "bpf_span_flight.h"
#include "bpf_span_private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	ENTRY = 48, /* memory that the kernel adds to each entry of a hash, */
	HEAD = 16,  /* and to each of its lists */
};

static uint64_t hash_bytes_of(const struct bpf_map *map)
{
	uint64_t entries = bpf_map__max_entries(map), lists = 1;

	while (lists < entries)
		lists *= 2;
	return lists * HEAD + entries * (ENTRY + (bpf_map__key_size(map) + 7) / 8 * 8 +
					 (bpf_map__value_size(map) + 7) / 8 * 8);
}

static uint64_t array_bytes_of(const struct bpf_map *map)
{
	return (uint64_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
}

uint64_t bpf_span_memory(const struct bpf_span *span)
{
	return hash_bytes_of(span->programs->maps.open_spans) +
	       hash_bytes_of(span->programs->maps.open_async) +
	       hash_bytes_of(span->programs->maps.cell_index) +
	       hash_bytes_of(span->programs->maps.kept) +
	       hash_bytes_of(span->programs->maps.last_ends) +
	       hash_bytes_of(span->programs->maps.text_index) + span->texts_size +
	       (span->flights ? hash_bytes_of(span->programs->maps.flight_index) : 0) +
	       hash_bytes_of(span->programs->maps.name_index) +
	       hash_bytes_of(span->programs->maps.file_index) + span->names_size +
	       array_bytes_of(span->programs->maps.recent_files) +
	       array_bytes_of(span->programs->maps.scratches) +
	       array_bytes_of(span->programs->maps.text_spaces) +
	       array_bytes_of(span->programs->maps.recent_texts) +
	       span->cpus * sizeof(struct bpf_span_recent) + span->cells_size + span->books_size +
	       span->flights_size + span->open_size + span->slots_size;
}

const uint64_t *bpf_span_errors(const struct bpf_span *span)
{
	return span->programs->bss->failed;
}

uint64_t bpf_span_missed(const struct bpf_span *span)
{
	return bpf_missed_read(&span->missed);
}

void bpf_span_add_books(const struct bpf_span *span, struct counted_books *books)
{
	for (uint32_t cpu = 0; cpu < span->cpus; cpu++) {
		const struct bpf_span_books *of_cpu = &span->books[cpu];

		books->begun += of_cpu->begun;
		books->ended += of_cpu->ended;
		books->cancelled += of_cpu->cancelled;
		books->begun_again += of_cpu->begun_again;
		books->left += of_cpu->left;
		books->died += of_cpu->died;
		books->unreported += of_cpu->unreported;
		books->ends_without_begin += of_cpu->ends_without_begin;
		books->excluded += of_cpu->excluded;
		books->below += of_cpu->below;
		books->full += of_cpu->full;
		books->ungrouped += of_cpu->ungrouped;
		books->foreign += of_cpu->foreign;
	}
	books->unread += __atomic_load_n(&span->programs->bss->unread, __ATOMIC_RELAXED);
}

bool bpf_span_chooser(const struct bpf_span *span, uint64_t *value)
{
	*value = __atomic_load_n(&span->programs->bss->chooser, __ATOMIC_RELAXED);
	return span->plan.spec.has_chooser;
}

static uint32_t used_cells(const struct bpf_span *span)
{
	const struct bpf_span_spec *spec = &span->plan.spec;
	uint32_t used = __atomic_load_n(&span->programs->bss->cells_used, __ATOMIC_RELAXED);
	uint32_t room = spec->cells - spec->first;

	return spec->first + (used < room ? used : room);
}

static void pass_set(const struct bpf_span *span, uint32_t set,
		     void (*call)(void *context, const struct counted_part *part), void *context)
{
	const struct bpf_span_spec *spec = &span->plan.spec;
	uint32_t used = used_cells(span);

	for (uint32_t i = 0; i < used; i++) {
		const struct bpf_span_cell *name = &span->cells[i];
		const struct bpf_span_cell *cell = &span->cells[set * spec->cells + i];
		bool is_of_cpu = i < spec->first;
		uint64_t number = is_of_cpu ? i % BPF_SPAN_CELLS : name->number;
		const struct counted_part part = {
			.group = name->group,
			.cell = i,
			.is_rest = spec->has_group && is_of_cpu,
			.sum = cell->sum,
			.min = UINT64_MAX - cell->above_min,
			.max = cell->max,
			.bytes = cell->bytes,
			.squares = {cell->squares[0], cell->squares[1]},
			.first = (uint32_t)number * BPF_SPAN_BUCKETS,
			.bucket = cell->bucket,
		};

		if (cell->above_min)
			call(context, &part);
	}
}

void bpf_span_parts(const struct bpf_span *span,
		    void (*call)(void *context, const struct counted_part *part), void *context)
{
	for (uint32_t set = 0; set < bpf_span_sets(&span->plan.spec); set++)
		pass_set(span, set, call, context);
}

/* The names of cells stay. */
static void clear_set(const struct bpf_span *span, uint32_t set)
{
	uint32_t used = used_cells(span);

	for (uint32_t i = 0; i < used; i++) {
		struct bpf_span_cell *cell = &span->cells[set * span->plan.spec.cells + i];

		if (cell->above_min)
			*cell = (struct bpf_span_cell){.group = cell->group,
						       .number = cell->number};
	}
}

/*
 * The programs run in RCU read-side critical sections, and membarrier(2) waits for all that have begun. It does not work with
 * nohz_full CPUs; a program takes far less than the time that is waited then.
 */
static void wait_for_programs(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL);
}

void bpf_span_take(const struct bpf_span *span,
		   void (*call)(void *context, const struct counted_part *part), void *context)
{
	volatile uint32_t *now = &span->programs->bss->set_now;
	uint32_t set = *now;

	__atomic_store_n(now, !set, __ATOMIC_RELEASE);
	wait_for_programs();
	pass_set(span, set, call, context);
	clear_set(span, set);
}

void bpf_span_flights(const struct bpf_span *span, uint64_t now,
		      void (*call)(void *context, const struct counted_flight *flight),
		      void *context)
{
	uint32_t used = __atomic_load_n(&span->programs->bss->flights_used, __ATOMIC_RELAXED);
	uint32_t room = span->plan.spec.flights - BPF_SPAN_FLIGHT_FIRST;

	bpf_span_each_flight(span->flights, BPF_SPAN_FLIGHT_FIRST + (used < room ? used : room),
			     now, call, context);
}

/* An iterator runs once. Another one can be made from its link. */
static int renew_iterator(struct bpf_span *span)
{
	if (span->left_fd < 0)
		span->left_fd = bpf_iter_create(bpf_link__fd(span->iterator));
	return span->left_fd;
}

static void pass_open(const struct bpf_span *span, const struct bpf_span_open *open,
		      const uint64_t *key,
		      void (*call)(void *context, const struct counted_open *open), void *context)
{
	bool is_of_operations = span->plan.spec.owner == BPF_SPAN_OF_OPERATION;
	struct counted_open found = {.begin = open->begin,
				     .group = open->group,
				     .bytes = is_of_operations ? 0 : open->bytes,
				     .second = is_of_operations ? open->bytes : 0,
				     .pid = open->pid,
				     .tid = open->tid};

	memcpy(found.key, key, sizeof(found.key));
	call(context, &found);
}

/* Copies an open span. Returns false if there is none, or if a program changes it at this moment. */
static bool read_slot(const struct bpf_span *span, uint32_t index, struct bpf_span_slot *to)
{
	const struct bpf_span_slot *slot = &span->slots[index];
	uint64_t begin;

	to->state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
	if ((to->state & BPF_SPAN_SLOT_STATES) != BPF_SPAN_SLOT_OPEN)
		return false;
	to->open = slot->open;
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		to->key[i] = i < span->plan.spec.keys ? slot->key[i] : 0;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	begin = __atomic_load_n(&slot->open.begin, __ATOMIC_RELAXED);
	return begin && begin == to->open.begin && !(span->flights && to->open.left) &&
	       __atomic_load_n(&slot->state, __ATOMIC_RELAXED) == to->state;
}

int bpf_span_left(struct bpf_span *span,
		  void (*call)(void *context, const struct counted_open *open), void *context)
{
	struct bpf_span_slot slot;
	uint32_t count;
	char none;

	if (span->flights && bpf_span_is_idle(span->flights))
		return 0; /* the list need not be searched */
	if (renew_iterator(span) < 0)
		return span->left_fd;
	if (read(span->left_fd, &none, sizeof(none)) < 0)
		return -errno;
	count = span->programs->bss->open_listed;
	for (uint32_t i = 0; i < count && i < span->rooms; i++)
		pass_open(span, &span->open[i].open, span->open[i].key, call, context);
	for (uint32_t i = 0; i < span->plan.spec.slots; i++)
		if (read_slot(span, i, &slot))
			pass_open(span, &slot.open, slot.key, call, context);
	if (span->flights) {
		close(span->left_fd);
		span->left_fd = -1;
	}
	return 0;
}
