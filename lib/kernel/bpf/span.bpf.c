/*
 * span.bpf: pairs and counts one span of tracepoints and probes of programs.
 *
 * Open spans are found by their key: see open/place.h. When a span ends, it is added to a cell for its group, its CPU and a part of the
 * histogram, so no two CPUs write into the same cell. Cells are an array that user space maps, and an index finds the cells of a
 * group. Spans without groups, and groups for which there is no space, use the first cells of each CPU. For numbers of intervals
 * there are two sets of cells: one is added to while user space reads and clears the other.
 *
 * Programs that perf events run are not preempted, unless they are those of probes. Since Linux 7.0, programs that the kernel runs without one
 * may be preempted, too: those of block requests, of io_uring and of page faults. All stay on their CPU. Where they may be preempted,
 * they add with single instructions, which is slower.
 */
#include "bpf/base/at_call.h"
#include "bpf/base/call_map.h"
#include "count/bpf_span_cell.h"
#include "count/bpf_span_shared.h"
#include "load/bpf_shared.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <linux/bpf.h>

const volatile struct bpf_span_spec spec;
volatile bool is_on;
volatile uint32_t set_now;        /* the set of cells that is added to */
int own_helper[BPF_SPAN_HELPERS]; /* other processes of iotrace; 0: none */
enum { EXISTS = 17 };             /* EEXIST */
enum { SIGNAL_MASK = 0x7f };      /* of an exit code */
uint32_t cells_used;              /* used cells for groups; may exceed the limit */

#include "bpf/span/value.h"

static __always_inline void count(uint64_t *counter, uint64_t more)
{
	if (spec.is_interleaved)
		__sync_fetch_and_add(counter, more);
	else
		*counter += more;
}

#include "bpf/open/ended.h"
#include "bpf/open/part.h"
#include "bpf/open/place.h"
#include "bpf/span/flight.h"
#include "bpf/span/owner.h"
#include "bpf/span/recent.h"
#include "bpf/span/recorded.h"
#include "bpf/span/wanted.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_cell);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct bpf_span_cell_key);
	__type(value, uint32_t);
} cell_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_books);
} span_books SEC(".maps");

static __always_inline struct bpf_span_books *books_of_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return is_on ? bpf_map_lookup_elem(&span_books, &cpu) : NULL;
}

/* first: of the key. owner: the file system of a call, or the groups of its operations. */
static __always_inline void fill(struct bpf_span_open *open, const struct input *input,
				 uint64_t first, uint64_t owner)
{
	open->group = group_of_owner(first, owner, group_of(input));
	open->bytes = spec.owner == BPF_SPAN_OF_OPERATION ? owner >> BPF_SPAN_OWNER_SHIFT
							  : VALUE(input, BPF_SPAN_SIZE);
	open->left = 0;
	open->pid = input->task >> 32;
	open->tid = input->task;
	if (spec.is_owner_in_key)
		open->pid = open->tid = first;
	open->begin = bpf_ktime_get_ns();
	take_off(open, input);
}

/* The earlier one with this key is replaced. */
static __always_inline void give_up(struct bpf_span_open *earlier, struct bpf_span_books *books)
{
	if (!earlier->begin)
		return;
	count(earlier->left ? &books->left : &books->begun_again, spans_in(earlier));
	land(earlier, bpf_ktime_get_ns());
}

/* The slot of the key is in use, or there is none. */
static __always_inline void begin_in_hash(const struct place *place, const uint64_t *key,
					  const struct input *input, uint64_t owner,
					  struct bpf_span_books *books)
{
	struct bpf_span_open *open, new = {0}; /* old kernels want all of it to be set */
	long code;

	fill(&new, input, key[0], owner);
	code = insert_open(place, key, &new);
	if (!code) {
		count(&books->begun, spans_in(&new));
		return;
	}
	land(&new, new.begin);
	open = code == -EXISTS ? bpf_map_lookup_elem(&open_spans, key) : NULL;
	if (!open) {
		count(&books->full, spans_in(&new));
		return;
	}
	count(&books->begun, spans_in(&new));
	give_up(open, books);
	fill(open, input, key[0], owner);
}

