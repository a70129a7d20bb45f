/*
 * error: a message about a failure of set-up or close.
 *
 * Functions that can fail while something is set up or finished return 0 or a negative errno. They fill a struct
 * error of the caller (their last parameter) with a message that names object, action and cause. Only main()
 * prints it: log_failure() in log.h. There is nothing to free.
 *
 * Names in a message may have any byte, also '\n'. So the sentence and its hints are apart, and only what prints them makes
 * lines of them.
 */
#pragma once

#include <stdbool.h>

enum { ERROR_TEXT_SIZE = 1024 };

struct error {
	int code;                    /* positive errno, 0: no error */
	char text[ERROR_TEXT_SIZE];  /* the sentence; always terminated */
	char hints[ERROR_TEXT_SIZE]; /* each is terminated; an empty one ends them */
};

/* Returns -code. Sets the sentence, without hints, and appends ": " and strerror(code) if code > 0. err may be NULL. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns -code like error_set(), but does not append strerror(). */
int error_say(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns -err->code. Puts "FORMAT: " before the sentence. The hints stay. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether the errno means that a file cannot grow: a full disk, a quota, or a limit of file sizes. */
bool error_is_full(int code);
/* Returns a description of such a code for a sentence: "No space left on device". */
const char *error_full_text(int code);

/* Appends a hint: what the user can do. */
void error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the hint after `hint`, or the first if it is NULL; NULL after the last. It belongs to err. */
const char *error_next_hint(const struct error *err, const char *hint);
