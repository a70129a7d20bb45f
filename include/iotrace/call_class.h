/* call_class: the few kinds of system calls that numbers of file systems are divided into. */
#pragma once

#include <iotrace/syscall.h>
#include <stdint.h>

enum call_class {
	CALL_CLASS_NONE, /* says nothing about a file system */
	CALL_CLASS_READ,
	CALL_CLASS_WRITE,
	CALL_CLASS_COPY,
	CALL_CLASS_SEEK,
	CALL_CLASS_SYNC,
	CALL_CLASS_OPEN,
	CALL_CLASS_CLOSE,
	CALL_CLASS_META,
	CALL_CLASS_DIR,
	CALL_CLASS_LOCK,
	CALL_CLASS_MAP,
	CALL_CLASSES
};

/* Which argument of a call is the descriptor of its file. */
enum { CALL_FD_NONE = 6, CALL_FD_RESULT = 7 };

enum call_class call_class_of(const struct call_row *row);
/* Returns "read", "write", ...; "other" for any other number. */
const char *call_class_name(uint32_t number);
/* Returns which argument is the descriptor of the call's file, or CALL_FD_... */
uint8_t call_class_fd(const struct call_row *row);
