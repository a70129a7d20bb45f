/*
 * confine: the rights of the recorder: where they come from, when they are raised, and when they are dropped.
 *
 * A program file with capabilities (setcap) lends them to its user. The user does not own them: paths from the user
 * must not be opened with them, and the command must not inherit them. So these file capabilities are lowered at
 * the start of main(), and a thread raises them only while it needs them. Root owns its rights, so they are not
 * lowered.
 *
 * In both cases, a recording drops the rights that it no longer needs before the command runs, and then installs a
 * filter of system calls. Neither can be undone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/*
 * Call this first in main(). Lowers file capabilities, or drops them if the subcommand needs none. Returns 0, or -EPERM with a
 * message if the program is set-uid or set-gid, because the command would run with that id.
 */
int confine_begin(bool needs_rights, struct error *err);
/* Raises the file capabilities for the calling thread and the threads that it creates; lowers them again. */
void confine_raise(void);
void confine_lower(void);
/* For the calling thread: raises one capability, if the program has it; drops it permanently. */
void confine_take(unsigned capability);
void confine_forget(unsigned capability);
/* Returns whether the program file has capabilities that its user does not have. */
bool confine_is_lent(void);
/* Returns whether the program has a capability (CAP_...), raised or lowered. */
bool confine_may(unsigned capability);

/* Call this in the child before its exec: drops the file capabilities, and makes /proc show the child to its user. */
void confine_child(void);
/* Call these around fork(): /proc hides a process with file capabilities from its user, and would hide its child, too. */
void confine_show(bool is_shown);

/*
 * Drops all capabilities of the calling thread except those that a running recording uses. Call it before other threads exist.
 */
void confine_drop(bool has_joining);
/*
 * For the process that opens events (kernel/opener): drops all rights except the one to open events, and all system calls that
 * it does not need. takes_admin: CAP_PERFMON is not enough.
 */
void confine_helper(bool takes_admin);
/* The second half of that, as confine_filter(). */
int confine_filter_helper(void);
/*
 * Allows all threads of the process only the system calls that a recording and its conversion need; any other returns ENOSYS.
 * Signals may be sent to `command` (0: none). Returns 0, -ENOSYS if this build or kernel has no filters, or another -errno.
 */
int confine_filter(pid_t command);
/* Returns whether this build has the filter. */
bool confine_has_filter(void);
