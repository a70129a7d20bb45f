/* engine: pairs begins and ends. See <iotrace/span_engine.h>. */
#include "engine.h"
#include "engine_result.h"
#include "stacks.h"

#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Writes each field where it belongs: a copy of the struct would wait for the writes just before it. */
static void fill_seen(struct span_seen *seen, const struct open_span *span, uint32_t slot,
		      enum span_fate fate, uint64_t time)
{
	seen->span = span->span;
	seen->slot = slot;
	seen->fate = fate;
	seen->group = span->group;
	seen->begin = span->begin;
	seen->end = time > span->begin ? time : span->begin;
	seen->bytes = span->bytes;
	seen->read = span->read;
	seen->written = span->written;
	seen->has_failed = span->has_failed;
	seen->has_left = span->left;
	seen->is_unseen = false;
	seen->pid = span->pid;
	seen->tid = span->tid;
	seen->stack = span->stack;
	seen->comm = span->comm;
	seen->about = span->about;
	memcpy(seen->key, span->key, sizeof(seen->key));
}

static void emit(struct span_engine *engine, const struct open_span *span, uint32_t slot,
		 enum span_fate fate, uint64_t time)
{
	struct span_seen seen;

	fill_seen(&seen, span, slot, fate, time);
	engine->span[span->span].books.fate[fate]++;
	engine->output.seen(engine->output.context, &seen);
}

/* How the process of the span ended: by a signal, by itself, or unknown. */
static enum span_fate fate_of(const struct span_engine *engine, const struct open_span *span)
{
	uint32_t status = map_get(&engine->status, span->pid);

	return status != MAP_NONE && WIFSIGNALED(status) ? SPAN_DIED : SPAN_LEFT;
}

void engine_give_up(struct span_engine *engine, uint32_t slot, enum span_fate fate, uint64_t time)
{
	const struct open_span *open = &engine->open.at[slot];

	if (open->left)
		emit(engine, open, slot, fate_of(engine, open), open->left);
	else
		emit(engine, open, slot, fate, time);
	open_remove(&engine->open, slot);
}

void engine_tell_begun(struct span_engine *engine, uint32_t slot)
{
	const struct open_span *span = &engine->open.at[slot];
	struct span_seen seen;

	if (!engine->output.begun)
		return;
	fill_seen(&seen, span, slot, SPAN_OPEN, span->begin);
	engine->output.begun(engine->output.context, &seen);
}

void engine_begin(struct span_engine *engine, const struct open_span *span)
{
	uint64_t hash = open_hash(&engine->open, span->span, span->key);
	uint32_t old = open_find_hash(&engine->open, span->span, span->key, hash), slot;

	if (old != OPEN_NONE)
		engine_give_up(engine, old, SPAN_BEGUN_AGAIN, span->begin);
	engine->span[span->span].books.begun++;
	slot = open_add(&engine->open, span, hash);
	if (span->begin != ENGINE_BEGINS_LATER)
		engine_tell_begun(engine, slot);
}

/* Whether the key says that it is a span of a thread that is not followed. */
static bool is_of_others(const struct span_engine *engine, uint32_t span, const uint64_t *key)
{
	return engine->chooses && engine->span[span].span->where == SPAN_OF_KEY &&
	       map_get(&engine->chosen, (uint32_t)key[0]) == MAP_NONE;
}

bool engine_end(struct span_engine *engine, uint32_t span, const uint64_t *key, enum span_fate fate,
		uint64_t time, uint64_t bytes)
{
	uint32_t slot = open_find(&engine->open, span, key);

	if (slot == OPEN_NONE) {
		engine->span[span].books.ends_without_begin += fate == SPAN_ENDED &&
							       !is_of_others(engine, span, key);
		return false;
	}
	if (bytes)
		engine->open.at[slot].bytes = bytes;
	emit(engine, &engine->open.at[slot], slot, fate, time);
	open_remove(&engine->open, slot);
	return true;
}

void engine_whole(struct span_engine *engine, const struct open_span *span, enum span_fate fate,
		  uint64_t time)
{
	engine->span[span->span].books.begun++;
	emit(engine, span, OPEN_NONE, fate, time);
}

void engine_leave(struct span_engine *engine, uint32_t slot, uint64_t time)
{
	struct span_seen seen;

	if (engine->open.at[slot].left)
		return;
	engine->open.at[slot].left = time;
	fill_seen(&seen, &engine->open.at[slot], slot, SPAN_LEFT, time);
	if (engine->output.left)
		engine->output.left(engine->output.context, &seen);
}

void engine_note(struct span_engine *engine, uint32_t tid, uint64_t time, const char *text)
{
	const struct span_note note = {tid, time, text};

	if (engine->output.note)
		engine->output.note(engine->output.context, &note);
}

