/*
 * model: the dispatch of events, and access to what the model knows. See model.h and state.h.
 */
#include "state.h"

#include "aio_in.h"
#include "aio_out.h"
#include "cgroup.h"
#include "device.h"
#include "device_sample.h"
#include "fact_in.h"
#include "fault.h"
#include "fdtable.h"
#include "foreign.h"
#include "fs.h"
#include "mapping.h"
#include "name_filter.h"
#include "op.h"
#include "outbox.h"
#include "program.h"
#include "request.h"
#include "task.h"
#include "tracepoint.h"
#include "writeback.h"

#include <stdlib.h>
#include <string.h>

uint32_t pool_take(struct pool *pool, void *array_pointer, size_t size)
{
	void **array = array_pointer;
	uint32_t id;

	if (pool->free_count) {
		id = pool->free_id[--pool->free_count];
		memset((char *)*array + (size_t)id * size, 0, size);
		return id;
	}
	if (pool->count == pool->capacity)
		*array = mem_grow(*array, &pool->capacity, pool->count + 1, size);
	return pool->count++;
}

void pool_give(struct pool *pool, uint32_t id)
{
	MEM_GROW(pool->free_id, pool->free_capacity, pool->free_count + 1);
	pool->free_id[pool->free_count++] = id;
}

str_id model_string(struct model *m, const char *bytes, size_t length)
{
	return length ? strtab_add(m->strings, bytes, length) : 0;
}

struct model *model_new(struct tally *tally, model_output output, void *context)
{
	struct model *m = mem_zero(sizeof(*m));

	m->tally = tally;
	m->output = output;
	m->context = context;
	m->strings = strtab_new();
	m->key = hash_key_of_process();
	m->all_proxy = ID_NONE;
	m->block.device_series = m->block.memory_series = m->block.pressure_series = ID_NONE;
	m->block.machine = ID_NONE;
	m->crowd = ID_NONE;
	m->location_limit = LOCATION_LIMIT;
	m->command_leader = ID_NONE;
	m->host.status = -1;
	m->host.end_reason = -1;
	m->host.block_mode = BLOCK_EVENTS | BLOCK_SAMPLES;
	return m;
}

void model_use_directory(struct model *m, int directory)
{
	if (m->cold || directory < 0)
		return;
	m->cold = cold_new(directory);
	for (int i = 0; i < AREAS; i++)
		m->area[i].cold = m->cold;
	strtab_use(m->strings, m->cold);
}

void model_forget_names(struct model *m)
{
	m->is_nameless = true;
}

struct cold *model_cold(const struct model *m)
{
	return m->cold;
}

static void release_cold(struct model *m)
{
	const struct {
		enum model_area area;
		void *array;
	} row[] = {{AREA_FILES, m->file},        {AREA_HANDLES, m->handle},
		   {AREA_IDLE, m->idle},         {AREA_PATHS, m->file_of_path},
		   {AREA_PARENTS, m->is_parent}, {AREA_MAPPED, m->mapped_file}};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		cold_area_release(&m->area[row[i].area], row[i].array);
	index_release(&m->idle_handle);
	strtab_free(m->strings);
	cold_free(m->cold);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	task_release(m);
	device_release(m);
	cgroup_release(m);
	free(m->refused);
	name_filter_release(m);
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
	void *arrays[] = {m->task,      m->process, m->table, m->open,   m->description, m->thread,
			  m->group,     m->mount,   m->count, m->device, m->series,      m->metric,
			  m->parameter, m->seat,    m->share, m->fs};

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
	request_doubt_all(m);
	out_emit(m, &lost, ID_NONE, ID_NONE);
}

/* A call that comes late took effect before others that were seen first: what its descriptors led to is not sure. */
static void event_late(struct model *m, const struct event *event)
{
	bool is_call = event->kind == EVENT_SYSCALL_ENTER || event->kind == EVENT_SYSCALL_EXIT ||
		       event->kind == EVENT_CALL || event->kind == EVENT_FORK;
	uint32_t task = is_call ? task_find(m, event->tid) : MAP_NONE;

	if (task != MAP_NONE)
		table_doubt(m, task_table(m, task), DOUBT_LOSS);
}

