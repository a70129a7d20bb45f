/*
 * error: a sentence about what failed, for set-up and close.
 *
 * Functions that can fail while something is set up or finished return 0 or a negative errno and fill
 * a caller-owned struct error (their last parameter) with a sentence that names object, action and
 * cause. Nobody prints it but main(). There is nothing to free.
 */
#pragma once

#include <stdbool.h>

enum { ERROR_TEXT_SIZE = 1024 };

struct error {
	int code; /* positive errno, 0: no error */
	char text
		[ERROR_TEXT_SIZE]; /* one line, or up to three with '\n' between; always terminated */
};

/* Returns -code. Sets the sentence; with code > 0, ": " and strerror(code) follow it. err may be NULL. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns -code like error_set(), but the sentence stands alone: no strerror() is appended. */
int error_say(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns -err->code. Puts "FORMAT: " before what the error says, so that it reads outside in. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether the errno says that a file cannot grow: a full disk, a quota, or a limit of file sizes. */
bool error_is_full(int code);

/* Appends a line ("remedy") to what the error says. */
void error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
