#include "aio/aio_in.h"

#include "aio/aio_out.h"
#include "aio/aio_queue.h"
#include "block/cgroup.h"
#include "block/device.h"
#include "block/device_sample.h"
#include "block/request.h"
#include "call/op.h"
#include "carry/carry.h"
#include "fact/fact_in.h"
#include "fact/recording_fact.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "file/name_filter.h"
#include "life/life.h"
#include "life/span.h"
#include "map/fault.h"
#include "map/mapping.h"
#include "map/writeback.h"
#include "out/outbox.h"
#include "state/state.h"
#include "task/choice.h"
#include "task/foreign.h"
#include "task/program.h"
#include "task/task.h"
#include "task/tracepoint.h"

#include <stdlib.h>

struct model *model_new(struct tally *tally, model_output output, void *context)
{
	struct model *m = mem_zero(sizeof(*m));

	m->tally = tally;
	m->output = output;
	m->context = context;
	trace_init(&m->trace);
	trace_add_calls(&m->trace);
	m->key = hash_key_of_process();
	choice_reach(m, 0);
	m->all_proxy = ID_NONE;
	m->block.sampling.device_series = m->block.sampling.memory_series =
		m->block.sampling.pressure_series = ID_NONE;
	m->block.sampling.machine = ID_NONE;
	m->shared_group = ID_NONE;
	m->location_limit = LOCATION_LIMIT;
	m->command_leader = ID_NONE;
	m->trace.host.status = -1;
	m->trace.host.end_reason = -1;
	m->trace.host.block_mode = BLOCK_EVENTS | BLOCK_SAMPLES;
	return m;
}

void model_use_directory(struct model *m, int directory)
{
	trace_use_directory(&m->trace, directory);
	for (int i = 0; i < AREAS; i++)
		m->area[i].cold = m->trace.cold;
}

void model_forget_names(struct model *m)
{
	m->is_nameless = true;
}

void model_fold_late(struct model *m)
{
	m->location_limit = LOCATION_LIMIT_LATE;
}

const struct trace *model_trace(const struct model *m)
{
	return &m->trace;
}

static void release_cold(struct model *m)
{
	const struct {
		enum model_area area;
		void *array;
	} row[] = {{AREA_IDLE, m->idle},
		   {AREA_PATHS, m->file_of_path},
		   {AREA_PARENTS, m->is_parent},
		   {AREA_MAPPED, m->mapped_file}};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		cold_area_release(&m->area[row[i].area], row[i].array);
	index_release(&m->idle_handle);
	trace_release(&m->trace);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	life_release(m);
	free(m->tracepoint);
	device_release(m);
	cgroup_release(m);
	index_release(&m->file_by_inode);
	name_filter_release(m);
	choice_release(m);
	span_release(m);
	out_release(m);
	aio_release(m);
	for (uint32_t i = 0; i < m->tables.count; i++)
		free(m->table[i].slot);
	struct map *maps[] = {&m->task_by_tid, &m->process_by_pid, &m->mount_by_id,
			      &m->lasting[0],  &m->lasting[1],     &m->device_by_number,
			      &m->lasting[2],  &m->lasting[3]};

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_release(maps[i]);
	struct pool *pools[] = {&m->tasks,        &m->processes, &m->tables, &m->opens,
				&m->descriptions, &m->shares,    &m->fss};

	for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
		free(pools[i]->free_id);
	void *arrays[] = {m->task,        m->process, m->table, m->open,
			  m->description, m->shared,  m->share, m->fs};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	release_cold(m);
	free(m);
}

static void event_lost(struct model *m, const struct event *event)
{
	struct io_event lost = {.kind = IO_LOST,
				.thread = ID_NONE,
				.time = event->time,
				.handle = ID_NONE};

	lost.lost.count = event->lost.count;
	m->lost_time = event->time;
	if (event->lost.until > m->lost_until)
		m->lost_until = event->lost.until;
	fs_forget_all(m);
	table_doubt_all(m, DOUBT_LOSS);
	aio_queue_forget_all_fixed(m);
	request_doubt_all(m);
	span_lost(m, event->time);
	out_emit(m, &lost, ID_NONE, ID_NONE);
}

/* A late call took effect before calls that were processed earlier, so its descriptors are uncertain. */
static void event_late(struct model *m, const struct event *event)
{
	bool is_call = event->kind == EVENT_SYSCALL_ENTER || event->kind == EVENT_SYSCALL_EXIT ||
		       event->kind == EVENT_CALL || event->kind == EVENT_FORK;
	uint32_t task = is_call ? task_find(m, event->tid) : MAP_NONE;

	if (task != MAP_NONE)
		table_doubt(m, task_table(m, task), DOUBT_LOSS);
}

/* Whether the event happened in the thread that it names. */
static bool is_of_thread(const struct event *event)
{
	static const bool kind[] = {
		[EVENT_SYSCALL_ENTER] = true, [EVENT_SYSCALL_EXIT] = true,
		[EVENT_CALL] = true,          [EVENT_FORK] = true,
		[EVENT_COMM] = true,          [EVENT_FOREIGN] = true,
		[EVENT_AIO] = true,           [EVENT_FAULT] = true,
		[EVENT_TRACEPOINT] = true,
	};

	return kind[event->kind];
}

