/*
 * arch: differences between architectures in system calls.
 *
 * A capture has call numbers and arguments as the kernel of the recording machine uses them. The decoder converts
 * them to those of this machine, so that later layers need not know about architectures.
 */
#pragma once

#include <iotrace/syscall.h>

/* The flags of open() whose bits differ between architectures. */
struct arch_open_bits {
	uint32_t direct, large_file, directory, no_follow;
};

struct arch {
	const char *name; /* as in uname(2) */
	const int16_t *number_of_row;
	const call_id *row_of_number; /* row + 1; 0: none */
	struct arch_open_bits open;
	bool is_clone_swapped; /* clone() has the stack before the flags */
	bool has_other_ioctls; /* requests of ioctl() are encoded differently */
};

enum { ARCH_NUMBERS = 512 };

/* Returns the architecture that this program was built for. */
const struct arch *arch_here(void);
/* Returns the architecture with this name in uname(2), or NULL if it is unknown. */
const struct arch *arch_find(const char *name, size_t length);
/* Returns the number of a call there, -1 if there is none. */
int arch_number(const struct arch *arch, call_id id);
/* Returns the call that has this number there, or CALL_ID_NONE. */
call_id arch_call(const struct arch *arch, long number);
struct arch_name {
	char text[40];
};

/* Returns the kernel's name of the call that has this number there, in `name`; NULL: it is unknown. */
const char *arch_call_name(const struct arch *arch, long number, struct arch_name *name);
/* Converts the arguments of a call (EVENT_ARGS of them) to those of this machine. */
void arch_arguments(const struct arch *arch, call_id id, uint64_t *arg);
/* Converts the flags of an open file to those of this machine. UINT32_MAX (unknown) stays. */
uint32_t arch_open_flags(const struct arch *arch, uint32_t flags);
