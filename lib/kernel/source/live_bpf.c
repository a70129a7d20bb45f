/*
 * live_bpf: moves the records of the BPF programs into the stream. Where the programs could not write, it adds a record of the
 * loss.
 */
#include "live_bpf.h"

#include "clock.h"
#include "live_attach.h"
#include "live_block.h"
#include "live_needs.h"
#include "live_rings.h"
#include "live_span.h"
#include "load/bpf_source.h"
#include "state/live_put.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/bpf_record.h>
#include <iotrace/confine.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE = 64 << 10, /* maximum number of bytes that are put into the spool at once */
	FULL_PART = 4,    /* a round is due when this part of a ring is full */
	BUSY_TRIES = 1000,
};

/* The offset of the time in a record: after header, id, ip, pid and tid. */
enum { TIME_AT = 32 };

static void remark_fallback(struct live *live, const struct error *why)
{
	snprintf(live->bpf.why, sizeof(live->bpf.why), "%.*s", (int)sizeof(live->bpf.why) - 1,
		 why->text);
	if (bpf_source_is_built())
		live_add_remark(live, mem_format("recorded with perf, which costs more: %s",
						 live->bpf.why));
}

int live_bpf_open(struct live *live, struct error *err)
{
	const struct recording *recording = live->recording;
	bool has_cgroups = live->set.target == TARGET_CGROUP;
	const struct bpf_options wanted = {.recording = recording,
					   .cpu = live->set.cpu,
					   .cpus = live->set.cpus,
					   .spares = live->set.cpus - live->set.online,
					   .spare_bytes = live->set.spare_bytes,
					   .ring_bytes = live_ring_want(live),
					   .ring_least = LIVE_RING_LEAST,
					   .id = LIVE_BPF_ID,
					   .hides_addresses = confine_is_lent(),
					   .more_groups = live->host ? 1U << GROUP_LOCK : 0,
					   .is_system = live->set.target != TARGET_THREAD,
					   .cgroup = live->cgroup,
					   .cgroups = has_cgroups ? live->cgroups : 0};
	const char *perf = live_needs_perf(recording);
	struct error why = {0};

	if (perf && recording->source == SOURCE_BPF)
		return error_say(err, EINVAL, "--source=bpf cannot be combined with %s", perf);
	if (perf) {
		snprintf(live->bpf.why, sizeof(live->bpf.why), "%s", perf);
		return 0;
	}
	live->bpf.source = bpf_source_open(&wanted, &why);
	if (!live->bpf.source && recording->source == SOURCE_BPF) {
		*err = why;
		return error_wrap(err, "--source=bpf");
	}
	if (!live->bpf.source) {
		remark_fallback(live, &why);
		return 0;
	}
	if (recording->own_pid[RECORDING_OWN_WATCH])
		bpf_source_exclude(live->bpf.source, BPF_OWN_WATCH,
				   (pid_t)recording->own_pid[RECORDING_OWN_WATCH]);
	if (!live->bpf.cpu) /* otherwise it is opened again */
		ring_sources_add(&live->sources, &live_bpf_ops, live);
	free(live->bpf.cpu);
	live->bpf.cpus = bpf_source_cpus(live->bpf.source);
	live->bpf.cpu = mem_array(live->bpf.cpus, sizeof(*live->bpf.cpu));
	return 0;
}

int live_bpf_describe(struct live *live, struct error *err)
{
	struct perf_event_attr attr;
	uint64_t id = LIVE_BPF_ID;

	if (!live->bpf.source)
		return 0;
	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	attr.sample_type |= PERF_SAMPLE_IP; /* without IP, perf script does not read the event */
	live->bpf.event = live->info.events;
	if (!capture_info_add_event(&live->info, &attr, BPF_RECORD_EVENT_NAME, &id, 1, err))
		return -err->code;
	return 0;
}

static void ask_to_be_woken(struct live *live, uint32_t cpu)
{
	struct bpf_books *books = bpf_source_books(live->bpf.source, cpu);
	uint64_t part = bpf_source_ring(live->bpf.source, cpu)->size / FULL_PART;

	__atomic_store_n(&books->wake_at, live->bpf.cpu[cpu].bytes + part, __ATOMIC_RELAXED);
}