static void event_take(struct model *m, const struct event *event)
{
	if (is_of_thread(event))
		life_notice_thread(m, event->pid, event->tid);
	switch (event->kind) {
	case EVENT_NONE:
		return;
	case EVENT_SYSCALL_ENTER:
		op_enter(m, event);
		break;
	case EVENT_SYSCALL_EXIT:
		life_call_end(m, event);
		break;
	case EVENT_FORK:
		life_fork(m, event);
		break;
	case EVENT_CLONE_FLAGS:
		life_clone_flags(m, event);
		break;
	case EVENT_COMM:
		life_comm(m, event);
		break;
	case EVENT_PROGRAM:
		foreign_program(m, event);
		break;
	case EVENT_ARGUMENTS:
		program_arguments(m, event);
		break;
	case EVENT_STORES:
	case EVENT_LOADS:
	case EVENT_CODE:
		mapping_unrecorded(m, event);
		break;
	case EVENT_STATUS:
		program_status(m, event);
		break;
	case EVENT_FOREIGN:
		foreign_event(m, event);
		break;
	case EVENT_LOCK:
		op_lock(m, event);
		break;
	case EVENT_EXIT:
		life_exit(m, event);
		break;
	case EVENT_LOST:
		event_lost(m, event);
		break;
	case EVENT_FACT:
		fact_in(m, event);
		break;
	case EVENT_AIO:
		aio_in(m, event);
		break;
	case EVENT_FAULT:
		fault_in(m, event);
		break;
	case EVENT_WRITEBACK:
		writeback_in(m, event);
		break;
	case EVENT_CALL:
		op_pair(m, event);
		break;
	case EVENT_REQUEST:
		request_step(m, event);
		break;
	case EVENT_TRACEPOINT:
		tracepoint_event(m, event);
		break;
	}
}

/* Sends what can leave the outbox. What has waited too long leaves with what is known. */
static void run_outbox(struct model *m, bool is_end)
{
	uint32_t request;

	while ((request = out_run(m, is_end)) != ID_NONE)
		aio_give_up(m, request);
}

void model_event(struct model *m, const struct event *event)
{
	m->now = event->time;
	if (event->kind == EVENT_NONE)
		return;
	if (event->is_late)
		event_late(m, event);
	event_take(m, event);
	if (event->is_late)
		event_late(m, event);
	if (out_is_due(m))
		run_outbox(m, false);
	cold_pass(m->trace.cold, m->events++);
	if (event->kind != EVENT_FACT && event->time > m->trace.host.last_time &&
	    m->trace.host.first_time)
		m->trace.host.last_time = event->time;
}

void model_lasts(struct model *m, uint64_t time)
{
	struct trace_host *host = &m->trace.host;

	if (!host->first_time)
		host->first_time = time;
	if (time > host->last_time)
		host->last_time = time;
}

void model_ends_early(struct model *m, enum trace_conversion why)
{
	m->trace.host.conversion = why;
}

void model_continue(struct model *to, const struct model *from, bool has_positions)
{
	carry_state(to, from, has_positions);
}

void model_begin_at(struct model *m, uint64_t time)
{
	m->out.since = time;
	m->trace.host.first_time = time;
}

uint32_t model_add_span(struct model *m, const char *name, const char *definition, bool is_nested)
{
	return trace_add_span(&m->trace, name, definition, is_nested);
}

str_id model_span_text(struct model *m, const char *bytes, size_t length)
{
	return model_string(m, bytes, length);
}

static void reach(struct model *m, uint64_t time)
{
	if (time > m->now)
		m->now = time;
}

/* pid 0: the span names its thread by number only, so its process is unknown. */
void model_span_begin(struct model *m, const struct model_span *span)
{
	reach(m, span->time);
	if (span->pid)
		life_notice_thread(m, span->pid, span->tid);
	span_begin(m, span,
		   span->pid ? task_get(m, span->pid, span->tid) : task_find(m, span->tid));
}

void model_span_end(struct model *m, const struct model_span *span)
{
	reach(m, span->time);
	span_end(m, span, SPAN_NO_REASON);
}

void model_span_cut(struct model *m, const struct model_span *span, enum io_end why)
{
	reach(m, span->time);
	span_end(m, span, (int)why);
}

void model_end(struct model *m)
{
	if (host_lasts_until_end(m) && m->now > m->trace.host.last_time)
		m->trace.host.last_time = m->now;
	life_end_all(m);
	program_end_command(m, -1);
	mapping_end(m);
	sample_end(m);
	request_end_all(m);
	out_enqueue_all(m);
	run_outbox(m, true);
	/* The definitions that are written next need the memory more. */
	index_release(&m->idle_handle);
	index_release(&m->file_by_inode);
}
