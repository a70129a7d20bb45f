/* live_span: see live_span.h, and <iotrace/counted.h> for the results. */
#include "live_span.h"

#include "clock.h"
#include "count/bpf_span.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/counted_owner.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t groups_apart_ns = 1000000000;

/* What a user with lent rights may not see must not appear as a group either. */
static bool has_secret(const struct live *live, const struct counted_span *span)
{
	bool has = false;

	for (int i = 0; confine_is_lent() && i < COUNTED_POINTS; i++) {
		const char *event = span->point[i].event;
		char *system = event ? mem_strdup(event) : NULL, *name, *format;

		if (!system)
			continue;
		name = strchr(system, ':');
		if (name)
			*name++ = '\0';
		format = tracefs_format(&live->tracefs, system, name ? name : "", NULL);
		has |= format && tracefs_has_address(system, format);
		free(format);
		free(system);
	}
	return has;
}

/* One of those that are recorded; -1: all of the machine. */
static pid_t process_of(const struct live *live)
{
	if (live->set.target != TARGET_THREAD)
		return -1;
	if (live->command.pid || live->placeholder.pid)
		return live->command.pid ? live->command.pid : live->placeholder.pid;
	return (pid_t)live->recording->pids.item[0];
}

static void open_span(struct live *live, const struct counted_span *span, struct live_span *of)
{
	const struct bpf_span_options options = {.span = span,
						 .source = live->bpf.source,
						 .tracefs = &live->tracefs,
						 .probes = &live->recording->probes,
						 .pid = process_of(live),
						 .cpu = live->set.cpu[0],
						 .device = live->device,
						 .devices = live->devices,
						 .is_system = live->set.target != TARGET_THREAD};
	struct error why = {0};

	if (!live->bpf.source)
		error_say(&why, ENOTSUP, "calls are recorded with perf");
	else if (has_secret(live, span))
		error_say(&why, EPERM, "its events have addresses in the kernel");
	else
		of->object = bpf_span_open(&options, &why);
	if (of->object && span->by == COUNTED_BY_CGROUP && live->spans.groups.top <= 0)
		cgroup_names_open(&live->spans.groups, &live->proc, false);
	if (of->object) {
		live->block_programs.is_counted |= span->requests != COUNTED_NO_REQUESTS;
		log_info(
			"span '%s' is counted in the kernel, with room for %u open ones, in %.1f MiB",
			span->name, span->room, (double)bpf_span_memory(of->object) / (1 << 20));
		return;
	}
	snprintf(of->why, sizeof(of->why), "%.*s", (int)sizeof(of->why) - 1, why.text);
	log_info("span '%s' is not counted in the kernel: %s", span->name, of->why);
}

void live_span_open(struct live *live)
{
	const struct recording *recording = live->recording;

	live->spans.span = mem_array(recording->counted_count ? recording->counted_count : 1,
				     sizeof(*live->spans.span));
	for (uint32_t i = 0; i < recording->counted_count; i++)
		open_span(live, &recording->counted[i], &live->spans.span[i]);
}

static uint32_t count_of(const struct live *live)
{
	return live->spans.span ? live->recording->counted_count : 0;
}

bool live_span_counts_all(const struct live *live)
{
	bool counts_all = live->recording->are_all_counted;

	for (uint32_t i = 0; i < count_of(live); i++)
		counts_all = counts_all && live->spans.span[i].object;
	return counts_all;
}

void live_span_give_up(struct live *live)
{
	for (uint32_t i = 0; i < count_of(live); i++) {
		struct live_span *span = &live->spans.span[i];

		if (!span->object)
			continue;
		bpf_span_close(span->object);
		span->object = NULL;
		snprintf(span->why, sizeof(span->why), "calls are recorded for another span");
		log_info("span '%s' is not counted in the kernel: %s",
			 live->recording->counted[i].name, span->why);
		live->block_programs.is_counted = false;
	}
}

