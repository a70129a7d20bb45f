/*
 * reader: connects the events of a capture with the functions that read their samples.
 *
 * Event and format are matched by the tracepoint's id, which is the config of the event: names in captures may be missing or
 * chosen by the user, but ids come from the kernel.
 */
#include "state.h"

#include <errno.h>
#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum decoded reader_ignore(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event)
{
	(void)tp, (void)sample, (void)event;
	return DECODED_IGNORED;
}

enum decoded reader_refuse(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event)
{
	(void)tp, (void)sample, (void)event;
	return DECODED_MALFORMED;
}

static bool row_applies(const struct decode *d, const struct tracepoint_row *row)
{
	switch (row->use) {
	case USE_ALWAYS:
		return true;
	case USE_NUMBERS:
		return d->arch;
	case USE_NO_TASK_RECORDS:
		return !d->has_task_records;
	case USE_NO_EXEC_RECORDS:
		return !d->has_exec_records;
	}
	return false;
}

static void reader_ready(struct decode *d, struct reader *reader, const struct tracepoint *tp)
{
	bool is_used = tp->row && row_applies(d, tp->row);

	reader->tp = *tp;
	reader->tp.arch = d->arch;
	reader->decode = is_used ? tp->row->decode : reader_ignore;
	if (!is_used)
		reader->tp.need = 0;
	reader->is_waiting = false;
	d->waiting--;
}

/* A problem with the format becomes a warning, and the samples are ignored. */
static void chosen_ready(struct decode *d, struct reader *reader, const char *system,
			 const char *text, size_t size)
{
	char *warning = chosen_add_format(d->chosen[reader->chosen], system, text, size);

	if (warning)
		warning_add(d, warning);
	reader->is_waiting = false;
	d->waiting--;
}

/* A sample without one of these is useless. */
static int sample_type_check(const struct capture_event *event, struct error *err)
{
	static const struct {
		uint64_t bit;
		const char *what;
	} needed[] = {
		{PERF_SAMPLE_RAW, "the fields of its tracepoint (perf record -R)"},
		{PERF_SAMPLE_TIME, "times (perf record -T)"},
		{PERF_SAMPLE_TID, "thread ids"},
	};
	char name[256];
	uint32_t i;

	escape_text(name, sizeof(name), event->name ? event->name : "",
		    event->name ? strlen(event->name) : 0);
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!(event->attr.sample_type & needed[i].bit))
			return error_say(err, EINVAL, "event %s was recorded without %s",
					 *name ? name : "(no name)", needed[i].what);
	}
	return 0;
}

int reader_add_format(struct decode *d, const char *system, const char *text, size_t size,
		      struct error *err)
{
	struct tracepoint tp;
	uint32_t i;
	int rc;

	wanted_add_format(d, system, text, size);
	if (!d->waiting)
		return 0;
	rc = tracepoint_init(&tp, system, text, size, d->info->release, err);
	for (i = 0; !rc && i < d->readers; i++) {
		if (!d->reader[i].is_waiting || d->info->event[i].attr.config != tp.id)
			continue;
		if (tp.row || d->reader[i].chosen != CHOSEN_NONE)
			rc = sample_type_check(&d->info->event[i], err);
		if (!rc && d->reader[i].chosen != CHOSEN_NONE)
			chosen_ready(d, &d->reader[i], system, text, size);
		else if (!rc)
			reader_ready(d, &d->reader[i], &tp);
	}
	return rc;
}

void reader_set_machine(struct decode *d, const char *machine, size_t length)
{
	uint32_t i;

	if (!d->arch || !length)
		return;
	d->arch = arch_find(machine, length);
	for (i = 0; i < d->readers; i++) {
		struct reader *reader = &d->reader[i];

		reader->tp.arch = d->arch;
		if (!d->arch && reader->tp.row && reader->tp.row->use == USE_NUMBERS)
			reader->decode = reader_ignore;
	}
	if (!d->arch)
		warning_add(
			d, mem_format("The capture was recorded on %.*s, whose system calls have "
				      "numbers that iotrace does not know: calls that are recorded "
				      "only by number (raw_syscalls) are skipped; iotrace can read "
				      "those of perf record -e 'syscalls:*'.",
				      (int)length, machine));
}

static void chosen_find(struct decode *d, struct reader *reader, const char *name)
{
	const size_t prefix = strlen(CAPTURE_CHOSEN_PREFIX);

	if (!name || strncmp(name, CAPTURE_CHOSEN_PREFIX, prefix))
		return;
	MEM_GROW(d->chosen, d->chosen_cap, d->chosens + 1);
	d->chosen[d->chosens] = chosen_new(name + prefix);
	reader->chosen = d->chosens++;
}

/* Somebody who looks for spans may want it: see wanted.c. */
static bool is_of_span(const struct capture_event *event)
{
	return event->name &&
	       !strncmp(event->name, CAPTURE_SPAN_PREFIX, strlen(CAPTURE_SPAN_PREFIX));
}

static void reader_init(struct decode *d, uint32_t index)
{
	const struct capture_event *event = &d->info->event[index];
	struct reader *reader = &d->reader[index];

	reader->decode = reader_ignore;
	reader->chosen = CHOSEN_NONE;
	if (event->name && !strcmp(event->name, FACT_EVENT_NAME)) {
		reader->is_fact = d->has_facts = true;
	} else if (event->name && !strcmp(event->name, BPF_RECORD_EVENT_NAME)) {
		reader->is_bpf = true;
		if (!d->bpf_text)
			d->bpf_text = (struct bpf_text *)mem_zero(sizeof(*d->bpf_text));
	} else if (event->attr.type == PERF_TYPE_TRACEPOINT && !is_of_span(event)) {
		reader->decode = reader_refuse;
		reader->is_waiting = true;
		d->waiting++;
		chosen_find(d, reader, event->name);
	}
	d->has_task_records |= event->attr.task;
	d->has_exec_records |= event->attr.comm_exec;
}

int reader_set_up(struct decode *d, struct error *err)
{
	const struct capture_info *info = d->info;
	uint32_t i;
	int rc = 0;

	d->arch = arch_here();
	d->reader = (struct reader *)mem_array(info->events ? info->events : 1, sizeof(*d->reader));
	d->readers = info->events;
	for (i = 0; i < info->events; i++)
		reader_init(d, i);
	for (i = 0; i < info->events && !rc; i++)
		rc = d->reader[i].is_bpf ? sample_type_check(&info->event[i], err) : 0;
	if (info->machine)
		reader_set_machine(d, info->machine, strlen(info->machine));
	for (i = 0; i < info->formats && !rc; i++) {
		const struct capture_format *format = &info->format[i];

		rc = reader_add_format(d, format->system ? format->system : "", format->text,
				       strlen(format->text), err);
	}
	if (!rc && d->waiting && !d->has_facts && !info->formats)
		rc = error_say(
			err, EPROTO,
			"the capture has no formats of its tracepoints, because its recording "
			"was killed before it wrote them");
	return rc;
}

void reader_release(struct decode *d)
{
	for (uint32_t i = 0; i < d->chosens; i++)
		chosen_free(d->chosen[i]);
	free(d->chosen);
	free(d->reader);
	free(d->bpf_text);
	d->reader = NULL;
	d->bpf_text = NULL;
	d->readers = 0;
}
