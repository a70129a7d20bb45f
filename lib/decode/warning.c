/*
 * warning: warnings about information that a capture lacks.
 *
 * A capture of iotrace contains everything. A capture of perf or of another program has the tracepoints that its user chose.
 * Missing ones are reported before the conversion, so that the user need not guess from the result.
 */
#include "state.h"

#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEN_ENTER = 1, SEEN_EXIT = 2, LISTED = 6, LIST_SIZE = 256 };

enum { WARNINGS_MAX = 100 }; /* limit for captures with invalid facts */

/* What the events of a capture can show. */
struct survey {
	uint8_t *seen;          /* for each call */
	uint32_t enters, exits; /* number of calls with enters, and with exits */
	bool has_paths;
	bool has_forks, has_thread_ends;
	bool has_requests, has_request_ends, has_bios, has_bio_ends;
};

/* Escapes the sentence, because names in it come from the capture and could disturb a terminal. */
void warning_add(struct decode *d, char *sentence)
{
	size_t length = strlen(sentence), size = 4 * length + 1;

	if (d->warnings < WARNINGS_MAX) {
		MEM_GROW(d->warning, d->warnings_cap, d->warnings + 1);
		d->warning[d->warnings] = (char *)mem_alloc(size);
		escape_text(d->warning[d->warnings++], size, sentence, length);
	}
	free(sentence);
}

void warning_release(struct decode *d)
{
	uint32_t i;

	for (i = 0; i < d->warnings; i++)
		free(d->warning[i]);
	free(d->warning);
	d->warning = NULL;
	d->warnings = d->warnings_cap = 0;
}

static bool reads_step(const struct reader *reader, enum request_step step)
{
	const struct tracepoint_row *row = reader->tp.row;

	return row && reader->decode == row->decode && !strcmp(row->system, "block") &&
	       row->step == step;
}

static void survey_reader(struct survey *s, const struct reader *reader)
{
	const struct {
		tracepoint_decoder raw, call;
		uint8_t bit;
	} ends[] = {
		{decode_raw_enter, decode_call_enter, SEEN_ENTER},
		{decode_raw_exit, decode_call_exit, SEEN_EXIT},
	};
	uint32_t i, call;

	for (i = 0; i < 2; i++) {
		if (reader->decode == ends[i].call)
			s->seen[reader->tp.call] |= ends[i].bit;
		for (call = 0; reader->decode == ends[i].raw && call < call_count(); call++)
			s->seen[call] |= ends[i].bit;
	}
	s->has_paths |= reader->tp.path[0].size > 0;
	s->has_forks |= reader->decode == decode_sched_fork;
	s->has_thread_ends |= reader->decode == decode_sched_exit;
	s->has_requests |= reads_step(reader, REQUEST_ISSUE) || reads_step(reader, REQUEST_INSERT);
	s->has_request_ends |= reads_step(reader, REQUEST_COMPLETE);
	s->has_bios |= reads_step(reader, REQUEST_BIO_QUEUE);
	s->has_bio_ends |= reads_step(reader, REQUEST_BIO_COMPLETE);
}

static void survey_init(struct survey *s, const struct decode *d)
{
	uint32_t i;

	*s = (struct survey){.has_forks = d->has_task_records,
			     .has_thread_ends = d->has_task_records};
	s->seen = (uint8_t *)mem_array(call_count(), 1);
	for (i = 0; i < d->readers; i++)
		survey_reader(s, &d->reader[i]);
	for (i = 0; i < call_count(); i++) {
		s->enters += (s->seen[i] & SEEN_ENTER) != 0;
		s->exits += (s->seen[i] & SEEN_EXIT) != 0;
	}
}

/* perf record without -F and -c takes each event of a tracepoint. A period of 0: it counts them, and takes no samples. */
static void survey_samples(struct decode *d)
{
	for (uint32_t i = 0; i < d->readers; i++) {
		const struct perf_event_attr *attr = &d->info->event[i].attr;

		if (d->reader[i].tp.row && (attr->freq || attr->sample_period != 1))
			tally_add(d->tally, sampled, 1);
	}
}

/* Appends a name to a list of at most LISTED names, "a, b, c ..."; n is the current number. */
static void list_add(char *list, uint32_t n, const char *name)
{
	size_t used = strlen(list);

	if (n < LISTED)
		snprintf(list + used, LIST_SIZE - used, "%s%s", n ? ", " : "", name);
	else if (n == LISTED)
		snprintf(list + used, LIST_SIZE - used, " ...");
}

