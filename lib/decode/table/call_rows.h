/* call_rows: the number of each row of syscalls.def, which is its call_id. */
#pragma once

enum call_rows {
#define SYSCALL(name, ...) ROW_##name,
#include <iotrace/syscalls.def>
#undef SYSCALL
	ROWS
};
