/* daemon_hang: see daemon_hang.h. A group is a view, a kind and an owner, from the highest bits on. */
#include "daemon_hang.h"

#include "analysis/span_run.h"
#include "daemon_name.h"

#include <iotrace/counted_owner.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/mount_names.h>
#include <iotrace/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_SHIFT = 60, KIND_SHIFT = 32, KIND_MASK = 0xffffff };

int daemon_hangs_open(struct daemon_hangs *hangs, const char *command, struct mount_names *names,
		      struct error *err)
{
	*hangs = (struct daemon_hangs){.names = names};
	return stat_hangs_open(&hangs->hangs, command, err);
}

void daemon_hangs_close(struct daemon_hangs *hangs)
{
	stat_hangs_close(&hangs->hangs);
	free(hangs->list);
}

void daemon_hangs_add(struct daemon_hangs *hangs, uint32_t view, const struct frame *frame)
{
	for (uint32_t i = 0; i < frame->hangs; i++) {
		uint64_t group = frame->hang[i].group;

		MEM_GROW(hangs->list, hangs->cap, hangs->count + 1);
		hangs->list[hangs->count] = frame->hang[i];
		hangs->list[hangs->count++].group = (uint64_t)view << VIEW_SHIFT |
						    (uint64_t)(counted_class(group) & KIND_MASK)
							    << KIND_SHIFT |
						    counted_owner(group);
	}
}

static size_t name(const void *context, const struct frame_row *row, char *text, size_t size)
{
	static const char *const views[PUBLICATION_VIEWS] = {"device", "fs", "fuse"};
	const struct daemon_hangs *hangs = context;
	struct publication_row of = {.view = (uint32_t)(row->group >> VIEW_SHIFT),
				     .owner = (uint32_t)row->group,
				     .kind = row->group >> KIND_SHIFT & KIND_MASK};
	int length;

	daemon_name_row(hangs->names, &of);
	length = snprintf(text, size, "%s %s %s", views[of.view], of.name, of.operation);
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static void log_one(const struct frame_report *report, const struct stat_hang *hang)
{
	struct frame_report one = *report;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	one.hang = &hang->shown;
	one.hangs = 1;
	frame_hangs_text(&one, out);
	fclose(out);
	log_warn("something hangs: %.*s", (int)strcspn(text + (size > 3 ? 3 : 0), "\n"),
		 text + (size > 3 ? 3 : 0)); /* without the mark */
	free(text);
}

static void log_new(struct daemon_hangs *hangs, const struct frame_report *report)
{
	for (uint32_t i = 0; i < hangs->hangs.count; i++) {
		struct stat_hang *hang = hangs->hangs.hang[i];

		if (hang->is_told || !stat_hang_is_due(hang))
			continue;
		hang->is_told = true;
		log_one(report, hang);
	}
}

void daemon_hangs_tell(struct daemon_hangs *hangs, const struct span_run *run, uint64_t now)
{
	const struct frame frame = {.to = now, .hang = hangs->list, .hangs = hangs->count};
	struct frame_report report = {
		.engine = run->engine,
		.name = name,
		.name_context = hangs,
		.frame = &frame,
		.view = "all",
		.realtime = trace_host(run_trace(run->run))->realtime_offset,
	};

	if (hangs->count)
		mount_names_look(hangs->names);
	stat_hangs_take(&hangs->hangs, &report);
	log_new(hangs, &report);
	hangs->count = 0;
}
