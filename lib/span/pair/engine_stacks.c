/* engine_stacks: the call chains of the begins of spans. */
#include "engine.h"
#include "stacks.h"

void span_engine_use_stacks(struct span_engine *engine)
{
	bool has_calls = false, has_requests = false;

	engine->stacks = stacks_new();
	for (uint32_t i = 0; i < engine->spans; i++) {
		has_calls |= span_is_of_calls(engine->span[i].span);
		has_requests |= span_is_of_requests(engine->span[i].span);
	}
	if (has_calls)
		engine_use_call_stacks(engine);
	if (has_requests)
		engine_use_request_stacks(engine);
}

void span_engine_mapping(struct span_engine *engine, const struct decode_mapping *mapping)
{
	if (engine->stacks)
		stacks_add_mapping(engine->stacks, mapping);
}

static void take_fact(struct stacks *stacks, const struct fact *fact)
{
	const uint64_t *number = fact->number;
	const struct fact_string *file = &fact->string[FACT_CODE_file];
	const struct decode_mapping mapping = {
		.pid = (uint32_t)number[FACT_CODE_pid],
		.begin = number[FACT_CODE_begin],
		.length = number[FACT_CODE_length],
		.offset = number[FACT_CODE_offset],
		.file = {file->at, file->length},
	};

	stacks_add_mapping(stacks, &mapping);
}

void engine_follow_stacks(struct span_engine *engine, const struct event *event)
{
	switch (event->kind) {
	case EVENT_FORK:
		stacks_fork(engine->stacks, event->pid, event->fork.child_pid);
		break;
	case EVENT_COMM:
		if (event->comm.is_exec)
			stacks_forget(engine->stacks, event->pid);
		break;
	case EVENT_EXIT:
		if (event->pid == event->tid)
			stacks_forget(engine->stacks, event->pid);
		break;
	case EVENT_FACT:
		if (event->fact.kind == FACT_CODE)
			take_fact(engine->stacks, &event->fact);
		break;
	default:
		break;
	}
}

const struct span_frame *span_engine_frame(const struct span_engine *engine, uint32_t stack,
					   uint32_t index)
{
	const struct stacks *stacks = engine->stacks;

	if (!stacks || !stack || stack >= stacks->stacks || index >= stacks->stack[stack].count)
		return NULL;
	return &stacks->frame[stacks->stack[stack].first + index];
}

const char *span_engine_file(const struct span_engine *engine, const struct span_frame *frame)
{
	return frame->file ? strtab_text(engine->stacks->strings, frame->file) : "";
}
