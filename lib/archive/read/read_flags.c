/* read_flags: converts OTF2's flags of an open file to O_* flags. */
#include "reader.h"

#include <fcntl.h>
#include <iotrace/large_file.h>

struct flag {
	uint32_t bits, means;
};

static const struct flag creation_row[] = {
#define OTF2_CREATION(bits, flag) {bits, OTF2_IO_CREATION_FLAG_##flag},
#include <iotrace/otf2.def>
};

static const struct flag status_row[] = {
#define OTF2_STATUS(bits, flag) {bits, OTF2_IO_STATUS_FLAG_##flag},
#include <iotrace/otf2.def>
};

static uint32_t translate(const struct flag *row, size_t rows, uint64_t means)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < rows; i++)
		if (means & row[i].means)
			flags |= row[i].bits;
	return flags;
}

uint32_t read_open_flags(uint64_t mode, uint64_t creation, uint64_t status)
{
	uint32_t access = mode == OTF2_IO_ACCESS_MODE_WRITE_ONLY   ? O_WRONLY
			  : mode == OTF2_IO_ACCESS_MODE_READ_WRITE ? O_RDWR
								   : O_RDONLY;

	return access |
	       translate(creation_row, sizeof(creation_row) / sizeof(*creation_row), creation) |
	       translate(status_row, sizeof(status_row) / sizeof(*status_row), status);
}
