/*
 * otf2_flags: O_* flags in the words of OTF2.
 *
 * A flag is set when all its bits are: O_SYNC contains O_DSYNC, O_TMPFILE contains O_DIRECTORY.
 * What a larger flag contains is not said again.
 */
#include "otf2_flags.h"

#include "large_file.h"

#include <fcntl.h>
#include <stddef.h>

struct flag {
	uint32_t bits;
	uint32_t means;
};

/* A flag that contains another stands before it. */
static const struct flag creation[] = {
	{O_CREAT, OTF2_IO_CREATION_FLAG_CREATE},
	{O_TRUNC, OTF2_IO_CREATION_FLAG_TRUNCATE},
	{O_TMPFILE, OTF2_IO_CREATION_FLAG_TEMPORARY_FILE},
	{O_DIRECTORY, OTF2_IO_CREATION_FLAG_DIRECTORY},
	{O_EXCL, OTF2_IO_CREATION_FLAG_EXCLUSIVE},
	{O_NOCTTY, OTF2_IO_CREATION_FLAG_NO_CONTROLLING_TERMINAL},
	{O_NOFOLLOW, OTF2_IO_CREATION_FLAG_NO_FOLLOW},
	{O_PATH, OTF2_IO_CREATION_FLAG_PATH},
	{LARGE_FILE, OTF2_IO_CREATION_FLAG_LARGEFILE},
};

static const struct flag status[] = {
	{O_CLOEXEC, OTF2_IO_STATUS_FLAG_CLOSE_ON_EXEC},
	{O_APPEND, OTF2_IO_STATUS_FLAG_APPEND},
	{O_NONBLOCK, OTF2_IO_STATUS_FLAG_NON_BLOCKING},
	{O_ASYNC, OTF2_IO_STATUS_FLAG_ASYNC},
	{O_SYNC, OTF2_IO_STATUS_FLAG_SYNC},
	{O_DSYNC, OTF2_IO_STATUS_FLAG_DATA_SYNC},
	{O_DIRECT, OTF2_IO_STATUS_FLAG_AVOID_CACHING},
	{O_NOATIME, OTF2_IO_STATUS_FLAG_NO_ACCESS_TIME},
};

static uint32_t translate(const struct flag *row, size_t rows, uint32_t flags)
{
	uint32_t means = 0;

	for (size_t i = 0; i < rows; i++) {
		if ((flags & row[i].bits) == row[i].bits) {
			means |= row[i].means;
			flags &= ~row[i].bits;
		}
	}
	return means;
}

OTF2_IoAccessMode otf2_access_mode(uint32_t flags)
{
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return OTF2_IO_ACCESS_MODE_READ_ONLY;
	case O_WRONLY:
		return OTF2_IO_ACCESS_MODE_WRITE_ONLY;
	default: /* O_RDWR, and 3: Linux checks both rights for it */
		return OTF2_IO_ACCESS_MODE_READ_WRITE;
	}
}

OTF2_IoCreationFlag otf2_creation_flags(uint32_t flags)
{
	return translate(creation, sizeof(creation) / sizeof(creation[0]), flags);
}

OTF2_IoStatusFlag otf2_status_flags(uint32_t flags)
{
	return translate(status, sizeof(status) / sizeof(status[0]), flags);
}
