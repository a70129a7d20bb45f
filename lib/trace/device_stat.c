#include <iotrace/device_stat.h>

enum { NONE = DEVICE_STATS };

/* Columns in /sys/block/DEV/stat. */
static const struct {
	const char *name;
	uint32_t requests, sectors;
} row[STAT_KINDS] = {
	[STAT_READ] = {"read", 0, 2},
	[STAT_WRITE] = {"write", 4, 6},
	[STAT_DISCARD] = {"discard", 11, 13},
	[STAT_FLUSH] = {"flush", 15, NONE},
};

const char *device_stat_name(enum device_stat_kind kind)
{
	return row[kind].name;
}

struct device_stat device_stat_seen(const struct trace_device *device, enum device_stat_kind kind)
{
	uint32_t sectors = row[kind].sectors;

	return (struct device_stat){device->seen[row[kind].requests],
				    sectors == NONE ? 0 : device->seen[sectors]};
}

static uint64_t change(const struct trace_device *device, uint32_t index)
{
	if (index == NONE || device->stat[1][index] < device->stat[0][index])
		return 0;
	return device->stat[1][index] - device->stat[0][index];
}

struct device_stat device_stat_kernel(const struct trace_device *device, enum device_stat_kind kind)
{
	return (struct device_stat){change(device, row[kind].requests),
				    change(device, row[kind].sectors)};
}

bool device_stat_balance(const struct trace_device *device)
{
	for (int kind = 0; kind < STAT_KINDS; kind++) {
		struct device_stat seen = device_stat_seen(device, (enum device_stat_kind)kind);
		struct device_stat kernel = device_stat_kernel(device, (enum device_stat_kind)kind);

		if (seen.requests != kernel.requests || seen.sectors != kernel.sectors)
			return false;
	}
	return true;
}

static void set(uint64_t *stat, enum device_stat_kind kind, const struct device_stat *to)
{
	stat[row[kind].requests] = to->requests;
	if (row[kind].sectors != NONE)
		stat[row[kind].sectors] = to->sectors;
}

void device_stat_set(struct trace_device *device, enum device_stat_kind kind,
		     const struct device_stat *seen, const struct device_stat *kernel)
{
	set(device->seen, kind, seen);
	if (!kernel)
		return;
	device->has_stat = true;
	set(device->stat[1], kind, kernel);
}
