/*
 * uprobes: probes of programs, as tracepoints of the kernel.
 *
 * A line in uprobe_events makes a probe a tracepoint, with a format file, so that all other code treats it as any other
 * tracepoint. (The uprobe PMU of perf needs no such line, but its samples have no arguments: only BPF programs could fetch them,
 * and perf would have none.)
 *
 * The lines belong to the whole machine, so their group has the number of this process, "iotrace_4711". iotrace removes them at
 * the end. If a recorder is killed, they stay, disabled and without cost, until another recorder removes them.
 */
#pragma once

#include <iotrace/recording.h>

struct error;
struct tracefs;

struct uprobes {
	/* uprobe_events; -1: closed. It stays open, because iotrace has no right to open it at the end. */
	int fd;
	const struct recording_probes *probes; /* lent */
	uint32_t made;
};

void uprobes_init(struct uprobes *uprobes);
/* Makes the probes. Returns 0, or -errno with a message. Without probes, no file is needed. */
int uprobes_open(struct uprobes *uprobes, const struct tracefs *tracefs,
		 const struct recording_probes *probes, struct error *err);
/* Removes the probes. Their events must be closed. */
void uprobes_close(struct uprobes *uprobes);
/* Returns 0 if this user may create probes, or -errno with a message. */
int uprobes_check(const struct tracefs *tracefs, struct error *err);
