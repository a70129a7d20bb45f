/*
 * read_event: regions, programs, threads, metrics and parameters.
 */
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void enter(struct reader *r, const struct walk_event *from)
{
	const struct value *handle = read_attribute(r, from, READ_HANDLE, OTF2_TYPE_IO_HANDLE);
	struct io_event event = read_new(r, from, IO_ENTER);

	event.region.id = walk_id_of(&r->walk, from->record->value);
	event.region.file = read_attribute_file(r, from);
	if (event.region.id == NONE) {
		read_ignore(r);
		return;
	}
	if (handle)
		event.handle = read_handle(r, from, handle);
	if (r->trace->region[event.region.id].source == REGION_SPAN)
		event.region.span = read_span(r, from);
	read_emit(r, from, &event);
}

static void leave(struct reader *r, const struct walk_event *from)
{
	struct io_event event = read_new(r, from, IO_LEAVE);
	uint64_t error;

	event.region.id = walk_id_of(&r->walk, from->record->value);
	event.region.file = ID_NONE;
	if (read_attribute_number(r, from, READ_ERRNO, &error))
		event.region.error = (int32_t)error;
	event.region.path = read_attribute_string(r, from, READ_PATH);
	if (event.region.id == NONE) {
		read_ignore(r);
		return;
	}
	if (r->trace->region[event.region.id].source == REGION_SPAN) {
		event.region.span = read_span(r, from);
		event.region.is_cut = read_why(r, from, &event.region.end);
	}
	read_emit(r, from, &event);
}

/*
 * Returns the words of the program, separated by NUL. The "Command line" of its definition is one text, so word boundaries are
 * lost. Fields of the record: name, number of arguments, arguments.
 */
static str_id words_of(struct reader *r, const struct value *is)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	str_id argv = 0;

	if (!out)
		return 0;
	fputs(trace_text(r->trace, read_string(r, &is[0])), out);
	for (uint64_t i = 0; i < is[1].is; i++) {
		fputc('\0', out);
		fputs(trace_text(r->trace, read_string(r, &is[2 + i])), out);
	}
	if (fclose(out) == 0)
		argv = trace_string(r->trace, text, size);
	free(text);
	return argv;
}

static struct trace_process *process_of(const struct reader *r, const struct walk_event *from)
{
	return &r->trace->process[r->trace->thread[from->location].process];
}

/* In archives of iotrace, names contain these numbers. */
static void take_numbers(const struct reader *r, const struct walk_event *from)
{
	struct trace_thread *thread = &r->trace->thread[from->location];
	struct trace_process *process = process_of(r, from);
	uint64_t number;

	if (!process->pid && read_attribute_number(r, from, READ_PROCESS_ID, &number))
		process->pid = (uint32_t)number;
	if (!thread->tid && read_attribute_number(r, from, READ_THREAD_ID, &number))
		thread->tid = (uint32_t)number;
}

static void begin_program(struct reader *r, const struct walk_event *from)
{
	const struct io_event event = read_new(r, from, IO_PROGRAM_BEGIN);
	const struct value *is = from->record->value;

	take_numbers(r, from);
	if (is[1].is || !r->is_ours)
		process_of(r, from)->argv = words_of(r, is);
	read_emit(r, from, &event);
}

static void end_program(struct reader *r, const struct walk_event *from)
{
	int64_t status = (int64_t)from->record->value[0].is;
	struct io_event event = read_new(r, from, IO_PROGRAM_END);

	event.program.exit_status = status < 0 || status > INT32_MAX ? -1 : (int32_t)status;
	process_of(r, from)->status = event.program.exit_status;
	read_emit(r, from, &event);
}

/* Its fields: metric, number of values, and for each a type and a value. */
static void metric(struct reader *r, const struct walk_event *from)
{
	const struct value *is = from->record->value;
	uint32_t id = walk_id_of(&r->walk, &is[0]);
	uint64_t counter[EVENT_COUNTERS] = {0};
	struct io_event event = read_new(r, from, IO_METRIC);

	event.metric.series = id == NONE ? NONE : r->series[id];
	if (event.metric.series == NONE) {
		read_ignore(r);
		return;
	}
	event.metric.counters = r->trace->series[event.metric.series].metrics;
	event.metric.counter = counter;
	for (uint64_t i = 0; i < is[1].is && i < event.metric.counters; i++)
		counter[i] = is[3 + 2 * i].is;
	read_emit(r, from, &event);
}

static void parameter(struct reader *r, const struct walk_event *from)
{
	const struct value *is = from->record->value;
	struct io_event event = read_new(r, from, IO_PARAMETER);

	event.parameter.parameter = walk_id_of(&r->walk, &is[0]);
	event.parameter.value = read_string(r, &is[1]);
	if (event.parameter.parameter == NONE)
		read_ignore(r);
	else
		read_emit(r, from, &event);
}

static void thread(struct reader *r, const struct walk_event *from)
{
	bool is_begin = from->record->type == EVENT_THREAD_BEGIN;
	const struct io_event event = read_new(r, from, is_begin ? IO_THREAD_BEGIN : IO_THREAD_END);

	read_emit(r, from, &event);
}

void read_event(struct reader *r, const struct walk_event *from)
{
	static void (*const take[UINT8_MAX + 1])(struct reader *, const struct walk_event *) = {
		[EVENT_ENTER] = enter,
		[EVENT_LEAVE] = leave,
		[EVENT_PROGRAM_BEGIN] = begin_program,
		[EVENT_PROGRAM_END] = end_program,
		[EVENT_THREAD_BEGIN] = thread,
		[EVENT_THREAD_END] = thread,
		[EVENT_METRIC] = metric,
		[EVENT_PARAMETER_STRING] = parameter,
	};

	r->read++;
	if (from->record->row)
		(take[from->record->type] ? take[from->record->type] : read_io)(r, from);
}