/* A thread that has a place for its spans is traced. owner: see fill(). */
static __always_inline void begin_of(const struct input *input, uint64_t owner,
				     struct bpf_span_books *books)
{
	uint64_t key[BPF_SPAN_KEYS];
	struct bpf_span_open *open;
	struct place place;

	take_key(key, input);
	if (has_no_key(input, key)) {
		count(&books->full, 1);
		return;
	}
	place = place_of(key);
	/* Without slots, a thread most often has an entry already; another key most often has none. */
	open = spec.slots || spec.is_of_thread ? find_open(&place, key) : NULL;
	if (open) {
		give_up(open, books);
	} else if (spec.is_of_thread && !is_followed(input)) {
		return;
	} else {
		open = take_home(&place, key);
	}
	if (open) {
		fill(open, input, key[0], owner);
		count(&books->begun, spans_in(open));
		keep_open(&place);
	} else if (is_contested(&place)) { /* one of the two replaces the other */
		count(&books->begun, 1);
		count(&books->begun_again, 1);
	} else {
		begin_in_hash(&place, key, input, owner, books);
	}
}

static __always_inline void begin(const struct input *input)
{
	struct bpf_span_books *books = books_of_cpu();
	uint64_t owner = 0;

	if (!books || !is_wanted(input) || is_unwanted(input) || !is_chosen())
		return;
	if (spec.owner == BPF_SPAN_OF_FILE_SYSTEM && !begins_on_file(input, &owner))
		return;
	if (!spec.is_of_thread && !is_followed(input)) {
		count(&books->excluded, spec.is_everywhere && !spec.is_system);
		return;
	}
	begin_of(input, owner, books);
}

/* Returns the cell with this index in the present set. */
static __always_inline struct bpf_span_cell *cell_at(uint32_t index)
{
	if (spec.has_sets && set_now)
		index += spec.cells;
	return bpf_map_lookup_elem(&cells, &index);
}

/* Returns the index of the group's cell, or 0 if there is no space for another. The first set has the names of the cells. */
static __always_inline uint32_t find_cell(const struct bpf_span_cell_key *key)
{
	uint32_t *index = bpf_map_lookup_elem(&cell_index, key), new;
	struct bpf_span_cell *cell;

	if (index)
		return *index;
	if (cells_used >= spec.cells - spec.first)
		return 0;
	new = spec.first + __sync_fetch_and_add(&cells_used, 1);
	cell = bpf_map_lookup_elem(&cells, &new);
	if (!cell)
		return 0;
	cell->group = key->group;
	cell->number = key->number;
	/* A program that was preempted may have made one before. */
	if (bpf_map_update_elem(&cell_index, key, &new, BPF_NOEXIST)) {
		index = bpf_map_lookup_elem(&cell_index, key);
		return index ? *index : 0;
	}
	return new;
}

/* Cells of a CPU are used by this CPU only, and keep their names. */
static __always_inline struct bpf_span_cell *cell_of_group(const struct bpf_span_cell_key *key)
{
	uint32_t *entry = recent_cell(key), index = entry ? *entry : 0;
	struct bpf_span_cell *cell = index ? bpf_map_lookup_elem(&cells, &index) : NULL;

	if (cell && cell->group == key->group && cell->number == key->number)
		return spec.has_sets && set_now ? cell_at(index) : cell;
	index = find_cell(key);
	if (entry && index)
		*entry = index;
	return index ? cell_at(index) : NULL;
}

