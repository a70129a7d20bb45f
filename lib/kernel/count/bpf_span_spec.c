/*
 * bpf_span_spec: see bpf_span_spec.h.
 *
 * The data of a probe's tracepoint is not there for programs, which fetch its fields themselves.
 */
#include "bpf_span_spec.h"

#include "bpf_span.h"
#include "bpf_span_fetch.h"
#include "bpf_span_format.h"
#include "load/bpf_comm.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/recording.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum bpf_span_at of_task(const char *name)
{
	static const struct {
		const char *name;
		enum bpf_span_at at;
	} row[] = {{"pid", BPF_SPAN_PID}, {"tid", BPF_SPAN_TID}, {"cpu", BPF_SPAN_CPU}};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (!strcmp(row[i].name, name))
			return row[i].at;
	return BPF_SPAN_NOTHING;
}

/* What is planned for a point. */
struct planned {
	struct bpf_span_point *point;
	struct bpf_span_offsets *offsets;
	const char *format; /* NULL: the span has no such point */
	struct bpf_span_probe *probe;
	struct bpf_span_entry *entry;
	struct bpf_span_match *match;             /* of its conditions */
	struct bpf_span_plan *plan;               /* has their patterns */
	struct bpf_span_found found, found_entry; /* count 0: it is no probe; it has no entry */
	struct error *err;
};

/* A register of a probe that is in one place can be read as data of a tracepoint is. */
static void use_fetch(const struct planned *of, struct bpf_span_field *field, uint32_t number)
{
	const struct bpf_span_fetch *fetch = &of->probe->site[0].field[number];
	bool is_register = of->probe->sites == 1 && !fetch->depth && !fetch->is_constant;

	field->at = is_register ? BPF_SPAN_NUMBER : BPF_SPAN_OF_PROBE;
	field->is_signed = fetch->is_signed;
	field->shift = fetch->is_signed ? (uint8_t)(64 - 8 * fetch->size) : 0;
	if (is_register)
		of->offsets->field[number] = (struct bpf_span_offset){fetch->at, fetch->size};
}

/* The fields of a probe, and of its entry. */
static int find_fetch(const struct planned *of, struct bpf_span_field *field, uint32_t number,
		      const char *name)
{
	int code = bpf_span_find_field(of->probe, &of->found, number, name, false, of->err);

	if (code > 0)
		use_fetch(of, field, number);
	if (code)
		return code;
	code = bpf_span_find_kept(of->entry, &of->found_entry,
				  &(struct bpf_span_wish){.name = name}, &field->argument, of->err);
	if (code <= 0)
		return code;
	field->at = BPF_SPAN_OF_ENTRY;
	field->is_signed = of->entry->field[field->argument].is_signed;
	return code;
}

/* Returns 1, 0 or -ENOTSUP: see bpf_span_find_number(). */
static int find(const struct planned *of, uint32_t number, const char *name)
{
	struct bpf_span_field *field = &of->point->field[number];
	int code = of->found.count ? find_fetch(of, field, number, name)
				   : bpf_span_find_number(of->format, name, field,
							  &of->offsets->field[number], of->err);

	if (code)
		return code;
	of->offsets->field[number].size = 0;
	field->at = of_task(name);
	return field->at != BPF_SPAN_NOTHING;
}

static int need(const struct planned *of, uint32_t number, const char *name)
{
	int code = find(of, number, name);

	if (code < 0)
		return code;
	return code ? 0 : error_say(of->err, ENOTSUP, "it has no number '%s'", name);
}

/* Finds a text of the function's entry. It is compared there: a condition of the return is whether that one was fulfilled. */
static bool find_kept_text(const struct planned *of, uint32_t number, const char *name)
{
	bool is_test = number >= BPF_SPAN_TEST && number < BPF_SPAN_GROUP;
	const struct bpf_span_wish wish = {name, true,
					   is_test ? (uint8_t)(number - BPF_SPAN_TEST + 1) : 0};
	struct error ignored = {0};
	uint8_t kept;

	if (bpf_span_find_kept(of->entry, &of->found_entry, &wish, &kept, &ignored) <= 0)
		return false;
	of->point->field[number] = (struct bpf_span_field){.at = BPF_SPAN_OF_ENTRY,
							   .argument = kept,
							   .text = BPF_SPAN_TEXT_MEMORY,
							   .is_text = !is_test};
	return true;
}

