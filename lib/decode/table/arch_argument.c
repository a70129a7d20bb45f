/*
 * arch_argument: converts arguments of another architecture.
 *
 * Bits of open() are converted to those of this machine. Requests of ioctl() and the order of clone()'s arguments are converted
 * to those of most architectures, which ioctls.def and syscalls.def use.
 */
#include <iotrace/arch.h>
#include <iotrace/syscall.h>

#include <fcntl.h>

/*
 * PowerPC has three bits for the direction (1: none, 2: read, 4: write) above 13 bits for the size; others have two (0, 2, 1)
 * above 14. FIOCLEX and FIONCLEX are terminal requests there.
 */
static uint64_t usual_ioctl(uint64_t request)
{
	uint32_t way = (uint32_t)request >> 29, rest = (uint32_t)request & 0x1fffffff;

	if (request == 0x20006601)
		return 0x5451;
	if (request == 0x20006602)
		return 0x5450;
	return (uint64_t)((way & 4 ? 1U : 0U) | (way & 2)) << 30 | rest;
}

/* Returns the index of the argument with bits of open(), or CALL_NO_ARG. */
static int flags_argument(const struct call_row *row, const uint64_t *arg)
{
	if (row->kind == CALL_OPEN || row->kind == CALL_CREATE_PAIR)
		return row->flags;
	return row->kind == CALL_FCNTL && arg[1] == F_SETFL ? 2 : CALL_NO_ARG;
}

void arch_arguments(const struct arch *arch, call_id id, uint64_t *arg)
{
	const struct arch *here = arch_here();
	const struct call_row *row;
	int flags;

	if (arch == here && !arch->has_other_ioctls && !arch->is_clone_swapped)
		return;
	row = call_row(id);
	flags = arch->open.direct != here->open.direct ? flags_argument(row, arg) : CALL_NO_ARG;

	if (flags != CALL_NO_ARG)
		arg[flags] = arch_open_flags(arch, (uint32_t)arg[flags]);
	if (arch->has_other_ioctls && row->kind == CALL_IOCTL)
		arg[1] = usual_ioctl(arg[1]);
	/* Only clone() has its flags in an argument; other calls that create tasks do not. */
	if (arch->is_clone_swapped && row->kind == CALL_CLONE && row->flags != CALL_NO_ARG) {
		uint64_t stack = arg[0];

		arg[0] = arg[1];
		arg[1] = stack;
	}
}
