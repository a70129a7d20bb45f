/*
 * arch: what differs between architectures in what the kernel says of system calls.
 *
 * A capture has numbers and arguments as the recording machine's kernel has them. The decoder makes events of them as this
 * machine's kernel would have them, so that nothing behind it knows of architectures.
 */
#pragma once

#include <iotrace/syscall.h>

/* The bits of open() that are not the same everywhere. */
struct arch_open_bits {
	uint32_t direct, large_file, directory, no_follow;
};

struct arch {
	const char *name; /* as uname(2) has it */
	const int16_t *number_of_row;
	const call_id *row_of_number; /* row + 1; 0: none */
	struct arch_open_bits open;
	bool is_clone_swapped; /* clone() has the stack before the flags */
	bool has_other_ioctls; /* requests of ioctl() are put together in another way */
};

enum { ARCH_NUMBERS = 512 };

/* Returns the machine that this was built for. */
const struct arch *arch_here(void);
/* Returns the architecture that uname(2) calls so, or NULL if it is not known. */
const struct arch *arch_find(const char *name, size_t length);
/* Returns the number of a call there, -1 if there is none. */
int arch_number(const struct arch *arch, call_id id);
/* Returns the call that has this number there, or CALL_ID_NONE. */
call_id arch_call(const struct arch *arch, long number);
/* Makes the arguments of a call (EVENT_ARGS of them) those that it would have here. */
void arch_arguments(const struct arch *arch, call_id id, uint64_t *arg);
/* Returns the flags of an open file as they would be here. UINT32_MAX, not known, stays. */
uint32_t arch_open_flags(const struct arch *arch, uint32_t flags);