static int add_processes(struct live *live, const struct number_list *pids, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < pids->count && !code; i++)
		code = bpf_source_add_process(live->bpf.source, (pid_t)pids->item[i], err);
	return code;
}

/* Adds the processes of control groups that the kernel cannot select. */
static int add_cgroups(struct live *live, struct error *err)
{
	struct number_list pids = {0};
	int code;

	live_cgroup_processes(live, &pids);
	code = add_processes(live, &pids, err);
	number_list_release(&pids);
	return code;
}

int live_bpf_attach(struct live *live, struct error *err)
{
	struct bpf_source *source = live->bpf.source;
	int code = source ? bpf_source_attach(source, err) : 0;

	if (!source || code || live->set.target != TARGET_THREAD)
		return code;
	if (live->cgroups)
		return add_cgroups(live, err);
	if (live->command.pid)
		code = bpf_source_add_child(source, live->command.pid, err);
	return code ? code : add_processes(live, &live->recording->pids, err);
}

/* Returns for how long the threads of process 1 have run, in ns; 0 if that cannot be read. */
static uint64_t time_of_init(const struct live *live)
{
	struct number_list threads = {0};
	unsigned long long time;
	uint64_t sum = 0;
	char text[128];

	procfs_list(&live->proc, &threads, UINT32_MAX, "1/task");
	for (uint32_t i = 0; i < threads.count; i++)
		if (procfs_read(&live->proc, text, sizeof(text), "1/task/%u/schedstat",
				threads.item[i]) > 0 &&
		    sscanf(text, "%llu", &time) == 1)
			sum += time;
	number_list_release(&threads);
	return sum;
}

static bool records_init(const struct live *live)
{
	const struct recording *recording = live->recording;

	if (recording->is_without_calls)
		return false;
	if (recording->is_system)
		return !live->cgroups && !recording->users.ids.count;
	for (uint32_t i = 0; i < recording->pids.count; i++)
		if (recording->pids.item[i] == 1)
			return true;
	return false;
}

/* Some kernels run no BPF or perf program in process 1, and count none of its events. Other processes are complete. */
static void add_init_fact(struct live *live)
{
	if (records_init(live) && time_of_init(live) > live->bpf.init_time &&
	    !bpf_source_has_met_init(live->bpf.source))
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_GAP,
					 .number = {[FACT_GAP_kind] = GAP_INIT,
						    [FACT_GAP_count] = 1,
						    [FACT_GAP_is_of_tasks] = true}},
			  0, clock_now());
}

static int open_rings(void *self, struct error *err)
{
	struct live *live = self;
	int code = 0;

	for (uint32_t cpu = 0; cpu < live->bpf.cpus && !code; cpu++) {
		ask_to_be_woken(live, cpu);
		code = ring_sources_watch(&live->sources, bpf_source_ring_fd(live->bpf.source, cpu),
					  err);
	}
	if (code)
		return code;
	live->bpf.init_time = time_of_init(live);
	live->bpf.missed = bpf_source_missed(live->bpf.source);
	bpf_source_enable(live->bpf.source, true);
	live_block_start(live);
	live_span_start(live);
	return 0;
}

/*
 * Reads how many records were dropped since the last round, and when that began. The time of a drop between the two reads is
 * lost; such a drop counts from the begin of the next round.
 */
static void take_losses(struct live *live, uint32_t index)
{
	struct bpf_books *books = bpf_source_books(live->bpf.source, index);
	struct live_bpf_cpu *cpu = &live->bpf.cpu[index];
	uint64_t dropped = __atomic_load_n(&books->dropped, __ATOMIC_ACQUIRE);

	if (dropped == cpu->reported)
		return;
	cpu->lost = dropped - cpu->reported;
	cpu->lost_at = __atomic_exchange_n(&books->first_drop, 0, __ATOMIC_ACQ_REL);
	/* A newly counted drop happened after the rings were read before. */
	if (cpu->lost_at && cpu->lost_at < live->bpf.taken_at)
		cpu->lost_at = live->bpf.taken_at;
	cpu->lost_until = __atomic_load_n(&books->last_drop, __ATOMIC_ACQUIRE);
	cpu->reported = dropped;
}

