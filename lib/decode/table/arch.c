/*
 * arch: the tables of call_numbers.def, and the bits of open() of each architecture.
 *
 * Everything is constant, so looking up a number is one load.
 */
#include <iotrace/arch.h>

#include <string.h>

#include "arch_here.h"
#include "call_rows.h"

#define _ (-1)
enum {
#define CALL_NUMBER(NR, x86_64, generic, ppc64, s390x)                                             \
	X86_64_##NR = x86_64, GENERIC_##NR = generic, PPC64_##NR = ppc64, S390X_##NR = s390x,
#include <iotrace/call_numbers.def>
#undef CALL_NUMBER
};
#undef _

enum { OF_X86_64, OF_GENERIC, OF_PPC64, OF_S390X, TABLES };

static const int16_t numbers[TABLES][ROWS] = {
#define SYSCALL(name, NR, ...)                                                                     \
	[OF_X86_64][ROW_##name] = X86_64_##NR, [OF_GENERIC][ROW_##name] = GENERIC_##NR,            \
	[OF_PPC64][ROW_##name] = PPC64_##NR, [OF_S390X][ROW_##name] = S390X_##NR,
#include <iotrace/syscalls.def>
#undef SYSCALL
};

/* Rows without a number get separate elements after the last number. */
#define AT(table, number, name)                                                                    \
	[OF_##table][(number) < 0 ? ARCH_NUMBERS + ROW_##name : (number)] = ROW_##name + 1

static const call_id rows[TABLES][ARCH_NUMBERS + ROWS] = {
#define SYSCALL(name, NR, ...)                                                                     \
	AT(X86_64, X86_64_##NR, name), AT(GENERIC, GENERIC_##NR, name),                            \
		AT(PPC64, PPC64_##NR, name), AT(S390X, S390X_##NR, name),
#include <iotrace/syscalls.def>
#undef SYSCALL
};

/* Values in most <asm/fcntl.h>: O_DIRECT, O_LARGEFILE, O_DIRECTORY, O_NOFOLLOW. */
#define USUAL_BITS                                                                                 \
	{                                                                                          \
		040000, 0100000, 0200000, 0400000                                                  \
	}
#define ARM_BITS                                                                                   \
	{                                                                                          \
		0200000, 0400000, 040000, 0100000                                                  \
	}
#define PPC_BITS                                                                                   \
	{                                                                                          \
		0400000, 0200000, 040000, 0100000                                                  \
	}

enum { X86_64, AARCH64, RISCV64, LOONGARCH64, PPC64LE, PPC64, S390X, ARCHS };

static const struct arch archs[ARCHS] = {
	[X86_64] = {"x86_64", numbers[OF_X86_64], rows[OF_X86_64], USUAL_BITS, false, false},
	[AARCH64] = {"aarch64", numbers[OF_GENERIC], rows[OF_GENERIC], ARM_BITS, false, false},
	[RISCV64] = {"riscv64", numbers[OF_GENERIC], rows[OF_GENERIC], USUAL_BITS, false, false},
	[LOONGARCH64] = {"loongarch64", numbers[OF_GENERIC], rows[OF_GENERIC], USUAL_BITS, false,
			 false},
	[PPC64LE] = {"ppc64le", numbers[OF_PPC64], rows[OF_PPC64], PPC_BITS, false, true},
	[PPC64] = {"ppc64", numbers[OF_PPC64], rows[OF_PPC64], PPC_BITS, false, true},
	[S390X] = {"s390x", numbers[OF_S390X], rows[OF_S390X], USUAL_BITS, true, false},
};

enum { HERE = ARCH_HERE };

const struct arch *arch_here(void)
{
	return &archs[HERE];
}

const struct arch *arch_find(const char *name, size_t length)
{
	for (int i = 0; i < ARCHS; i++)
		if (strlen(archs[i].name) == length && !memcmp(archs[i].name, name, length))
			return &archs[i];
	return NULL;
}

int arch_number(const struct arch *arch, call_id id)
{
	return id < ROWS ? arch->number_of_row[id] : -1;
}

call_id arch_call(const struct arch *arch, long number)
{
	call_id row = (unsigned long)number < ARCH_NUMBERS ? arch->row_of_number[number] : 0;

	return row ? (call_id)(row - 1) : CALL_ID_NONE;
}

uint32_t arch_open_flags(const struct arch *arch, uint32_t flags)
{
	const struct arch_open_bits *from = &arch->open, *to = &archs[HERE].open;
	uint32_t own = from->direct | from->large_file | from->directory | from->no_follow;

	if (flags == UINT32_MAX)
		return flags;
	return (flags & ~own) | (flags & from->direct ? to->direct : 0) |
	       (flags & from->large_file ? to->large_file : 0) |
	       (flags & from->directory ? to->directory : 0) |
	       (flags & from->no_follow ? to->no_follow : 0);
}