void engine_see_time(struct span_engine *engine, uint64_t time)
{
	if (!time)
		return;
	if (!engine->first || time < engine->first)
		engine->first = time;
	if (time > engine->last)
		engine->last = time;
}

static bool is_chosen(const struct span_engine *engine, const struct open_span *open)
{
	return !engine->chooses || map_get(&engine->chosen, open->pid) != MAP_NONE;
}

static uint64_t group_of(struct span_engine *engine, const struct engine_span *span,
			 const struct engine_use *use, const struct event *event)
{
	uint64_t value = 0;

	if (span->by == SPAN_BY_GROUP || span->by == SPAN_BY_CONNECTION)
		engine_field(engine, &use->group, event, &value);
	return value;
}

static void begin(struct span_engine *engine, const struct engine_use *use,
		  const struct event *event, struct open_span *open)
{
	struct engine_span *span = &engine->span[use->span];

	open->begin = event->time;
	open->pid = event->pid;
	open->tid = event->tid;
	if (span->span->where == SPAN_OF_KEY)
		open->pid = open->tid = (uint32_t)open->key[0];
	open->comm = engine_comm(engine, open->tid);
	if (!is_chosen(engine, open)) {
		span->books.excluded++;
		return;
	}
	open->group = span->by == SPAN_BY_PROCESS  ? open->pid
		      : span->by == SPAN_BY_THREAD ? open->tid
		      : span->is_group_of_end      ? 0
						   : group_of(engine, span, use, event);
	if (span->by == SPAN_BY_CONNECTION)
		open->group = map_key((uint32_t)open->key[0], (uint32_t)open->group);
	engine_field(engine, &use->size, event, &open->bytes);
	open->moves = engine_moves(engine, span->span, use, event);
	if (engine->stacks)
		open->stack = stacks_add(engine->stacks, event, use->point->is_return);
	engine_begin(engine, open);
}

static void end(struct span_engine *engine, const struct engine_use *use, const struct event *event,
		const struct open_span *open)
{
	const struct engine_span *span = &engine->span[use->span];
	bool has_others = span->span->side[SPAN_END].other;
	bool has_result = span->span->ways || use->result.at != AT_NOTHING;
	uint32_t slot = has_others || span->is_group_of_end || has_result
				? open_find(&engine->open, use->span, open->key)
				: OPEN_NONE;

	if (slot == OPEN_NONE && has_others &&
	    entries_has_ended(&engine->entries, use->span, event->tid, use->point, open->key))
		return;
	if (has_others)
		entries_ended(&engine->entries, use->span, event->tid, use->point, open->key);
	if (slot != OPEN_NONE && span->is_group_of_end)
		engine->open.at[slot].group = group_of(engine, span, use, event);
	if (slot != OPEN_NONE && has_result)
		engine_result(engine, use, event, &engine->open.at[slot]);
	engine_end(engine, use->span, open->key, SPAN_ENDED, event->time,
		   engine_size(engine, use, event, slot));
}

/* If the cancel has only a part of the key, it cancels all spans with that part. */
static void cancel(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event, const struct open_span *open)
{
	const struct span *span = engine->span[use->span].span;
	uint32_t keys = use->point->keys;

	if (keys == span->side[SPAN_BEGIN].keys) {
		engine_end(engine, use->span, open->key, SPAN_CANCELLED, event->time, 0);
		return;
	}
	for (uint32_t i = 0; i < engine->open.count; i++) {
		const struct open_span *other = &engine->open.at[i];

		if (other->is_used && other->span == use->span &&
		    !memcmp(other->key, open->key, keys * sizeof(*open->key)))
			engine_end(engine, use->span, other->key, SPAN_CANCELLED, event->time, 0);
	}
}

/*
 * Whether it is a call of a 32-bit program, whose number is that of another call. The call that executed the program ends as one, and no
 * other span of the thread is open then.
 */
static bool is_foreign(const struct span_engine *engine, const struct engine_use *use,
		       const struct event *event, const struct open_span *open)
{
	if (!use->is_of_all_calls || map_get(&engine->foreign, event->pid) == MAP_NONE)
		return false;
	return use->side != SPAN_END || open_find(&engine->open, use->span, open->key) == OPEN_NONE;
}

static void use_event(struct span_engine *engine, const struct engine_use *use,
		      const struct event *event)
{
	const struct span_point *point = use->point;
	struct open_span open = {.span = (uint16_t)use->span};

	if (use->is_entry) {
		engine_enter(engine, use, event);
		return;
	}
	engine->span[use->span].books.events++;
	if (point->entry) {
		engine->entry = entries_pop(&engine->entries, use->entry, event->tid);
		if (!engine->entry)
			return;
	}
	if (!engine_passes(engine, use, event))
		return;
	for (uint32_t i = 0; i < point->keys; i++) {
		engine_field(engine, &use->key[i], event, &open.key[i]);
		if (point->mask[i])
			open.key[i] &= point->mask[i];
	}
	if (is_foreign(engine, use, event, &open))
		return;
	if (use->side == SPAN_BEGIN)
		begin(engine, use, event, &open);
	else if (use->side == SPAN_END)
		end(engine, use, event, &open);
	else
		cancel(engine, use, event, &open);
}

