/* bpf_span_calls: tracepoints of single system calls, counted at the two tracepoints of all calls; and calls as they are recorded. */
#include "bpf_span_spec.h"

#include <iotrace/syscall.h>
#include <string.h>

enum { NUMBER_AT = 8, ARGUMENTS_AT = 16, ARGUMENTS = 6 };

/* The data of such a tracepoint has the number of the call, and then its arguments or its result. */
static bool is_of_call(const struct bpf_span_field *field, const struct bpf_span_offset *where,
		       bool is_any)
{
	if (field->at == BPF_SPAN_OF_TEXT)
		return field->text == BPF_SPAN_TEXT_COMM;
	return field->at != BPF_SPAN_NUMBER ||
	       (where->size == 8 && where->offset >= (is_any ? NUMBER_AT : ARGUMENTS_AT) &&
		where->offset < ARGUMENTS_AT + 8 * ARGUMENTS);
}

void bpf_span_use_calls(struct bpf_span_plan *plan, int index, const char *event, int number)
{
	struct bpf_span_point *point = &plan->spec.point[index];
	bool is_any = !strncmp(event, "raw_syscalls:", 13);
	const char *name = is_any ? event + 4 : event; /* "syscalls:sys_enter..." */
	bool is_return = !strncmp(name, "syscalls:sys_exit", 17);

	if (is_any)
		number = BPF_SPAN_ANY_CALL;
	if ((number < 0 && !is_any) || (!is_return && strncmp(name, "syscalls:sys_enter", 18) != 0))
		return;
	for (int i = 0; i < BPF_SPAN_FIELDS; i++)
		if (!is_of_call(&point->field[i], &plan->offsets[index].field[i], is_any))
			return;
	point->call = is_return ? BPF_SPAN_AT_RETURN : BPF_SPAN_AT_CALL;
	point->number = number;
	for (int i = 0; i < BPF_SPAN_FIELDS; i++) {
		struct bpf_span_field *field = &point->field[i];
		uint16_t offset = plan->offsets[index].field[i].offset;

		if (field->at != BPF_SPAN_NUMBER)
			continue;
		field->at = offset == NUMBER_AT ? BPF_SPAN_CALL
			    : is_return         ? BPF_SPAN_RESULT
						: BPF_SPAN_ARGUMENT;
		field->argument = (uint8_t)((offset - ARGUMENTS_AT) / 8);
	}
}

void bpf_span_use_known(struct bpf_span_spec *spec, const struct counted_span *span)
{
	static const char name[] = "ioctl";
	call_id id = span->is_as_recorded ? call_by_name(name, strlen(name)) : CALL_ID_NONE;

	spec->is_size_result = span->is_size_result;
	spec->is_as_recorded = span->is_as_recorded;
	spec->ioctl = id == CALL_ID_NONE ? -1 : (int32_t)call_row(id)->number;
}