static bool is_one_sided(uint8_t seen)
{
	return seen == SEEN_ENTER || seen == SEEN_EXIT;
}

/* Calls without which descriptors cannot be followed. */
static bool is_essential(const struct arch *arch, call_id id)
{
	const struct call_row *row = call_row(id);

	return row->group == GROUP_OPEN && (!arch || arch_number(arch, id) >= 0) &&
	       (row->kind == CALL_CLOSE || row->kind == CALL_DUP || row->kind == CALL_FCNTL ||
		!strcmp(row->name, "openat"));
}

static void survey_calls(struct decode *d, const struct survey *s)
{
	char halves[LIST_SIZE] = "", missing[LIST_SIZE] = "";
	uint32_t i, half_count = 0, missing_count = 0;

	for (i = 0; i < call_count(); i++) {
		const struct call_row *row = call_row((call_id)i);

		if (is_one_sided(s->seen[i]))
			list_add(halves, half_count++, row->name);
		if (!s->seen[i] && is_essential(d->arch, (call_id)i))
			list_add(missing, missing_count++, row->name);
	}
	if (half_count)
		warning_add(
			d,
			mem_format("Of %u system calls the capture has only the begin or only the "
				   "end (%s), so they are incomplete.",
				   half_count, halves));
	tally_add(d->tally, unfollowed, missing_count);
	if (missing_count)
		warning_add(
			d,
			mem_format(
				"The capture lacks calls that open or close descriptors (%s), so "
				"files may be missing or stay open in the result. Use perf "
				"record -e 'syscalls:*'.",
				missing));
}

static void survey_waiting(struct decode *d)
{
	char list[LIST_SIZE] = "";
	uint32_t i, n = 0;

	for (i = 0; i < d->readers; i++) {
		const char *name = d->info->event[i].name;

		if (d->reader[i].is_waiting)
			list_add(list, n++, name && *name ? name : "(no name)");
	}
	if (n)
		warning_add(
			d, mem_format("The capture has no format of %u of its tracepoints (%s), so "
				      "their samples cannot be read.",
				      n, list));
}

static bool has_block(const struct survey *s)
{
	return s->has_requests || s->has_request_ends || s->has_bios || s->has_bio_ends;
}

static void survey_block(struct decode *d, const struct survey *s)
{
	bool is_whole = s->has_requests && s->has_request_ends;

	if (!is_whole && !(s->has_bios && s->has_bio_ends))
		warning_add(
			d,
			mem_format("The capture has only the %s of block requests, so they are %s. "
				   "Use perf record -e 'block:*'.",
				   s->has_requests || s->has_bios ? "begins" : "ends",
				   s->has_requests ? "incomplete" : "out"));
	else if (is_whole && !s->has_bios)
		warning_add(
			d,
			mem_format("The capture does not say which task queued a block request "
				   "(block_bio_queue), so requests are attributed to the task that "
				   "passed them to the device."));
	warning_add(
		d,
		mem_format(
			"The capture has no names of block devices, so they have their numbers as names."));
}

static void survey_warn(struct decode *d, const struct survey *s)
{
	if (has_block(s))
		survey_block(d, s);
	if (!s->enters && !s->exits)
		return;
	if (!s->enters || !s->exits)
		tally_add(d->tally, unfollowed, call_count());
	if (!s->exits)
		warning_add(
			d,
			mem_format(
				"The capture has no ends of system calls (sys_exit), so results, "
				"durations and new descriptors are unknown."));
	else if (!s->enters)
		warning_add(d,
			    mem_format("The capture has no begins of system calls (sys_enter), so "
				       "arguments and durations are unknown."));
	else
		survey_calls(d, s);
	warning_add(
		d,
		mem_format("The capture was not made by iotrace, so the files of descriptors that "
			   "were open before it are unknown%s.",
			   s->has_paths ? ""
					: ", and so are the names of files, which this kernel's "
					  "tracepoints do not contain"));
	if (!s->has_forks || !s->has_thread_ends)
		warning_add(d,
			    mem_format("The capture does not say which tasks began and ended, so "
				       "descriptors that a process inherits are unknown."));
}

void warning_survey(struct decode *d)
{
	struct survey survey;

	if (d->has_facts)
		return;
	survey_init(&survey, d);
	survey_samples(d);
	survey_waiting(d);
	survey_warn(d, &survey);
	d->is_without_io = !survey.enters && !survey.exits && !has_block(&survey) && !d->waiting;
	free(survey.seen);
}