/* A group that found no flight gets no cell either, so that all its numbers are with those of the rest. */
static __always_inline void add_up(struct bpf_span_books *books, uint64_t group, uint64_t taken,
				   uint64_t bytes, bool is_rest)
{
	uint32_t bucket = bpf_span_bucket(taken), cpu = bpf_get_smp_processor_id();
	struct bpf_span_cell_key key = {group, bucket / BPF_SPAN_BUCKETS, cpu};
	struct bpf_span_cell *cell = spec.has_group && !is_rest ? cell_of_group(&key) : NULL;
	uint32_t first = cpu * BPF_SPAN_CELLS + key.number;

	if (!cell) {
		count(&books->ungrouped, spec.has_group);
		cell = cell_at(first);
	}
	if (cell && spec.is_interleaved)
		bpf_span_add_shared(cell, bucket, taken, bytes);
	else if (cell)
		bpf_span_add(cell, bucket, taken, bytes, !spec.flights);
}

#include "bpf/block/bio.h"
#include "bpf/block/request.h"
#include "bpf/span/uring.h"

static __always_inline void end(const struct input *input)
{
	const volatile struct bpf_span_point *point = input->point;
	struct bpf_span_books *books = books_of_cpu();
	uint64_t key[BPF_SPAN_KEYS], now, taken, group, bytes, second, spans;
	struct bpf_span_open *open;
	struct place place;
	bool is_rest;

	if (!books || !is_wanted(input))
		return;
	take_key(key, input);
	place = place_of(key);
	open = find_open(&place, key);
	if (!open || !open->begin) {
		if (has_just_ended(input, key))
			return;
		note_end(input, key);
		count(&books->ends_without_begin, counts_ends(input));
		return;
	}
	note_end(input, key);
	now = bpf_ktime_get_ns();
	taken = now > open->begin ? now - open->begin : 0;
	group = point->field[BPF_SPAN_GROUP].at ? group_of(input) : open->group;
	bytes = bytes_at_end(open, input);
	if (!bytes && spec.owner != BPF_SPAN_OF_OPERATION)
		bytes = open->bytes;
	second = second_group(open);
	spans = spans_in(open);
	if (spec.owner == BPF_SPAN_OF_FILE_SYSTEM)
		group = group_of_result(input, group);
	is_rest = is_of_rest(open) || has_no_text(group);
	unload(open, input);
	land(open, now);
	forget_open(&place, open, key);
	count(&books->ended, spans);
	if (spec.above && taken <= spec.above) {
		count(&books->below, spans);
		return;
	}
	add_up(books, group, taken, bytes, is_rest);
	if (second)
		add_up(books, second - 1, taken, bytes, has_no_text(second - 1));
}

static __always_inline void cancel(const struct input *input)
{
	struct bpf_span_books *books = books_of_cpu();
	uint64_t key[BPF_SPAN_KEYS];
	struct bpf_span_open *open;
	struct place place;

	if (!books || !is_wanted(input))
		return;
	take_key(key, input);
	if (spec.part) {
		count(&books->cancelled, take_away(key, spec.part));
		return;
	}
	place = place_of(key);
	open = find_open(&place, key);
	if (!open || !open->begin)
		return;
	count(&books->cancelled, 1);
	land(open, bpf_ktime_get_ns());
	forget_open(&place, open, key);
}

#define TRACEPOINT(name, number, take)                                                             \
	SEC("tracepoint")                                                                          \
	int span_##name(void *data)                                                                \
	{                                                                                          \
		const struct input input = {.point = &spec.point[number],                          \
					    .data = data,                                          \
					    .task = bpf_get_current_pid_tgid()};                   \
                                                                                                   \
		take(&input);                                                                      \
		return 1;                                                                          \
	}

BPF_SPAN_EACH_POINT(TRACEPOINT)

#include "bpf/operation/call.h"
#include "bpf/span/executed.h"
#include "bpf/span/probe.h"

/* Whether the point is this end of this call. Tracepoints of calls do not report 32-bit programs. */
static __always_inline bool is_at(const volatile struct bpf_span_point *point, uint32_t end,
				  long call)
{
	return point->call == end && (call == point->number || point->number == BPF_SPAN_ANY_CALL);
}

static __always_inline void take_as(struct input *input, uint32_t point,
				    void (*take)(const struct input *input))
{
	input->point = &spec.point[point];
	take(input);
}

