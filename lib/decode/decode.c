/*
 * decode: passes each sample to its reader, and counts it.
 *
 * A sample is counted as event, ignored or malformed. Records of tasks and facts are not samples, but if one cannot be read, it
 * is counted as a malformed sample, so that the error is visible.
 */
#include "state.h"
#include "tracepoint/task.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>

/* Returns the index of the counter, and adds it if it is new; UINT32_MAX if there are too many. */
static uint32_t counter_add(struct decode *d, const char *name)
{
	uint32_t i;

	for (i = 0; i < d->counters; i++) {
		if (!strcmp(d->counter_name[i], name))
			return i;
	}
	if (i == EVENT_COUNTERS)
		return UINT32_MAX;
	d->counter_name[d->counters++] = name;
	return i;
}

/* Each of the two exit events has its own siblings with the same names; both use one counter. */
static void counters_set_up(struct decode *d)
{
	const size_t prefix = strlen(CAPTURE_COUNTER_PREFIX);
	uint32_t i, k;

	for (i = 0; i < d->info->events; i++) {
		const struct capture_event *event = &d->info->event[i];
		uint32_t counter;

		if (!event->name || strncmp(event->name, CAPTURE_COUNTER_PREFIX, prefix))
			continue;
		counter = counter_add(d, event->name + prefix);
		for (k = 0; counter != UINT32_MAX && k < event->ids; k++)
			map_set(&d->counter_of_id, event->id[k], counter);
	}
}

struct decode *decode_new(const struct capture_info *info, struct tally *tally, struct error *err)
{
	struct decode *d = (struct decode *)mem_zero(sizeof(*d));

	d->info = info;
	d->tally = tally;
	counters_set_up(d);
	if (reader_set_up(d, err)) {
		decode_free(d);
		return NULL;
	}
	if (!d->has_facts)
		overlap_find(d);
	warning_survey(d);
	return d;
}

void decode_free(struct decode *d)
{
	if (!d)
		return;
	reader_release(d);
	wanted_release(d);
	overlap_release(d);
	assembly_release(&d->assembly);
	map_release(&d->counter_of_id);
	warning_release(d);
	free(d);
}

static int malformed_record(struct decode *d)
{
	tally_add(d->tally, samples, 1);
	tally_add(d->tally, malformed, 1);
	return 0;
}

static int decode_record(struct decode *d, const struct sample *sample, struct event *event)
{
	switch (task_record(sample, event)) {
	case DECODED_EVENT:
		return 1;
	case DECODED_MALFORMED:
		return malformed_record(d);
	case DECODED_IGNORED:
		break;
	}
	return 0;
}

static void host_fact(struct decode *d, const struct fact *fact)
{
	const struct fact_string *machine = &fact->string[FACT_HOST_machine];

	reader_set_machine(d, machine->at, machine->length);
}

/* Converts call and flags: an event contains the row of a call, and flags with the bits of this machine. */
static void path_fact(const struct decode *d, struct fact *fact)
{
	uint64_t *number = &fact->number[FACT_PATH_number];

	*number = d->arch ? arch_call(d->arch, (long)*number) : CALL_ID_NONE;
}

static void descriptor_fact(const struct decode *d, struct fact *fact)
{
	uint64_t *flags;

	if (!d->arch || d->arch == arch_here())
		return;
	flags = &fact->number[FACT_FD_flags];
	if (*flags != UINT64_MAX)
		*flags = arch_open_flags(d->arch, (uint32_t)*flags);
}

static int decode_fact(struct decode *d, const struct sample *sample, struct event *event)
{
	int rc = fact_decode(&event->fact, sample->raw, sample->raw_size);

	if (rc && rc != -ENOENT)
		return malformed_record(d);
	tally_add(d->tally, facts, 1);
	if (rc)
		return 0; /* a kind of a later version */
	if (event->fact.kind == FACT_FORMAT) {
		assembly_add(d, &event->fact);
		return 0;
	}
	if (event->fact.kind == FACT_HOST)
		host_fact(d, &event->fact);
	else if (event->fact.kind == FACT_PATH)
		path_fact(d, &event->fact);
	else if (event->fact.kind == FACT_FD)
		descriptor_fact(d, &event->fact);
	event->kind = EVENT_FACT;
	return 1;
}