static void take_heads(void *self)
{
	struct live *live = self;
	uint64_t now = clock_now();

	for (uint32_t cpu = 0; cpu < live->bpf.cpus; cpu++) {
		struct bpf_books *books = bpf_source_books(live->bpf.source, cpu);

		live->bpf.cpu[cpu].bytes = __atomic_load_n(&books->bytes, __ATOMIC_RELAXED);
		bpf_ring_take(bpf_source_ring(live->bpf.source, cpu), &live->bpf.cpu[cpu].reach,
			      live->bpf.is_held);
		take_losses(live, cpu);
	}
	live_bpf_take_gaps(live, now);
	live->bpf.taken_at = now;
}

static void put_loss(struct live *live, uint32_t index)
{
	struct live_bpf_cpu *cpu = &live->bpf.cpu[index];
	uint64_t body[2] = {LIVE_BPF_ID, cpu->lost};
	uint64_t room[16];
	struct sample sample = {.type = PERF_RECORD_LOST,
				.time = cpu->lost_at,
				.cpu = live->set.cpu[index],
				.id = LIVE_BPF_ID,
				.body = (const uint8_t *)body,
				.body_size = sizeof(body)};
	size_t size = sample_write(&sample, &live->info.event[live->bpf.event].layout, room,
				   sizeof(room));

	cpu->lost = 0;
	live_put(live, room, (uint32_t)size);
	lookup_see(&live->lookup, (const struct perf_event_header *)room);
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_LOSS,
				 .number = {[FACT_LOSS_until] = cpu->lost_until}},
		  0, cpu->lost_at);
}

/*
 * An interrupted program that was writing a record continues at once, or when its (virtual) CPU runs again. So this waits a
 * moment.
 */
static enum bpf_ring_next next_when_written(const struct bpf_ring *ring, uint64_t *at,
					    uint64_t head, const void **bytes, uint32_t *length)
{
	enum bpf_ring_next next;
	int tries = BUSY_TRIES;

	while ((next = bpf_ring_next(ring, at, head, bytes, length)) == BPF_RING_BUSY && --tries)
		sched_yield();
	return next;
}

static uint64_t time_of(const void *record, uint32_t length)
{
	uint64_t time = 0;

	if (length >= TIME_AT + sizeof(time))
		memcpy(&time, (const uint8_t *)record + TIME_AT, sizeof(time));
	return time;
}

/*
 * Copies records up to the head, the end of the room, or the begin of a loss. Returns the number of bytes; *at is then the end of
 * the last record.
 */
static size_t copy(const struct bpf_ring *ring, struct live_bpf_cpu *cpu, uint64_t *at,
		   uint8_t *room, enum bpf_ring_next *next)
{
	uint64_t before = *at;
	size_t size = 0;
	const void *bytes;
	uint32_t length;

	while ((*next = next_when_written(ring, at, cpu->reach.head, &bytes, &length)) ==
	       BPF_RING_RECORD) {
		if (length > PIECE) {
			*next = BPF_RING_BAD;
			break;
		}
		if (size + length > PIECE ||
		    (cpu->lost && time_of(bytes, length) >= cpu->lost_at)) {
			*at = before;
			break;
		}
		memcpy(room + size, bytes, length);
		size += length;
		cpu->moved++;
		before = *at;
	}
	return size;
}

static void move_ring(struct live *live, uint32_t index)
{
	struct bpf_ring *ring = bpf_source_ring(live->bpf.source, index);
	struct live_bpf_cpu *cpu = &live->bpf.cpu[index];
	enum bpf_ring_next next = BPF_RING_RECORD;
	uint64_t at = bpf_ring_tail(ring);

	while (next == BPF_RING_RECORD) {
		void *room = live_room(live, PIECE);
		size_t size;

		if (!room) {
			spool_drop(live->spool, cpu->reach.head - at);
			at = cpu->reach.head;
			break;
		}
		size = copy(ring, cpu, &at, room, &next);
		spool_commit(live->spool, size);
		live->unmarked += size;
		bpf_ring_release(ring, at);
		if (cpu->lost && (!size || next != BPF_RING_RECORD))
			put_loss(live, index);
	}
	/* An invalid record cannot be skipped, so everything up to the head is lost. */
	if (next == BPF_RING_BAD) {
		spool_drop(live->spool, cpu->reach.head - at);
		at = cpu->reach.head;
	}
	bpf_ring_release(ring, at);
	if (cpu->lost)
		put_loss(live, index);
	ask_to_be_woken(live, index);
}