static void event_take(struct model *m, const struct event *event)
{
	switch (event->kind) {
	case EVENT_NONE:
		return;
	case EVENT_SYSCALL_ENTER:
		op_enter(m, event);
		break;
	case EVENT_SYSCALL_EXIT:
		op_exit(m, event);
		break;
	case EVENT_FORK:
		task_fork(m, event);
		break;
	case EVENT_CLONE_FLAGS:
		task_clone_flags(m, event);
		break;
	case EVENT_COMM:
		task_comm(m, event);
		break;
	case EVENT_PROGRAM:
		foreign_program(m, event);
		break;
	case EVENT_ARGUMENTS:
		program_arguments(m, event);
		break;
	case EVENT_STORES:
		mapping_stores(m, event);
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
		task_exit(m, event);
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

/* What waits for too long leaves with what is known. */
static void let_out(struct model *m, bool is_end)
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
		let_out(m, false);
	cold_pass(m->cold, m->events++);
	if (event->kind != EVENT_FACT && event->time > m->host.last_time && m->host.first_time)
		m->host.last_time = event->time;
}

void model_end(struct model *m)
{
	if (host_lasts_until_end(m) && m->now > m->host.last_time)
		m->host.last_time = m->now;
	task_end_all(m);
	program_end_command(m, -1);
	mapping_end(m);
	sample_end(m);
	request_end_all(m);
	out_place_all(m);
	let_out(m, true);
	/* Definitions that are written from now on need the room more. */
	index_release(&m->idle_handle);
	index_release(&m->block.file_by_inode);
}

#define ACCESSOR(type, plural, singular, array)                                                    \
	uint32_t model_##plural(const struct model *m)                                             \
	{                                                                                          \
		return m->array##s;                                                                \
	}                                                                                          \
	const struct type *model_##singular(const struct model *m, uint32_t id)                    \
	{                                                                                          \
		return &m->array[id];                                                              \
	}

ACCESSOR(model_thread, threads, thread, thread)
ACCESSOR(model_process, processes, process, group)
ACCESSOR(model_file, files, file, file)
ACCESSOR(model_handle, handles, handle, handle)
ACCESSOR(model_mount, mounts, mount, mount)
ACCESSOR(model_count, counts, count, count)
ACCESSOR(model_device, devices, device, device)
ACCESSOR(model_cgroup, cgroups, cgroup, cgroup)

const struct model_host *model_host(const struct model *m)
{
	return &m->host;
}

const struct strtab *model_strings(const struct model *m)
{
	return m->strings;
}

const char *model_text(const struct model *m, str_id id)
{
	return strtab_text(m->strings, id);
}

const char *io_event_name(enum io_event_kind kind)
{
	static const char *const name[IO_EVENT_KINDS] = {
		[IO_PROGRAM_BEGIN] = "PROGRAM_BEGIN",
		[IO_PROGRAM_END] = "PROGRAM_END",
		[IO_THREAD_BEGIN] = "THREAD_BEGIN",
		[IO_THREAD_END] = "THREAD_END",
		[IO_ENTER] = "ENTER",
		[IO_LEAVE] = "LEAVE",
		[IO_CREATE_HANDLE] = "CREATE_HANDLE",
		[IO_DESTROY_HANDLE] = "DESTROY_HANDLE",
		[IO_DUPLICATE_HANDLE] = "DUPLICATE_HANDLE",
		[IO_SEEK] = "SEEK",
		[IO_CHANGE_STATUS_FLAGS] = "CHANGE_STATUS_FLAGS",
		[IO_DELETE_FILE] = "DELETE_FILE",
		[IO_OP_BEGIN] = "OP_BEGIN",
		[IO_OP_ISSUED] = "OP_ISSUED",
		[IO_OP_COMPLETE] = "OP_COMPLETE",
		[IO_OP_CANCELLED] = "OP_CANCELLED",
		[IO_ACQUIRE_LOCK] = "ACQUIRE_LOCK",
		[IO_RELEASE_LOCK] = "RELEASE_LOCK",
		[IO_TRY_LOCK] = "TRY_LOCK",
		[IO_METRIC] = "METRIC",
		[IO_PARAMETER] = "PARAMETER",
		[IO_LOST] = "LOST",
	};

	return name[kind];
}