static void counters_read(const struct decode *d, const struct sample *sample, struct event *event)
{
	uint32_t i, found = 0;

	memset(event->exit.counter, 0, d->counters * sizeof(event->exit.counter[0]));
	for (i = 0; i < sample->values && i < SAMPLE_VALUES_MAX; i++) {
		uint32_t counter = map_get(&d->counter_of_id, sample->value_id[i]);

		if (counter == MAP_NONE)
			continue;
		event->exit.counter[counter] = sample->value[i];
		found++;
	}
	event->exit.counters = found ? d->counters : 0;
}

static enum decoded decode_tracepoint(const struct decode *d, const struct sample *sample,
				      struct event *event)
{
	const struct reader *reader;
	enum decoded decoded;

	if (sample->event >= d->readers)
		return DECODED_MALFORMED;
	reader = &d->reader[sample->event];
	if (reader->is_bpf)
		return bpf_decode(d->bpf_text, sample, d->arch, event);
	if (reader->chosen != CHOSEN_NONE)
		return chosen_decode(d->chosen[reader->chosen], reader->chosen, sample, event);
	if (sample->raw_size < reader->tp.need)
		return DECODED_MALFORMED;
	decoded = reader->decode(&reader->tp, sample, event);
	if (d->has_own && decoded == DECODED_EVENT && overlap_has(d, reader, event))
		return DECODED_IGNORED;
	if (decoded == DECODED_EVENT && event->kind == EVENT_SYSCALL_EXIT) {
		event->exit.counters = 0;
		if (sample->values && d->counters)
			counters_read(d, sample, event);
	}
	return decoded;
}

/* In a separate pid namespace, tasks outside have no numbers for the recorder, so their calls cannot be distinguished. */
static enum decoded without_outside(const struct event *event, enum decoded decoded)
{
	bool is_call = event->kind == EVENT_SYSCALL_ENTER || event->kind == EVENT_SYSCALL_EXIT;

	return decoded == DECODED_EVENT && is_call && !event->tid ? DECODED_IGNORED : decoded;
}

int decode_sample(struct decode *d, const struct sample *sample, bool is_late, struct event *event)
{
	event_of_sample(event, sample, is_late);
	if (sample->type != PERF_RECORD_SAMPLE)
		return decode_record(d, sample, event);
	if (sample->event < d->readers && d->reader[sample->event].is_fact)
		return decode_fact(d, sample, event);

	tally_add(d->tally, samples, 1);
	switch (without_outside(event, decode_tracepoint(d, sample, event))) {
	case DECODED_EVENT:
		tally_add(d->tally, events, 1);
		return 1;
	case DECODED_IGNORED:
		tally_add(d->tally, ignored, 1);
		break;
	case DECODED_MALFORMED:
		tally_add(d->tally, malformed, 1);
		break;
	}
	return 0;
}

bool decode_is_passing(const struct decode *d, const struct sample *sample)
{
	const struct reader *reader;

	if (sample->type != PERF_RECORD_SAMPLE || sample->event >= d->readers)
		return false;
	reader = &d->reader[sample->event];
	if (reader->is_bpf)
		return bpf_is_passing(sample, d->arch);
	return reader->chosen == CHOSEN_NONE && !reader->is_fact && reader->tp.row &&
	       sample->raw_size >= reader->tp.need && tracepoint_is_passing(&reader->tp, sample);
}

uint32_t decode_counters(const struct decode *d)
{
	return d->counters;
}

const char *decode_counter_name(const struct decode *d, uint32_t counter)
{
	return counter < d->counters ? d->counter_name[counter] : NULL;
}

const struct decode_event *decode_event(const struct decode *d, uint32_t event)
{
	return event < d->chosens ? chosen_event(d->chosen[event]) : NULL;
}

bool decode_is_without_io(const struct decode *d)
{
	return d->is_without_io;
}

bool decode_has_facts(const struct decode *d)
{
	return d->has_facts;
}

const char *decode_warning(const struct decode *d, uint32_t index)
{
	return index < d->warnings ? d->warning[index] : NULL;
}
