/*
 * uprobes: probes of programs, as tracepoints of the kernel.
 *
 * A line in uprobe_events makes a probe a tracepoint, with a format file; all that follows is as for any other. (The uprobe PMU of perf
 * needs no such line, but its samples have no arguments: only BPF programs could fetch them, and perf would be left without.)
 *
 * The lines are of the whole machine. So they stand in a group with the number of this process, "iotrace_4711". They are removed at the
 * end; if a recorder is killed, they stay, disabled and without cost, until another one removes them.
 */
#pragma once

#include <iotrace/recording.h>

struct error;
struct tracefs;

struct uprobes {
	int fd; /* uprobe_events; -1: closed. It stays open: at the end there are no more rights to open it */
	const struct recording_probes *probes; /* lent */
	uint32_t made;
};

void uprobes_init(struct uprobes *uprobes);
/* Makes the probes. Returns 0, or -errno with a sentence. Needs no file if there are none. */
int uprobes_open(struct uprobes *uprobes, const struct tracefs *tracefs,
		 const struct recording_probes *probes, struct error *err);
/* Removes them; their events must be closed. */
void uprobes_close(struct uprobes *uprobes);
/* Returns 0 if this user may make probes here, or -errno with a sentence. */
int uprobes_check(const struct tracefs *tracefs, struct error *err);