static uint64_t move_rings(void *self)
{
	struct live *live = self;
	uint64_t moved = 0;

	live->bpf.is_held = false;
	for (uint32_t cpu = 0; cpu < live->bpf.cpus; cpu++) {
		struct bpf_ring *ring = bpf_source_ring(live->bpf.source, cpu);

		moved += live->bpf.cpu[cpu].reach.head - bpf_ring_tail(ring);
		move_ring(live, cpu);
		live->bpf.is_held |= !bpf_ring_is_reached(ring, &live->bpf.cpu[cpu].reach);
	}
	return moved;
}

static bool is_held(const void *self)
{
	return ((const struct live *)self)->bpf.is_held;
}

static void stop(void *self)
{
	struct live *live = self;

	live_span_stop(live);
	live_block_stop(live);
	bpf_source_enable(live->bpf.source, false);
	add_init_fact(live);
	bpf_source_detach(live->bpf.source);
	live_block_add_group_facts(live);
}

static void put_call(struct live *live, const struct bpf_in_flight *found, uint64_t time,
		     uint32_t cpu)
{
	struct bpf_record_call record = {
		.head = {.kind = BPF_RECORD_IN_FLIGHT, .size = sizeof(record)},
		.number = found->call.number,
		.cpu = found->call.cpu,
		.begin = found->call.begin,
		.position = UINT64_MAX,
	};
	struct sample sample = {.type = PERF_RECORD_SAMPLE,
				.pid = found->pid,
				.tid = found->tid,
				.time = time,
				.cpu = cpu,
				.id = LIVE_BPF_ID,
				.raw = (const uint8_t *)&record,
				.raw_size = sizeof(record)};
	uint64_t room[32];
	size_t size;

	memcpy(record.arg, found->call.arg, sizeof(record.arg));
	size = sample_write(&sample, &live->info.event[live->bpf.event].layout, room, sizeof(room));
	live_put(live, room, (uint32_t)size);
	live->bpf.in_flight++;
}

static void add_call(void *context, const struct bpf_in_flight *found)
{
	put_call(context, found, clock_now(), found->call.cpu);
}

static void put_calls_in_flight(void *self)
{
	struct live *live = self;

	if (bpf_source_in_flight(live->bpf.source, add_call, live))
		log_debug("the calls in flight could not be read");
}

struct old_calls {
	struct live *live;
	uint64_t now, age;
};

/* The records of a CPU must stay in order, so these are in the stream of facts. */
static void add_old_call(void *context, const struct bpf_in_flight *found)
{
	const struct old_calls *old = context;

	if (found->call.begin + old->age <= old->now)
		put_call(old->live, found, old->now, SAMPLE_CPU_NONE);
}

/* The time is taken first: what ends later has a later record. */
void live_bpf_put_old_calls(struct live *live, uint64_t age)
{
	struct old_calls old = {live, 0, age};

	if (!live->bpf.source)
		return;
	live_put_facts(live);
	old.now = clock_now();
	if (bpf_source_in_flight(live->bpf.source, add_old_call, &old))
		log_debug("the calls in flight could not be read");
}

static void close_rings(void *self)
{
	struct live *live = self;

	live_block_close(live);
	bpf_source_close(live->bpf.source);
	live->bpf.source = NULL;
	free(live->bpf.cpu);
	live->bpf.cpu = NULL;
	live->bpf.cpus = 0;
}

const struct ring_source_ops live_bpf_ops = {
	.name = "bpf",
	.open = open_rings,
	.head = take_heads,
	.move = move_rings,
	.is_held = is_held,
	.stop = stop,
	.has_all = live_bpf_has_all,
	.put_rest = put_calls_in_flight,
	.lost = live_bpf_add_count_fact,
	.close = close_rings,
};
