/* rights: messages about operations that the kernel refused, with the command that would allow them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Returns the setcap command that gives this program file all rights for a recording by an ordinary user. */
char *rights_setcap(void); /* to be freed */
void rights_hint_setcap(struct error *err);
/* Returns -code with a message that has the only command which lets a user record with BPF. */
int rights_explain_bpf(struct error *err, int code);
/* Returns whether a program file may have this capability here; beyond the bounding set, its exec would fail. */
bool rights_may_get(unsigned capability);
/* Returns -code with all reasons why a user may not record after tracefs was refused, and one command for all of them. */
int rights_explain_all(struct error *err, int code, bool is_machine);
/* Returns the number in a file such as /proc/sys/kernel/perf_event_paranoid, or `otherwise`. */
long rights_number(const char *path, long otherwise);
/* The default size of the ring buffer of each CPU, in bytes. */
enum { RIGHTS_RING_DEFAULT = 16 << 20 };
/* Returns the kernel.perf_event_mlock_kb that a ring buffer of this size needs, with the page that the kernel adds. */
long rights_mlock_kb(uint64_t ring);
enum { RIGHTS_MACHINE = -1 };

/*
 * Returns -code with a message that says why an event could not be opened for a thread (0: of iotrace), or for the whole machine.
 */
int rights_explain(struct error *err, int code, const char *name, int tid,
		   unsigned long descriptors);

/* Returns the group of this process as the user namespace outside of its own calls it. */
unsigned rights_outer_group(void);
/* Returns whether all tasks of the machine have a number here. This is not so in a separate pid namespace. */
bool rights_sees_all_tasks(void);
/* Returns whether CAP_PERFMON is not enough to open events, as on Debian and Ubuntu if perf_event_paranoid is above 2. */
bool rights_takes_admin(void);
