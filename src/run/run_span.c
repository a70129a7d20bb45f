#include "run_span.h"

#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/span_engine.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_SIZE = 512 };

struct run_span {
	struct model *model;
	struct span_engine *engine;
	const struct span *const *span;
	uint32_t number[SPANS_MAX];     /* of the model */
	struct map group_of[SPANS_MAX]; /* the text of each group */
};

/* Returns the text of the group; 0: the span has none. */
static str_id group_of(struct run_span *spans, const struct span_seen *seen)
{
	struct map *map = &spans->group_of[seen->span];
	uint32_t known = map_get(map, seen->group);
	char text[GROUP_SIZE];
	size_t length;

	if (known != MAP_NONE)
		return known;
	length = span_engine_group(spans->engine, seen->span, seen->group, text, sizeof(text));
	map_set(map, seen->group, model_span_text(spans->model, text, length));
	return map_get(map, seen->group);
}

static struct model_span span_of(struct run_span *spans, const struct span_seen *seen)
{
	const struct span *span = spans->span[seen->span];

	return (struct model_span){
		.slot = seen->slot,
		.span = spans->number[seen->span],
		.pid = span->where == SPAN_OF_KEY ? 0 : seen->pid,
		.tid = seen->tid,
		.bytes = seen->bytes,
		.what = {.begun = seen->begin},
	};
}

static void add_key(struct run_span *spans, const struct span_seen *seen, struct io_span *what)
{
	uint32_t keys = spans->span[seen->span]->side[SPAN_BEGIN].keys;

	for (uint32_t i = 0; i < keys; i++) {
		const char *text = span_engine_key_text(spans->engine, seen, i);

		if (!text)
			what->key[what->keys++] = seen->key[i];
		else if (!what->text)
			what->text = model_span_text(spans->model, text, strlen(text));
	}
}

static void begun(void *context, const struct span_seen *seen)
{
	struct run_span *spans = context;
	struct model_span span = span_of(spans, seen);

	span.time = seen->begin;
	add_key(spans, seen, &span.what);
	if (!span_engine_is_group_of_end(spans->engine, seen->span))
		span.what.group = group_of(spans, seen);
	model_span_begin(spans->model, &span);
}

static void ended(void *context, const struct span_seen *seen)
{
	static const enum io_end why[SPAN_FATES] = {
		[SPAN_CANCELLED] = IO_END_ABORTED, [SPAN_DIED] = IO_END_DEATH,
		[SPAN_LEFT] = IO_END_EXIT,         [SPAN_BEGUN_AGAIN] = IO_END_LOST,
		[SPAN_LOST] = IO_END_LOST,         [SPAN_OPEN] = IO_END_RECORDING,
	};
	struct run_span *spans = context;
	struct model_span span = span_of(spans, seen);

	span.time = seen->end;
	if (seen->fate != SPAN_ENDED) {
		model_span_cut(spans->model, &span, why[seen->fate]);
		return;
	}
	if (span_engine_is_group_of_end(spans->engine, seen->span))
		span.what.group = group_of(spans, seen);
	model_span_end(spans->model, &span);
}

struct run_span *run_span_new(struct model *model, const struct span *const *span, uint32_t count,
			      bool is_of_some)
{
	struct run_span *spans = mem_zero(sizeof(*spans));
	const struct span_output output = {.seen = ended, .context = spans, .begun = begun};

	spans->model = model;
	spans->span = span;
	for (uint32_t i = 0; i < count; i++)
		spans->number[i] = model_add_span(model, span[i]->name, span[i]->definition,
						  span[i]->is_nested);
	spans->engine = span_engine_new(span, count, model_trace(model), &output);
	if (is_of_some)
		span_engine_choose_tasks(spans->engine);
	return spans;
}

void run_span_free(struct run_span *spans)
{
	if (!spans)
		return;
	span_engine_free(spans->engine);
	for (uint32_t i = 0; i < SPANS_MAX; i++)
		map_release(&spans->group_of[i]);
	free(spans);
}

struct span_engine *run_span_engine(const struct run_span *spans)
{
	return spans->engine;
}
