/* ioctl: the table of ioctls.def. */
#include <iotrace/ioctl.h>

#include <stddef.h>

#define CALL_CLOEXEC_IF_ARG CALL_CLOEXEC_IF

static const struct ioctl_row row_table[] = {
#define IOCTL(name, request, effect, cloexec)                                                      \
	{#name, request, IOCTL_##effect, CALL_CLOEXEC_##cloexec},
#include <iotrace/ioctls.def>
#undef IOCTL
};

/* The kernel uses the lower half of the register. */
const struct ioctl_row *ioctl_row(uint64_t request)
{
	for (size_t i = 0; i < sizeof(row_table) / sizeof(row_table[0]); i++)
		if (row_table[i].request == (uint32_t)request)
			return &row_table[i];
	return NULL;
}