/* Finds a text that the programs can read: one of the tracepoint, or of the program's memory, or the thread's name. */
static bool find_text(const struct planned *of, uint32_t number, const char *name)
{
	struct bpf_span_field *field = &of->point->field[number];
	struct error ignored = {0};
	int code = of->found.count ? bpf_span_find_field(of->probe, &of->found, number, name, true,
							 &ignored)
				   : bpf_span_find_text(of->format, name, field);

	if (code < 0 || (!code && strcmp(name, "comm") != 0))
		return !code && find_kept_text(of, number, name);
	if (!code || of->found.count)
		*field = (struct bpf_span_field){.at = BPF_SPAN_OF_TEXT,
						 .is_text = true,
						 .text = code ? BPF_SPAN_TEXT_MEMORY
							      : BPF_SPAN_TEXT_COMM};
	return true;
}

static int need_key(const struct planned *of, uint32_t number, const char *name)
{
	return find_text(of, number, name) ? 0 : need(of, number, name);
}

static int plan_pattern(const struct planned *of, uint32_t index, const struct counted_test *test)
{
	struct bpf_span_plan *plan = of->plan;
	uint32_t number = BPF_SPAN_TEST + index;

	if (!find_text(of, number, test->field) ||
	    !bpf_span_is_short_text(&of->point->field[number]))
		return error_say(of->err, ENOTSUP, "its field '%s' is not a short text",
				 test->field);
	if (plan->patterns == BPF_SPAN_PATTERNS)
		return error_say(of->err, ENOTSUP, "it has more than %d patterns of texts",
				 BPF_SPAN_PATTERNS);
	if (bpf_comm_fill(&plan->pattern[plan->patterns], &test->pattern, 1, of->err))
		return -ENOTSUP;
	of->match[index].pattern = ++plan->patterns;
	return 0;
}

static int plan_text_test(const struct planned *of, uint32_t index, const struct counted_test *test)
{
	struct bpf_span_match *match = &of->match[index];

	if (test->pattern)
		return plan_pattern(of, index, test);
	if (test->length >= BPF_SPAN_SHORT_TEXT - 1 ||
	    !find_text(of, BPF_SPAN_TEST + index, test->field))
		return error_say(of->err, ENOTSUP, "its field '%s' is not a short text",
				 test->field);
	memcpy(match->wanted, test->text, test->length);
	memset(match->mask, 0xff, test->is_prefix ? test->length : BPF_SPAN_SHORT_TEXT);
	match->is_unequal = test->compare == COUNTED_UNEQUAL;
	return 0;
}

static int plan_test(const struct planned *of, uint32_t index, const struct counted_test *test)
{
	static const uint8_t compare[] = {
		[COUNTED_EQUAL] = BPF_SPAN_EQUAL,
		[COUNTED_UNEQUAL] = BPF_SPAN_UNEQUAL,
		[COUNTED_LESS] = BPF_SPAN_LESS,
		[COUNTED_LESS_EQUAL] = BPF_SPAN_LESS_EQUAL,
		[COUNTED_GREATER] = BPF_SPAN_GREATER,
		[COUNTED_GREATER_EQUAL] = BPF_SPAN_GREATER_EQUAL,
	};
	uint32_t number = BPF_SPAN_TEST + index;
	int code = test->text ? plan_text_test(of, index, test) : need(of, number, test->field);
	bool is_kept = test->text && of->point->field[number].at == BPF_SPAN_OF_ENTRY;

	of->point->test[index] =
		(struct bpf_span_test){.number = is_kept ? true : test->number,
				       .compare = is_kept ? BPF_SPAN_EQUAL : compare[test->compare],
				       .is_signed = test->is_negative ||
						    of->point->field[number].is_signed,
				       .is_alternative = test->is_alternative};
	return code;
}

