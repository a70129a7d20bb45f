/* stat_hang: see stat_hang.h. */
#include "stat_hang.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANGS_MOST = 256, WAIT_MS = 50, NAME_MOST = 4096 };

static const uint64_t patience = UINT64_C(3000000000); /* for an answer about a hang, ns */

int stat_hangs_open(struct stat_hangs *hangs, const char *command, struct error *err)
{
	*hangs = (struct stat_hangs){.has_command = command != NULL,
				     .watch = watch_new(command, err)};
	return hangs->watch ? 0 : -EIO;
}

void stat_hangs_close(struct stat_hangs *hangs)
{
	for (uint32_t i = 0; i < hangs->count; i++)
		free(hangs->hang[i]);
	free(hangs->hang);
	free(hangs->list);
	watch_free(hangs->watch);
}

static bool is_same(const struct span_seen *a, const struct span_seen *b)
{
	return a->begin == b->begin && a->tid == b->tid && a->group == b->group &&
	       !memcmp(a->key, b->key, sizeof(a->key));
}

static void see(struct stat_hangs *hangs, const struct span_seen *seen)
{
	struct stat_hang *hang;

	for (uint32_t i = 0; i < hangs->count; i++) {
		if (!is_same(&hangs->hang[i]->shown.seen, seen))
			continue;
		hangs->hang[i]->shown.seen = *seen;
		hangs->hang[i]->is_seen = true;
		return;
	}
	hangs->met++;
	if (hangs->count == HANGS_MOST)
		return;
	hang = mem_zero(sizeof(*hang));
	hang->shown.seen = *seen;
	hang->is_seen = true;
	MEM_GROW(hangs->hang, hangs->cap, hangs->count + 1);
	hangs->hang[hangs->count++] = hang;
}

/* What is no longer seen has ended. */
static void forget(struct stat_hangs *hangs)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < hangs->count; i++) {
		struct stat_hang *hang = hangs->hang[i];

		if (!hang->is_seen) {
			free(hang);
			continue;
		}
		hang->is_seen = false;
		hangs->hang[kept++] = hang;
	}
	hangs->count = kept;
}

static const char *given(const char *text)
{
	return *text ? text : NULL;
}

static void learn(struct stat_hangs *hangs, const struct watch_task *task)
{
	for (uint32_t i = 0; i < hangs->count; i++) {
		struct stat_hang *hang = hangs->hang[i];

		if (hang->shown.seen.pid != task->pid || hang->shown.seen.tid != task->tid ||
		    !hang->is_asked || hang->is_answered)
			continue;
		hang->is_answered = true;
		hang->task = *task;
		hang->shown.comm = given(hang->task.comm);
		hang->shown.user = given(hang->task.user);
		hang->shown.group = given(hang->task.group);
		hang->shown.call = given(hang->task.call);
		hang->shown.file = given(hang->task.file);
		hang->shown.to = given(hang->task.to);
		hang->shown.wchan = given(hang->task.wchan);
		hang->shown.stack = given(hang->task.stack);
	}
}

/* Returns whether an answer is due. */
static bool ask(struct stat_hangs *hangs)
{
	bool waits = false;

	for (uint32_t i = 0; i < hangs->count; i++) {
		struct stat_hang *hang = hangs->hang[i];
		const struct span_seen *seen = &hang->shown.seen;

		if (!hang->is_asked && seen->pid) {
			hang->is_asked = watch_ask(hangs->watch, seen->pid, seen->tid);
			hang->asked = probe_now();
		}
		waits |= hang->is_asked && !hang->is_answered;
	}
	return waits;
}

static void collect(struct stat_hangs *hangs)
{
	uint64_t until = probe_now() + WAIT_MS * UINT64_C(1000000);
	struct watch_task task;

	while (ask(hangs)) {
		uint64_t now = probe_now();
		int left = now < until ? (int)((until - now) / 1000000) : 0;

		if (!watch_answer(hangs->watch, &task, left))
			return;
		learn(hangs, &task);
	}
}

/*
 * Adds a variable. Names and keys come from traced programs and may have several lines, of which each would be a variable of its own.
 */
static void add_variable(char **lines, const char *name, const char *value)
{
	size_t begin = strlen(*lines);

	mem_append(lines, "IOTRACE_HANG_%s=%s", name, value ? value : "");
	for (char *at = *lines + begin; *at; at++)
		if (*at == '\n')
			*at = ' ';
	mem_append(lines, "\n");
}

/* The names are those of the keys of the JSON. The caller frees the text. */
static char *environment_of(const struct frame_report *report, const struct stat_hang *hang)
{
	const struct span_seen *seen = &hang->shown.seen;
	char group[NAME_MOST], key[NAME_MOST], number[24], *lines = mem_strdup("");

	frame_group_name(report, seen->group, group, sizeof(group));
	frame_hang_key(report, seen, key, sizeof(key));
	add_variable(&lines, "VIEW", report->view);
	add_variable(&lines, "NAME", group);
	add_variable(&lines, "KEY", key);
	snprintf(number, sizeof(number), "%u", seen->pid);
	add_variable(&lines, "PID", number);
	snprintf(number, sizeof(number), "%u", seen->tid);
	add_variable(&lines, "TID", number);
	add_variable(&lines, "USER", hang->shown.user);
	add_variable(&lines, "GROUP", hang->shown.group);
	add_variable(&lines, "CALL", hang->shown.call);
	add_variable(&lines, "FILE", hang->shown.file);
	add_variable(&lines, "TO", hang->shown.to);
	add_variable(&lines, "WCHAN", hang->shown.wchan);
	return lines;
}

bool stat_hang_is_due(const struct stat_hang *hang)
{
	return hang->is_answered || !hang->is_asked || probe_now() - hang->asked >= patience;
}

static void run(struct stat_hangs *hangs, const struct frame_report *report, struct stat_hang *hang)
{
	char *environment, *input;

	if (hang->has_run || !stat_hang_is_due(hang))
		return;
	environment = environment_of(report, hang);
	input = frame_hang_line(report, &hang->shown);
	hang->has_run = watch_run(hangs->watch, environment, input);
	free(input);
	free(environment);
}

void stat_hangs_take(struct stat_hangs *hangs, struct frame_report *report)
{
	const struct frame *frame = report->frame;

	for (uint32_t i = 0; i < frame->hangs; i++)
		see(hangs, &frame->hang[i]);
	forget(hangs);
	if (!hangs->count)
		return;
	collect(hangs);
	MEM_GROW(hangs->list, hangs->list_cap, hangs->count);
	for (uint32_t i = 0; i < hangs->count; i++) {
		hangs->list[i] = hangs->hang[i]->shown;
		if (hangs->has_command)
			run(hangs, report, hangs->hang[i]);
	}
	report->hang = hangs->list;
	report->hangs = hangs->count;
}
