/*
 * probe: what this user can record on this machine, and what would allow more. For `iotrace check` and `iotrace
 * list`.
 */
#pragma once

#include <iotrace/syscall.h>
#include <stdbool.h>
#include <stddef.h>

enum probe_state { PROBE_OK, PROBE_LIMITED, PROBE_MISSING };

struct error;

struct probe_result {
	const char *name; /* "tracefs", "perf_event_paranoid" ... */
	enum probe_state state;
	bool is_needed;   /* iotrace -- COMMAND cannot work without it */
	char detail[256]; /* the result */
	char remedy[256]; /* the command that would allow more; "" if none is needed */
};

/* Runs all probes. Fills at most `size` results and returns how many there are. */
uint32_t probe_all(struct probe_result *result, uint32_t size);
/* Returns the setcap command for this program; NULL if the caller already has all rights. */
char *probe_setcap(void); /* to be freed */
/* Returns whether this kernel has a tracepoint for the call (its format exists), -1 if tracefs cannot be read. */
int probe_call(const struct call_row *row);
/*
 * Calls back with each tracepoint of this kernel as "SYSTEM:EVENT" (lent for the call). Returns 0, or -1 with a message (err may
 * be NULL) if tracefs cannot be read.
 */
int probe_tracepoints(void (*call)(void *context, const char *name), void *context,
		      struct error *err);
/* Calls back with type and name (lent) of each field of a tracepoint, except the fields that all have. Returns as above. */
int probe_fields(const char *tracepoint,
		 void (*call)(void *context, const char *type, const char *name), void *context);
/* Returns whether a whole block device of this machine has the name, such as "sda". */
bool probe_is_device(const char *name);
/* Returns whether only CAP_SYS_ADMIN may open events on this machine: kernel.perf_event_paranoid is above 2. */
bool probe_takes_admin(void);
/* Returns 0 if this user may probe programs, or -errno with a message. */
int probe_uprobes(struct error *err);
/* Returns the time of the monotonic clock, ns. */
uint64_t probe_now(void);
/* Returns the time in ns since 1970. */
uint64_t probe_realtime(void);
/* Writes what the kernel calls this boot; "" if it does not say. `size` should be at least 37. */
void probe_boot_id(char *id, size_t size);
/* Sleeps until this time of the monotonic clock. */
void probe_sleep_until(uint64_t time);
/* Returns the width of the terminal on fd in columns, or 0 if fd is not a terminal. */
int probe_columns(int fd);
/* Returns whether Ctrl-C on the terminal on fd reaches this process, because it is in the foreground and does not ignore it. */
bool probe_has_terminal(int fd);
