/*
 * engine_call: the call chains of system calls, for spans of the model.
 *
 * The records of a call have no call chain. So the tracepoint of its begin is recorded, too, and its sample has one. Sample and
 * record of a call have the same thread and nearly the same time. The model may hold a record, so the samples of a thread wait
 * here until a later call of the thread has ended.
 */
#include "engine_call.h"

#include "engine.h"
#include "stacks.h"

#include <iotrace/mem.h>
#include <iotrace/syscall.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 4096 }; /* of each thread; when there are more, the oldest is dropped */

/*
 * Both times are taken in the kernel's functions of one tracepoint, but the sample's is earlier: walking the stack took up to 95 us on a
 * busy virtual machine (Linux 6.18). A call whose sample is older than this has no stack, because then it may be that of a call
 * which is of no span.
 */
static const uint64_t older_most = 1000000;

struct call_stack {
	uint64_t time;
	uint32_t stack;
};

/* A queue in the order of time. */
struct call_thread {
	struct call_stack *at;
	uint32_t first, count, cap;
	uint64_t left, left_before; /* when the last call ended, and the one before it */
};

static bool is_event(const char *text, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(text, name, length) && (!text[length] || text[length] == '=');
}

/* fields: to be recorded, if it is not needed for another reason. */
static void add_event(struct span_engine *engine, const char *name, const char *fields)
{
	uint32_t i = 0;

	while (i < engine->events.count && !is_event(engine->events.item[i], name))
		i++;
	if (i == engine->events.count) {
		text_list_add(&engine->events, mem_format("%s=%s", name, fields));
		engine->event = mem_resize(engine->event, (i + 1) * sizeof(*engine->event));
		engine->event[i] = (struct engine_event){0};
	}
	engine->event[i].is_call = true;
}

static void add_call(struct span_engine *engine, const char *call)
{
	char *name = call ? mem_format("syscalls:sys_enter_%s", call) : NULL;

	if (name)
		add_event(engine, name, "");
	free(name);
}

/* iotrace records the tracepoint of all calls; a capture of perf may have those of each call instead. */
void engine_use_call_stacks(struct span_engine *engine)
{
	engine->calls.is_wanted = true;
	add_event(engine, "raw_syscalls:sys_enter", "id");
	for (call_id id = 0; id < call_count(); id++) {
		add_call(engine, call_row(id)->name);
		add_call(engine, call_function(call_row(id)));
	}
}

static struct call_thread *thread_of(struct engine_calls *calls, uint32_t tid)
{
	uint32_t index = map_get(&calls->by_tid, tid);

	if (index != MAP_NONE)
		return &calls->thread[index];
	index = calls->threads++;
	MEM_GROW(calls->thread, calls->cap, calls->threads);
	calls->thread[index] = (struct call_thread){0};
	map_set(&calls->by_tid, tid, index);
	return &calls->thread[index];
}

static void drop(struct call_thread *thread, uint32_t count)
{
	thread->first += count;
	thread->count -= count;
}

static void make_room(struct call_thread *thread)
{
	if (thread->first && (!thread->count || thread->first + thread->count == thread->cap)) {
		memmove(thread->at, thread->at + thread->first,
			thread->count * sizeof(*thread->at));
		thread->first = 0;
	}
	MEM_GROW(thread->at, thread->cap, thread->first + thread->count + 1);
}

void engine_add_call(struct span_engine *engine, const struct event *event)
{
	struct call_thread *thread = thread_of(&engine->calls, event->tid);

	if (thread->count == CALLS_MOST)
		drop(thread, 1);
	make_room(thread);
	thread->at[thread->first + thread->count++] =
		(struct call_stack){event->time, stacks_add(engine->stacks, event, false)};
}

/* Several spans may ask about the same call. */
static void remember_end(struct call_thread *thread, uint64_t enter, uint64_t leave)
{
	if (enter >= thread->left)
		thread->left_before = thread->left;
	if (leave > thread->left)
		thread->left = leave;
}

static bool is_of_call(const struct call_thread *thread, uint64_t time, uint64_t enter,
		       uint64_t leave)
{
	return time <= leave && time >= thread->left_before && time + older_most >= enter;
}

uint32_t engine_call_stack(struct span_engine *engine, uint32_t tid, uint64_t enter, uint64_t leave)
{
	struct engine_calls *calls = &engine->calls;
	uint32_t index = calls->is_wanted ? map_get(&calls->by_tid, tid) : MAP_NONE;
	struct call_thread *thread;
	const struct call_stack *call;

	if (index == MAP_NONE)
		return 0;
	thread = &calls->thread[index];
	remember_end(thread, enter, leave);
	while (thread->count > 1 && thread->at[thread->first + 1].time <= leave)
		drop(thread, 1);
	call = &thread->at[thread->first];
	return thread->count && is_of_call(thread, call->time, enter, leave) ? call->stack : 0;
}

void engine_calls_release(struct engine_calls *calls)
{
	for (uint32_t i = 0; i < calls->threads; i++)
		free(calls->thread[i].at);
	map_release(&calls->by_tid);
	free(calls->thread);
}
