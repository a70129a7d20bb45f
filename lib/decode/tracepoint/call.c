/*
 * call: enter and exit of system calls.
 *
 * They come from the raw pair of tracepoints, which contain the number of the call, or from the two tracepoints of each call.
 */
#include "tracepoint.h"

enum decoded decode_raw_enter(const struct tracepoint *tp, const struct sample *sample,
			      struct event *event)
{
	call_id call = arch_call(tp->arch, (long)field_value(&tp->field[0], sample->raw));

	if (call == CALL_ID_NONE)
		return DECODED_IGNORED;
	event->kind = EVENT_SYSCALL_ENTER;
	event->enter.call = call;
	memset(event->enter.base, 0, sizeof(event->enter.base));
	field_arguments(&tp->field[1], sample->raw, event->enter.arg);
	arch_arguments(tp->arch, call, event->enter.arg);
	memset(event->enter.path, 0, sizeof(event->enter.path));
	return DECODED_EVENT;
}

enum decoded decode_raw_exit(const struct tracepoint *tp, const struct sample *sample,
			     struct event *event)
{
	call_id call = arch_call(tp->arch, (long)field_value(&tp->field[0], sample->raw));

	if (call == CALL_ID_NONE)
		return DECODED_IGNORED;
	event->kind = EVENT_SYSCALL_EXIT;
	event->exit.call = call;
	event->exit.result = field_value(&tp->field[1], sample->raw);
	return DECODED_EVENT;
}

enum decoded decode_call_enter(const struct tracepoint *tp, const struct sample *sample,
			       struct event *event)
{
	uint32_t i;

	event->kind = EVENT_SYSCALL_ENTER;
	event->enter.call = tp->call;
	memset(event->enter.base, 0, sizeof(event->enter.base));
	/* A missing argument has size 0 and value 0. */
	for (i = 0; i < EVENT_ARGS; i++)
		event->enter.arg[i] = (uint64_t)field_value(&tp->arg[i], sample->raw);
	if (tp->arch)
		arch_arguments(tp->arch, tp->call, event->enter.arg);
	for (i = 0; i < EVENT_PATHS; i++) {
		if (!field_string(&tp->path[i], sample, &event->enter.path[i]))
			return DECODED_MALFORMED;
	}
	return DECODED_EVENT;
}

enum decoded decode_call_exit(const struct tracepoint *tp, const struct sample *sample,
			      struct event *event)
{
	event->kind = EVENT_SYSCALL_EXIT;
	event->exit.call = tp->call;
	event->exit.result = field_value(&tp->field[0], sample->raw);
	return DECODED_EVENT;
}

bool tracepoint_is_passing(const struct tracepoint *tp, const struct sample *sample)
{
	tracepoint_decoder decode = tp->row->decode;

	if (decode != decode_raw_enter && decode != decode_raw_exit)
		return !strcmp(tp->row->system, "block");
	return tp->arch &&
	       call_is_passing(arch_call(tp->arch, (long)field_value(&tp->field[0], sample->raw)));
}