static int plan_point(const struct planned *of, const struct counted_point *point, uint32_t keys)
{
	int code = 0;

	for (uint32_t i = 0; i < keys && !code; i++) {
		of->point->mask[i] = point->mask[i] ? point->mask[i] : UINT64_MAX;
		code = need_key(of, BPF_SPAN_KEY + i, point->key[i]);
	}
	for (uint32_t i = 0; i < point->tests && !code; i++)
		code = plan_test(of, i, &point->test[i]);
	of->point->tests = point->tests;
	return code;
}

static bool is_of_side(const struct planned *of, int i, int side)
{
	static const uint8_t of_point[BPF_SPAN_POINTS] = {
		[BPF_SPAN_BEGIN] = BPF_SPAN_BEGIN,   [BPF_SPAN_BEGIN_2] = BPF_SPAN_BEGIN,
		[BPF_SPAN_END] = BPF_SPAN_END,       [BPF_SPAN_END_2] = BPF_SPAN_END,
		[BPF_SPAN_END_3] = BPF_SPAN_END,     [BPF_SPAN_END_4] = BPF_SPAN_END,
		[BPF_SPAN_CANCEL] = BPF_SPAN_CANCEL, [BPF_SPAN_CANCEL_2] = BPF_SPAN_CANCEL,
	};

	return of[i].format && of_point[i] == side;
}

/* Finds the field in all events of one side. Returns how many events have it, of how many; or -ENOTSUP. */
static int find_all(const struct planned *of, int side, uint32_t number, const char *name,
		    int *events)
{
	int found = 0;

	*events = 0;
	for (int i = 0; i < BPF_SPAN_POINTS; i++) {
		int code = is_of_side(of, i, side) ? find(&of[i], number, name) : 0;

		if (code < 0)
			return code;
		found += code;
		*events += is_of_side(of, i, side);
	}
	return found;
}

/* All begins must have the field. */
static int need_all(const struct planned *of, uint32_t number, const char *name)
{
	int events, found = find_all(of, BPF_SPAN_BEGIN, number, name, &events);

	if (found < 0)
		return found;
	if (!found)
		return error_say(of->err, ENOTSUP, "it has no number '%s'", name);
	return found == events
		       ? 0
		       : error_say(of->err, ENOTSUP, "not all its begins have a number '%s'", name);
}

/* Uses the field of the begins, or otherwise of the ends, of which some may lack it. */
static int plan_either(const struct planned *of, uint32_t number, const char *name)
{
	int events, found;

	if (!name)
		return 0;
	found = find_all(of, BPF_SPAN_BEGIN, number, name, &events);
	if (!found)
		found = find_all(of, BPF_SPAN_END, number, name, &events);
	else if (found > 0)
		return need_all(of, number, name);
	if (!found)
		return error_say(of->err, ENOTSUP, "it has no number '%s'", name);
	return found < 0 ? found : 0;
}

/* Returns how many events of the side have the text, of how many. */
static int find_texts(const struct planned *of, int side, const char *name, int *events)
{
	int found = 0;

	*events = 0;
	for (int i = 0; i < BPF_SPAN_POINTS; i++) {
		*events += is_of_side(of, i, side);
		found += is_of_side(of, i, side) && find_text(&of[i], BPF_SPAN_GROUP, name);
	}
	return found;
}

/* Returns whether the group is a text of all begins, or of all ends. */
static bool plan_texts(const struct planned *of, const char *name)
{
	int events, found = name ? find_texts(of, BPF_SPAN_BEGIN, name, &events) : 0;

	if (name && !found && !find_all(of, BPF_SPAN_BEGIN, BPF_SPAN_GROUP, name, &events))
		found = find_texts(of, BPF_SPAN_END, name, &events);
	return found && found == events;
}

/* Uses the field whose value chooses the names of this event's groups, if there is one. */
static int plan_chooser(struct bpf_span_spec *spec, const struct planned *of, const char *group)
{
	bool is_here = of->point->field[BPF_SPAN_GROUP].at == BPF_SPAN_NUMBER && !of->found.count;
	char *chooser = is_here ? decode_chooser(of->format, group) : NULL;
	int code = chooser ? need(of, BPF_SPAN_CHOOSER, chooser) : 0;

	spec->has_chooser |= chooser != NULL;
	free(chooser);
	return code;
}

