/*
 * call_rows: the number of each row of syscalls.def, which is its call_id.
 */
#ifndef IOTRACE_DECODE_CALL_ROWS_H
#define IOTRACE_DECODE_CALL_ROWS_H

enum call_rows {
#define SYSCALL(name, ...) ROW_##name,
#include <iotrace/syscalls.def>
#undef SYSCALL
	ROWS
};

#endif
