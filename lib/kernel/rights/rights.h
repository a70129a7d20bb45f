/*
 * rights: what the kernel refused, in words that say which command allows it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Returns the command that gives this program's file what it needs for all that an ordinary user may record. */
char *rights_setcap(void); /* to be freed */
void rights_hint_setcap(struct error *err);
/* Returns whether a program could get this capability from its file here: what is beyond the bounding set fails its exec. */
bool rights_may_get(unsigned capability);
/* Returns -code with all that keeps a user from recording once tracefs was refused, and one command for all of it. */
int rights_explain_all(struct error *err, int code, bool is_machine);
/* Returns a number that stands in a file such as /proc/sys/kernel/perf_event_paranoid, or `otherwise`. */
long rights_number(const char *path, long otherwise);
/* The ring of each CPU by default, in bytes. */
enum { RIGHTS_RING_DEFAULT = 16 << 20 };
/* Returns what kernel.perf_event_mlock_kb must be for a ring of so many bytes, with the page that the kernel adds. */
long rights_mlock_kb(uint64_t ring);
enum { RIGHTS_MACHINE = -1 };

/*
 * Returns -code with a sentence about why an event could not be opened for a thread (0: one of our own), or for
 * the whole machine.
 */
int rights_explain(struct error *err, int code, const char *name, int tid,
		   unsigned long descriptors);

/* Returns whether all tasks of the machine have a number here: not in a pid namespace of one's own. */
bool rights_sees_all_tasks(void);
/* Returns whether CAP_PERFMON is not enough to open events: kernels of Debian and Ubuntu while perf_event_paranoid is above 2. */
bool rights_takes_admin(void);
