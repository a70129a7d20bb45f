/*
 * selection_state: what is recorded of a process.
 *
 * Each command that joins a recording may have its own --path, --comm and --syscalls. Commands with the same options have the
 * same selection, and so have their descendants. All other processes have the first selection.
 *
 * Included by state.h: the types are part of struct model. The functions are in file/name_filter.c (--path) and task/choice.c.
 */
#pragma once

#include <iotrace/strtab.h>

struct selection {
	struct name_filter *names; /* --path; NULL: all files */
	str_id *comm;              /* globs of command names; empty: all tasks */
	uint32_t comms, comm_cap;
	uint32_t groups; /* call groups, as in --syscalls; 0: all that are in the stream */
};
