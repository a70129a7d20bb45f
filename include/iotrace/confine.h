/*
 * confine: the recorder's own rights: where they come from, when they are used, when they are given up.
 *
 * A program whose file has capabilities (setcap) lends them to its user. They are not the user's own: no path that the
 * user names may be opened with them, and the command must not get them. So lent capabilities lie aside from the
 * start of main(); the thread that needs them raises them for that moment. Root's rights are the user's own and are
 * not laid aside. Either way, a recording gives up what it does not need any more before the command runs, and a
 * filter of system calls leaves what the recorder's threads need from then on: neither can be taken back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/*
 * Called first in main(). Lays lent capabilities aside, or gives them up if the command at hand needs none. Returns 0,
 * or -EPERM with a sentence if the program runs with another user's id: whatever it ran would have that id.
 */
int confine_begin(bool needs_rights, struct error *err);
/* For the calling thread and the threads that it creates: uses the lent capabilities; lays them aside again. */
void confine_raise(void);
void confine_lower(void);
/* For the calling thread: uses one capability, if the program has it; gives it up for good. */
void confine_take(unsigned capability);
void confine_forget(unsigned capability);
/* Returns whether the program's file has lent it capabilities that its user does not have. */
bool confine_is_lent(void);
/* Returns whether the program has a capability (CAP_...), laid aside or not. */
bool confine_may(unsigned capability);

/* In the child, before it execs: what was lent stays behind, and /proc shows the child to its user. */
void confine_child(void);
/* Around fork(): a process with lent capabilities hides from its user, and its child would, too. */
void confine_show(bool is_shown);

/*
 * Gives up all capabilities but those that a recording uses while it runs, in the calling thread: call it before
 * other threads exist.
 */
void confine_drop(bool has_joining);
/*
 * In the process that opens events (kernel/opener): gives up all rights but the one that this takes, and all system calls that it
 * does not need. takes_admin: CAP_PERFMON is not enough.
 */
void confine_helper(bool takes_admin);
/* The second half of that, as confine_filter(). */
int confine_filter_helper(void);
/*
 * Leaves the process the system calls that a recording needs while it runs and converts, for all its threads; any
 * other returns ENOSYS. Signals may be sent to `command` (0: none). Returns 0, -ENOSYS if this build or kernel has no
 * filters, or another -errno.
 */
int confine_filter(pid_t command);
/* Returns whether this build has the filter. */
bool confine_has_filter(void);
