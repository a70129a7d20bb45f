/* number_name: names of numbers that are in no format of the kernel: "group FIELD as TABLE". */
#pragma once

#include <iotrace/arch.h>
#include <stdint.h>

/*
 * Returns the name of the number in the table, such as "OPEN". Returns NULL if the table does not exist or does not have the
 * number. arch: of the machine that gave the number; NULL: not known, so system calls have no names. The name may be in `room`.
 */
const char *number_name(const char *table, uint64_t number, const struct arch *arch,
			struct arch_name *room);
/* The same for the opcode of a FUSE request. */
const char *number_name_fuse(uint64_t opcode);