static void note_fields(struct span_engine *engine, const struct decode_event *fields,
			const struct event *event)
{
	char text[ENGINE_NOTE];
	size_t at = (size_t)snprintf(text, sizeof(text), "%s", fields->name);

	for (uint32_t i = 0; i < event->tracepoint.numbers && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       fields->is_signed[i] ? " %s=%lld" : " %s=%llu",
				       fields->number[i],
				       (unsigned long long)event->tracepoint.number[i]);
	engine_note(engine, event->tid, event->time, text);
}

void span_engine_tracepoint(struct span_engine *engine, const struct event *event)
{
	const struct engine_event *what = &engine->event[event->tracepoint.event];

	engine_see_time(engine, event->time);
	if (what->is_call && engine->calls.is_wanted)
		engine_add_call(engine, event);
	if (engine->requests.place)
		engine_add_request(engine, event);
	/* An event may end one span and begin the next, so ends come first. */
	for (uint32_t i = 0; i < what->uses; i++)
		if (what->use[i].side != SPAN_BEGIN)
			use_event(engine, &what->use[i], event);
	for (uint32_t i = 0; i < what->uses; i++)
		if (what->use[i].side == SPAN_BEGIN)
			use_event(engine, &what->use[i], event);
	if (engine->output.note && what->fields)
		note_fields(engine, what->fields, event);
}

void span_engine_count(struct span_engine *engine, uint32_t span, const struct span_books *books,
		       uint64_t first, uint64_t last)
{
	struct span_books *own = &engine->span[span].books;

	own->is_counted = true;
	own->begun += books->begun;
	for (int fate = 0; fate < SPAN_FATES; fate++)
		own->fate[fate] += books->fate[fate];
	own->ends_without_begin += books->ends_without_begin;
	own->excluded += books->excluded;
	own->unkept += books->unkept;
	own->unread += books->unread;
	own->missed += books->missed;
	engine_see_time(engine, first);
	engine_see_time(engine, last);
}

/* The span is one of those that span_engine_count() counts as begun. */
void span_engine_adopt(struct span_engine *engine, const struct span_seen *begun)
{
	bool is_of_model = engine->span[begun->span].span->source != SPAN_OF_TRACEPOINTS;
	const struct open_span open = {.span = (uint16_t)begun->span,
				       .group = begun->group,
				       .begin = begun->begin,
				       .bytes = begun->bytes,
				       .pid = begun->pid,
				       .tid = begun->tid,
				       .comm = is_of_model ? 0 : engine_comm(engine, begun->tid)};
	bool has_ended = map_get(&engine->status, begun->pid) != MAP_NONE;

	emit(engine, &open, OPEN_NONE, has_ended ? fate_of(engine, &open) : SPAN_OPEN,
	     span_engine_last(engine));
}

void span_engine_look(const struct span_engine *engine, uint64_t now,
		      void (*call)(void *context, const struct span_seen *seen), void *context)
{
	struct span_seen seen;

	for (uint32_t i = 0; i < engine->open.count; i++) {
		const struct open_span *open = &engine->open.at[i];

		if (!open->is_used || open->left || open->begin > now)
			continue;
		fill_seen(&seen, open, i, SPAN_OPEN, now);
		call(context, &seen);
	}
}

void span_engine_keep_names(struct span_engine *engine)
{
	engine->keeps_names = true;
}

void span_engine_choose_tasks(struct span_engine *engine)
{
	engine->chooses = true;
}

const struct text_list *span_engine_events(const struct span_engine *engine)
{
	return &engine->events;
}

const struct span_books *span_engine_books(const struct span_engine *engine, uint32_t span)
{
	return &engine->span[span].books;
}

const char *span_engine_trouble(const struct span_engine *engine, uint32_t span)
{
	return engine->span[span].trouble;
}

uint64_t span_engine_first(const struct span_engine *engine)
{
	uint64_t first = engine->trace ? trace_host(engine->trace)->first_time : 0;

	return first ? first : engine->first;
}

uint64_t span_engine_last(const struct span_engine *engine)
{
	uint64_t last = engine->trace ? trace_host(engine->trace)->last_time : 0;

	return last > engine->last ? last : engine->last;
}

uint64_t span_engine_lost(const struct span_engine *engine)
{
	return engine->lost;
}