static int plan_named(struct bpf_span_spec *spec, const struct planned *of, const char *group)
{
	int code = plan_either(of, BPF_SPAN_GROUP, group);

	for (int i = 0; i < BPF_SPAN_POINTS && !code; i++)
		code = plan_chooser(spec, &of[i], group);
	return code;
}

/* Process and thread are those of the begin. */
static int plan_group(struct bpf_span_spec *spec, const struct planned *of,
		      const struct counted_span *span)
{
	static const uint8_t at[] = {
		[COUNTED_BY_PROCESS] = BPF_SPAN_PID,
		[COUNTED_BY_THREAD] = BPF_SPAN_TID,
		[COUNTED_BY_USER] = BPF_SPAN_UID,
		[COUNTED_BY_CGROUP] = BPF_SPAN_CGROUP,
	};
	bool is_task = span->by == COUNTED_BY_PROCESS || span->by == COUNTED_BY_THREAD;

	if (span->by == COUNTED_BY_GROUP && plan_texts(of, span->group)) {
		spec->has_group_text = true;
		return 0;
	}
	if (span->by == COUNTED_BY_GROUP || span->by == COUNTED_BY_OWNER ||
	    span->by == COUNTED_BY_FILE_SYSTEM || span->by == COUNTED_BY_FILE ||
	    span->by == COUNTED_BY_CONNECTION)
		return plan_named(spec, of, span->group);
	if (is_task && span->is_owner_in_key)
		return need_all(of, BPF_SPAN_GROUP, span->point[COUNTED_BEGIN].key[0]);
	for (int i = 0; i < BPF_SPAN_POINTS && (size_t)span->by < sizeof(at); i++)
		if (is_of_side(of, i, BPF_SPAN_BEGIN))
			of[i].point->field[BPF_SPAN_GROUP].at = at[span->by];
	return 0;
}

/* The size of an end counts beside that of the begin. */
static int plan_flights(struct bpf_span_spec *spec, const struct planned *of,
			const struct counted_span *span)
{
	const struct counted_flights *flights = &span->flights;
	int code = 0, events;

	spec->has_about = span->about != NULL;
	if (span->about)
		code = need_all(of, BPF_SPAN_WHAT, span->group);
	if (code || !flights->is_wanted)
		return code;
	if (flights->result)
		code = find_all(of, BPF_SPAN_END, BPF_SPAN_OUTCOME, flights->result, &events);
	if (code >= 0 && span->size)
		code = find_all(of, BPF_SPAN_END, BPF_SPAN_SIZE, span->size, &events);
	spec->has_async = flights->has_async;
	spec->has_outcome = flights->result != NULL;
	spec->is_read_of_end = flights->read.is_of_end;
	spec->is_written_of_end = flights->written.is_of_end;
	spec->read_header = flights->read.header;
	spec->written_header = flights->written.header;
	return code < 0 ? code : 0;
}

static struct planned planned_of(struct bpf_span_plan *plan, const struct counted_span *span,
				 const struct bpf_span_source *from, int i, struct error *err)
{
	return (struct planned){
		.point = &plan->spec.point[i],
		.offsets = &plan->offsets[i],
		.format = from->format[i],
		.probe = &plan->probes.of[i],
		.entry = &plan->probes.entry[i],
		.match = plan->match[i],
		.plan = plan,
		.found = bpf_span_find_probe(from->probes, span->point[i].event),
		.found_entry = bpf_span_find_probe(from->probes, span->point[i].entry),
		.err = err,
	};
}

static bool is_cancel(int i)
{
	return i == BPF_SPAN_CANCEL || i == BPF_SPAN_CANCEL_2;
}

static int plan_points(struct bpf_span_plan *plan, const struct counted_span *span,
		       const struct bpf_span_source *from, struct planned of[BPF_SPAN_POINTS],
		       struct error *err)
{
	int code = 0;

