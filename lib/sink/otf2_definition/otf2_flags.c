/*
 * otf2_flags: converts O_* flags to those of OTF2.
 *
 * O_SYNC contains O_DSYNC, O_TMPFILE contains O_DIRECTORY. The contained flag is not converted again.
 */
#include "otf2_flags.h"

#include <fcntl.h>
#include <iotrace/large_file.h>
#include <stddef.h>

struct flag {
	uint32_t bits;
	uint32_t means;
};

static const struct flag creation[] = {
#define OTF2_CREATION(bits, flag) {bits, OTF2_IO_CREATION_FLAG_##flag},
#include <iotrace/otf2.def>
};

static const struct flag status[] = {
#define OTF2_STATUS(bits, flag) {bits, OTF2_IO_STATUS_FLAG_##flag},
#include <iotrace/otf2.def>
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
	default: /* O_RDWR, and 3, for which Linux checks both rights */
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