void live_span_start(struct live *live)
{
	const uint32_t *pid = live->recording->own_pid;
	const pid_t own[BPF_SPAN_HELPERS] = {
		[BPF_SPAN_OPENER] = live->reopen.opener.pid,
		[BPF_SPAN_WATCH] = (pid_t)pid[RECORDING_OWN_WATCH],
		[BPF_SPAN_DISPLAY] = (pid_t)pid[RECORDING_OWN_DISPLAY],
	};

	for (uint32_t i = 0; i < count_of(live); i++) {
		struct live_span *span = &live->spans.span[i];

		if (!span->object)
			continue;
		bpf_span_leave_out(span->object, own);
		span->missed = bpf_span_missed(span->object);
		bpf_span_enable(span->object, true);
	}
	live->spans.begun = clock_now();
}

/* Adds a gap that concerns spans only; recorded calls are complete. */
static void add_gap_fact(struct live *live, enum fact_gap kind, uint64_t count)
{
	if (count)
		facts_add(&live->facts,
			  &(struct fact){.kind = FACT_GAP,
					 .number = {[FACT_GAP_kind] = kind,
						    [FACT_GAP_count] = count,
						    [FACT_GAP_is_of_tasks] = true}},
			  0, clock_now());
}

void live_span_stop(struct live *live)
{
	for (uint32_t i = 0; i < count_of(live); i++)
		if (live->spans.span[i].object)
			bpf_span_enable(live->spans.span[i].object, false);
	live->spans.ended = clock_now();
	for (uint32_t i = 0; i < count_of(live); i++) {
		struct live_span *span = &live->spans.span[i];
		struct counted_books books = {0};

		if (!span->object)
			continue;
		span->missed = bpf_span_missed(span->object) - span->missed;
		bpf_span_add_books(span->object, &books);
		add_gap_fact(live, GAP_MISSED, span->missed);
		add_gap_fact(live, GAP_UNKEPT, books.full);
		add_gap_fact(live, GAP_FOREIGN, books.foreign);
	}
}

void live_span_add_group_facts(struct live *live)
{
	uint64_t now = clock_now();

	if (live->spans.groups.top <= 0 || now < live->spans.groups_at + groups_apart_ns)
		return;
	live->spans.groups_at = now;
	cgroup_names_add_facts(&live->spans.groups, &live->facts);
}

void live_span_close(struct live *live)
{
	cgroup_names_close(&live->spans.groups);
	for (uint32_t i = 0; i < count_of(live); i++)
		bpf_span_close(live->spans.span[i].object);
	free(live->spans.span);
	live->spans.span = NULL;
}

const char *live_counted_why(const struct live *live, uint32_t index)
{
	const struct live_span *span = &live->spans.span[index];

	return span->object ? NULL : span->why;
}

struct counted_books live_counted_books(const struct live *live, uint32_t index)
{
	const struct live_span *span = &live->spans.span[index];
	/* While it runs, span->missed is what was missed before it began. */
	uint64_t missed = live->spans.ended ? span->missed
					    : bpf_span_missed(span->object) - span->missed;
	struct counted_books books = {.missed = missed,
				      .first = live->spans.begun,
				      .last = live->spans.ended};

	bpf_span_add_books(span->object, &books);
	return books;
}

const uint64_t *live_counted_errors(const struct live *live, uint32_t index)
{
	return bpf_span_errors(live->spans.span[index].object);
}

void live_counted_parts(const struct live *live, uint32_t index,
			void (*call)(void *context, const struct counted_part *part), void *context)
{
	bpf_span_parts(live->spans.span[index].object, call, context);
}

void live_counted_take(const struct live *live, uint32_t index,
		       void (*call)(void *context, const struct counted_part *part), void *context)
{
	bpf_span_take(live->spans.span[index].object, call, context);
}

void live_counted_flights(const struct live *live, uint32_t index, uint64_t now,
			  void (*call)(void *context, const struct counted_flight *flight),
			  void *context)
{
	bpf_span_flights(live->spans.span[index].object, now, call, context);
}

const char *live_counted_text(const struct live *live, uint32_t index, uint64_t group)
{
	return bpf_span_text(live->spans.span[index].object, group);
}

bool live_counted_chooser(const struct live *live, uint32_t index, uint64_t *value)
{
	return bpf_span_chooser(live->spans.span[index].object, value);
}

int live_counted_open(struct live *live, uint32_t index,
		      void (*call)(void *context, const struct counted_open *open), void *context)
{
	return bpf_span_left(live->spans.span[index].object, call, context);
}