	for (int i = 0; i < BPF_SPAN_POINTS; i++) {
		of[i] = planned_of(plan, span, from, i, err);
		if (of[i].found.count)
			code = bpf_span_find_sites(of[i].probe, &of[i].found, err);
		plan->spec.is_interleaved |= of[i].found.count > 0;
		if (!code && from->format[i])
			code = plan_point(&of[i], &span->point[i],
					  is_cancel(i) ? span->cancel_keys : span->keys);
		if (code && of[i].found.count)
			return error_wrap(err, "%s", of[i].found.probe->text);
		if (code)
			return error_wrap(err, "tracepoint %s", span->point[i].event);
	}
	return 0;
}

/* Returns whether this is the first key of all events. */
static bool has_first_key(const struct planned *of, const struct counted_span *span, uint8_t at)
{
	bool has = true;

	for (int i = 0; i < BPF_SPAN_POINTS && has; i++)
		has = !of[i].format ||
		      (!span->point[i].mask[0] && of[i].point->field[BPF_SPAN_KEY].at == at);
	return has;
}

int bpf_span_plan(struct bpf_span_plan *plan, const struct counted_span *span,
		  const struct bpf_span_source *from, struct error *err)
{
	struct bpf_span_spec *spec = &plan->spec;
	struct planned of[BPF_SPAN_POINTS];
	int code;

	*plan = (struct bpf_span_plan){0};
	code = plan_points(plan, span, from, of, err);
	if (code)
		return code;
	code = plan_group(spec, of, span);
	if (!code)
		code = plan_either(of, BPF_SPAN_SIZE, span->size);
	if (!code)
		code = plan_flights(spec, of, span);
	if (!code && span->flights.is_wanted && bpf_span_has_key_text(spec))
		code = error_say(err, ENOTSUP, "its key has a text, which is shown if it hangs");
	bpf_span_size_texts(spec);
	spec->above = span->above;
	spec->keys = span->keys;
	spec->has_group = span->by == COUNTED_BY_GROUP ? span->group != NULL
						       : span->by != COUNTED_BY_NOTHING;
	spec->owner = span->by == COUNTED_BY_OWNER         ? BPF_SPAN_OF_KEY
		      : span->by == COUNTED_BY_CONNECTION  ? BPF_SPAN_OF_CONNECTION
		      : span->by == COUNTED_BY_FILE_SYSTEM ? BPF_SPAN_OF_FILE_SYSTEM
		      : span->is_of_operations             ? BPF_SPAN_OF_OPERATION
							   : BPF_SPAN_NO_OWNER;
	spec->chunks = span->by == COUNTED_BY_FILE ? BPF_SPAN_CHUNKS : 0;
	spec->by_mode = span->by == COUNTED_BY_MODE;
	spec->has_async_operations = span->has_async_operations;
	bpf_span_use_known(spec, span);
	spec->has_user = span->has_user;
	spec->user = span->user;
	spec->is_everywhere = span->is_everywhere;
	spec->is_owner_in_key = span->is_owner_in_key;
	/* Then each thread has one place for its spans, which only this thread changes. */
	spec->is_of_thread = span->keys == 1 && has_first_key(of, span, BPF_SPAN_TID);
	spec->is_of_process = has_first_key(of, span, BPF_SPAN_PID);
	spec->has_ends = of[BPF_SPAN_END_2].format != NULL;
	spec->part = of[BPF_SPAN_CANCEL].format && span->cancel_keys < span->keys
			     ? (uint8_t)span->cancel_keys
			     : 0;
	spec->hashed_keys = spec->is_of_process ? 1 : spec->part;
	return code;
}

static uint8_t width_of(uint8_t size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void bpf_span_patch(struct bpf_insn *insn, size_t count, const struct bpf_span_offsets *offsets)
{
	for (size_t i = 0; i < count; i++) {
		int number = (insn[i].off - BPF_SPAN_MARK) / 8;

		if (insn[i].code != (BPF_LDX | BPF_MEM | BPF_DW) || insn[i].off < BPF_SPAN_MARK ||
		    number >= BPF_SPAN_FIELDS || !offsets->field[number].size)
			continue;
		insn[i].off = (int16_t)offsets->field[number].offset;
		insn[i].code = BPF_LDX | BPF_MEM | width_of(offsets->field[number].size);
	}
}