/* Whether a 32-bit call may be the end of one that began as a call of 64 bits. No other span of the thread is open then. */
static __always_inline bool ends_execve(uint32_t end_of_call)
{
	return spec.is_of_thread && end_of_call == BPF_SPAN_AT_RETURN;
}

static __always_inline void take_call(struct pt_regs *regs, uint32_t end_of_call, long call,
				      uint64_t result)
{
	bool begins = is_at(&spec.point[BPF_SPAN_BEGIN], end_of_call, call);
	bool ends = is_at(&spec.point[BPF_SPAN_END], end_of_call, call);
	bool cancels = is_at(&spec.point[BPF_SPAN_CANCEL], end_of_call, call);
	struct input input = {.regs = regs, .result = result, .call = call};

	if (!begins && !ends && !cancels)
		return;
	input.is_foreign = COMPAT_OF(bpf_get_current_task_btf());
	if (begins && is_noted(call, input.is_foreign))
		note_foreign(books_of_cpu());
	if (input.is_foreign ? !ends_execve(end_of_call) : is_left_out(regs, call))
		return;
	input.task = bpf_get_current_pid_tgid();
	if (ends)
		take_as(&input, BPF_SPAN_END, end);
	if (cancels && !input.is_foreign)
		take_as(&input, BPF_SPAN_CANCEL, cancel);
	if (begins && !input.is_foreign)
		take_as(&input, BPF_SPAN_BEGIN, begin);
}

/* The two tracepoints of all system calls cost less than those of each call. */
SEC("tp_btf/sys_enter")
int span_at_call(void *context)
{
	take_call(regs_at_call(context), BPF_SPAN_AT_CALL, number_at_call(context), 0);
	return PASS_ON;
}

SEC("tp_btf/sys_exit")
int span_at_return(void *context)
{
	struct pt_regs *regs = regs_at_call(context);
	uint64_t result = result_at_return(context);
	long call = regs->NUMBER_OF_CALL;

	if (spec.has_async && does_reap(call))
		reap(regs, call, result);
	take_call(regs, BPF_SPAN_AT_RETURN, call, result);
	return PASS_ON;
}

struct signal_struct {
	struct {
		int counter;
	} live;
} KERNEL;

struct task_struct___end {
	struct signal_struct *signal;
	int exit_code;
} KERNEL;

static __always_inline bool is_last_thread(struct task_struct___end *task)
{
	return !PEEK(PEEK(task, signal), live.counter);
}

static __always_inline void process_leaves_silent(void)
{
	if (is_last_thread((struct task_struct___end *)bpf_get_current_task_btf()))
		end_silent_of(bpf_get_current_pid_tgid() >> 32, 0);
}

/* Nobody else ends the spans of a process whose last thread has ended. */
static __always_inline void process_ends(uint64_t pid)
{
	struct task_struct___end *task = (struct task_struct___end *)bpf_get_current_task_btf();
	struct bpf_span_books *books = books_of_cpu();
	uint64_t key[BPF_SPAN_KEYS] = {pid}, spans;

	if (!books || !is_last_thread(task))
		return;
	spans = take_away(key, 1);
	if (PEEK(task, exit_code) & SIGNAL_MASK)
		count(&books->died, spans);
	else
		count(&books->left, spans);
}

/* Another thread will reuse the number. After the recording, what was in flight at its end stays until it has been read. */
SEC("raw_tp/sched_process_exit")
int thread_ends(void *ctx)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint32_t)bpf_get_current_pid_tgid()};
	struct bpf_span_open *open;
	struct place place;

	if (!is_on)
		return 0;
	forget_ends(key[0]);
	if (spec.has_async_operations)
		process_leaves_silent();
	if (spec.is_of_process)
		process_ends(bpf_get_current_pid_tgid() >> 32);
	if (!spec.is_of_thread)
		return 0;
	place = place_of(key);
	open = find_open(&place, key);
	if (open && open->begin) {
		open->left = bpf_ktime_get_ns();
		land(open, open->left);
	} else if (open) {
		remove_open(&place, key);
	}
	return 0;
}

#include "bpf/open/list.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
