/*
 * error: each error has fixed buffers, without allocation.
 *
 * The caller's arguments may point into the text that is being replaced, so a new text is built elsewhere first. If it is too
 * long, the end of the sentence is cut and the cause is kept, because the cause is more useful.
 */
#include <iotrace/error.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CUT "..."
enum { HEAD_LEAST = 128, HINT_LEAST = 32 };

/* Appends text to the `used` bytes at out, at most `room` bytes; returns the new number of bytes. */
static size_t append(char *out, size_t used, const char *text, size_t room)
{
	size_t length = strlen(text);
	bool is_cut = length > room;

	if (is_cut) {
		length = room - strlen(CUT);
		/* Do not cut inside a UTF-8 character. */
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(out + used, text, length);
	used += length;
	if (is_cut) {
		memcpy(out + used, CUT, strlen(CUT));
		used += strlen(CUT);
	}
	return used;
}

/* Puts head and tail into text. If both do not fit, the end of head is cut, except for HEAD_LEAST bytes. */
static void join(char *text, const char *head, const char *tail)
{
	size_t tail_length = strlen(tail);
	char built[ERROR_TEXT_SIZE];
	size_t used;

	if (tail_length > ERROR_TEXT_SIZE - 1 - HEAD_LEAST)
		tail_length = ERROR_TEXT_SIZE - 1 - HEAD_LEAST;
	used = append(built, 0, head, ERROR_TEXT_SIZE - 1 - tail_length);
	used = append(built, used, tail, ERROR_TEXT_SIZE - 1 - used);
	built[used] = '\0';
	memcpy(text, built, used + 1);
}

/* Twice the size, so that join() sees whether the head is too long. */
#define FORMAT_HEAD(head, format)                                                                  \
	do {                                                                                       \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		if (vsnprintf((head), sizeof(head), format, args) < 0)                             \
			(head)[0] = '\0';                                                          \
		va_end(args);                                                                      \
	} while (0)

int error_set(struct error *err, int code, const char *format, ...)
{
	char head[2 * ERROR_TEXT_SIZE];
	char tail[256] = "";
	char cause[128];

	if (!err)
		return -code;
	FORMAT_HEAD(head, format);
	if (code > 0)
		snprintf(tail, sizeof(tail), ": %s", strerror_r(code, cause, sizeof(cause)));
	join(err->text, head, tail);
	err->hints[0] = '\0';
	err->code = code;
	return -code;
}

int error_say(struct error *err, int code, const char *format, ...)
{
	char head[2 * ERROR_TEXT_SIZE];

	if (!err)
		return -code;
	FORMAT_HEAD(head, format);
	join(err->text, head, "");
	err->hints[0] = '\0';
	err->code = code;
	return -code;
}

int error_wrap(struct error *err, const char *format, ...)
{
	char head[2 * ERROR_TEXT_SIZE];
	char tail[ERROR_TEXT_SIZE + 2];

	if (!err)
		return -EINVAL;
	FORMAT_HEAD(head, format);
	snprintf(tail, sizeof(tail), ": %s", err->text);
	join(err->text, head, tail);
	return -err->code;
}

bool error_is_full(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

const char *error_full_text(int code)
{
	return code == EFBIG ? "the limit of file sizes is reached" : strerror(code);
}

void error_hint(struct error *err, const char *format, ...)
{
	char head[2 * ERROR_TEXT_SIZE];
	size_t used = 0;

	if (!err)
		return;
	FORMAT_HEAD(head, format);
	while (err->hints[used])
		used += strlen(err->hints + used) + 1;
	/* Two bytes are for the ends of this hint and of the hints. */
	if (used + HINT_LEAST + 2 > ERROR_TEXT_SIZE)
		return;
	used = append(err->hints, used, head, ERROR_TEXT_SIZE - used - 2);
	err->hints[used] = err->hints[used + 1] = '\0';
}

const char *error_next_hint(const struct error *err, const char *hint)
{
	hint = hint ? hint + strlen(hint) + 1 : err->hints;
	return *hint ? hint : NULL;
}
