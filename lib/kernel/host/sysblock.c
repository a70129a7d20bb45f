/* sysblock: reads properties, one small file for each. A property that a device does not have stays empty. */
#include "sysblock.h"

#include "clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/nearest.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { TEXT_SIZE = 4096, NAMES_SIZE = 1024, STATS = 17, BUSY = 9, KERNEL_MINOR_BITS = 20 };

/* A folder of /sys: "block/sda", "block/sda/sda1". */
struct sys_entry {
	const struct procfs *sys;
	char path[96];
	const char *name; /* the last part */
};

static bool entry_at(struct sys_entry *entry, const struct procfs *sys, const char *folder,
		     const char *name)
{
	int length = snprintf(entry->path, sizeof(entry->path), "%s/%s", folder, name);

	entry->sys = sys;
	entry->name = name;
	return length > 0 && (size_t)length < sizeof(entry->path) - 32;
}

/* Reads the line of a property, without its newline. Returns its length, or 0 if there is no such property. */
static uint32_t read_line(const struct sys_entry *entry, const char *property, char *out,
			  size_t size)
{
	ssize_t n = procfs_read(entry->sys, out, size, "%s/%s", entry->path, property);
	size_t length = n > 0 ? strcspn(out, "\n") : 0;

	while (length && out[length - 1] == ' ')
		length--;
	out[length] = '\0';
	return (uint32_t)length;
}

static uint64_t read_number(const struct sys_entry *entry, const char *property)
{
	char text[64];

	return read_line(entry, property, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

static bool read_dev(const struct sys_entry *entry, unsigned *major_number, unsigned *minor_number)
{
	char text[64];

	return read_line(entry, "dev", text, sizeof(text)) &&
	       sscanf(text, "%u:%u", major_number, minor_number) == 2;
}

static uint32_t kernel_number(unsigned major_number, unsigned minor_number)
{
	return major_number << KERNEL_MINOR_BITS | minor_number;
}

static uint64_t dev_of(const struct sys_entry *entry)
{
	unsigned major_number = 0, minor_number = 0;

	return read_dev(entry, &major_number, &minor_number) ? makedev(major_number, minor_number)
							     : 0;
}

/* Calls back for each entry of a folder, except those that begin with a dot. */
static void each(const struct procfs *sys, const char *folder,
		 void (*call)(void *context, const struct sys_entry *entry), void *context)
{
	DIR *dir = procfs_opendir(sys->root, folder, 0);
	const struct dirent *file;

	if (!dir)
		return;
	while ((file = readdir(dir)) != NULL) {
		struct sys_entry entry;

		if (file->d_name[0] != '.' && entry_at(&entry, sys, folder, file->d_name))
			call(context, &entry);
	}
	closedir(dir);
}

/* Keeps the word in brackets, the one in use: "none [mq-deadline] kyber". */
static void keep_chosen(char *text)
{
	char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return;
	*end = '\0';
	memmove(text, begin + 1, (size_t)(end - begin));
}

static void add_word(void *context, const struct sys_entry *entry)
{
	char *words = context;
	size_t used = strlen(words);

	snprintf(words + used, NAMES_SIZE - used, "%s%s", used ? " " : "", entry->name);
}

bool sysblock_name(const struct procfs *sys, uint32_t major_number, uint32_t minor_number,
		   char *name, size_t size)
{
	char target[TEXT_SIZE];
	const char *slash;

	if (procfs_link(sys, target, sizeof(target), "dev/block/%u:%u", major_number,
			minor_number) <= 0)
		return false;
	slash = strrchr(target, '/');
	snprintf(name, size, "%.255s", slash ? slash + 1 : target);
	return true;
}

/* A loop device stands on the device whose file system contains its file. */
static void find_under_file(const struct procfs *sys, const char *file, char *words)
{
	struct statx status;

	if (*file && !statx(AT_FDCWD, file, AT_STATX_DONT_SYNC, STATX_TYPE, &status))
		sysblock_name(sys, status.stx_dev_major, status.stx_dev_minor, words, NAMES_SIZE);
}

static void find_under(const struct sys_entry *entry, const char *file, char *words)
{
	char folder[sizeof(entry->path) + 8];

	words[0] = '\0';
	snprintf(folder, sizeof(folder), "%s/slaves", entry->path);
	each(entry->sys, folder, add_word, words);
	if (!*words)
		find_under_file(entry->sys, file, words);
}

/* Reads the first property that exists: the name of a drive, of a mapped device, or of an array. */
static uint32_t read_model(const struct sys_entry *entry, char *out, size_t size)
{
	static const char *const property[] = {"device/model", "dm/name", "md/level"};
	uint32_t length = 0;

	for (size_t i = 0; !length && i < sizeof(property) / sizeof(property[0]); i++)
		length = read_line(entry, property[i], out, size);
	return length;
}

struct gathering {
	struct facts *facts;
	uint64_t disk; /* the disk whose partitions are listed */
	uint32_t phase;
	struct sysblock_chosen chosen;
};

static void add_partition(void *context, const struct sys_entry *entry)
{
	const struct gathering *gathering = context;
	struct fact fact = {.kind = FACT_DEVICE};
	char text[64];

	if (!read_line(entry, "partition", text, sizeof(text)))
		return;
	fact.number[FACT_DEVICE_dev] = dev_of(entry);
	fact.number[FACT_DEVICE_disk_dev] = gathering->disk;
	fact.number[FACT_DEVICE_sectors] = read_number(entry, "size");
	fact.string[FACT_DEVICE_name] = fact_text(entry->name);
	if (fact.number[FACT_DEVICE_dev])
		facts_add(gathering->facts, &fact, 0, clock_now());
}

static void add_device(void *context, const struct sys_entry *entry)
{
	struct gathering *gathering = context;
	char model[256], scheduler[256], under[NAMES_SIZE], backing[TEXT_SIZE];
	struct fact fact = {.kind = FACT_DEVICE};

	fact.number[FACT_DEVICE_dev] = dev_of(entry);
	if (!fact.number[FACT_DEVICE_dev])
		return;
	fact.number[FACT_DEVICE_sectors] = read_number(entry, "size");
	fact.number[FACT_DEVICE_is_rotational] = read_number(entry, "queue/rotational");
	read_model(entry, model, sizeof(model));
	read_line(entry, "queue/scheduler", scheduler, sizeof(scheduler));
	keep_chosen(scheduler);
	read_line(entry, "loop/backing_file", backing, sizeof(backing));
	find_under(entry, backing, under);
	fact.string[FACT_DEVICE_name] = fact_text(entry->name);
	fact.string[FACT_DEVICE_model] = fact_text(model);
	fact.string[FACT_DEVICE_scheduler] = fact_text(scheduler);
	fact.string[FACT_DEVICE_under] = fact_text(under);
	fact.string[FACT_DEVICE_backing] = fact_text(backing);
	facts_add(gathering->facts, &fact, 0, clock_now());
	gathering->disk = fact.number[FACT_DEVICE_dev];
	each(entry->sys, entry->path, add_partition, gathering);
}

void sysblock_devices(const struct procfs *sys, struct facts *facts)
{
	each(sys, "block", add_device, &(struct gathering){.facts = facts});
}

static bool is_chosen(struct sysblock_chosen chosen, uint64_t dev)
{
	uint32_t number = kernel_number(major(dev), minor(dev));

	for (uint32_t i = 0; i < chosen.count; i++)
		if (chosen.number[i] == number)
			return true;
	return !chosen.count;
}

static void add_stat(void *context, const struct sys_entry *entry)
{
	const struct gathering *gathering = context;
	struct fact fact = {.kind = FACT_DISKSTAT};
	uint64_t now = clock_now(); /* what begins later may not be in the numbers */
	char text[512];
	const char *at = text;

	fact.number[FACT_DISKSTAT_dev] = dev_of(entry);
	fact.number[FACT_DISKSTAT_phase] = gathering->phase;
	if (!fact.number[FACT_DISKSTAT_dev] ||
	    !is_chosen(gathering->chosen, fact.number[FACT_DISKSTAT_dev]) ||
	    !read_line(entry, "stat", text, sizeof(text)))
		return;
	/* Older kernels have fewer columns; the remaining numbers are 0. */
	for (int i = 0; i < STATS; i++) {
		char *end;

		fact.number[FACT_DISKSTAT_reads + i] = strtoull(at, &end, 10);
		at = end;
	}
	facts_add(gathering->facts, &fact, 0, now);
}

void sysblock_stats(const struct procfs *sys, uint32_t phase, struct sysblock_chosen chosen,
		    struct facts *facts)
{
	each(sys, "block", add_stat,
	     &(struct gathering){.facts = facts, .phase = phase, .chosen = chosen});
}

struct search {
	const char *name, *disk; /* the partition, and the disk that it is on */
	char folder[64];
	struct nearest nearest;
	char best[64];
};

static void compare(void *context, const struct sys_entry *entry)
{
	struct search *search = context;

	nearest_try(&search->nearest, entry->name);
	if (search->nearest.best != entry->name)
		return;
	snprintf(search->best, sizeof(search->best), "%s", entry->name);
	search->nearest.best = search->best;
}

static void find_partition(void *context, const struct sys_entry *entry)
{
	struct search *search = context;
	struct sys_entry partition;
	char text[64];

	if (!search->folder[0] && entry_at(&partition, entry->sys, entry->path, search->name) &&
	    read_line(&partition, "partition", text, sizeof(text)))
		snprintf(search->folder, sizeof(search->folder), "%s", entry->name);
}

int sysblock_number(const struct procfs *sys, const char *name, uint32_t *number, struct error *err)
{
	struct search search = {.name = name};
	unsigned major_number, minor_number;
	struct sys_entry entry;

	if (*name && !strchr(name, '/') && *name != '.' && entry_at(&entry, sys, "block", name) &&
	    read_dev(&entry, &major_number, &minor_number)) {
		*number = kernel_number(major_number, minor_number);
		return 0;
	}
	if (*name && !strchr(name, '/'))
		each(sys, "block", find_partition, &search);
	if (search.folder[0])
		return error_say(
			err, EINVAL,
			"device %s is a partition, but requests belong to its disk: use %s", name,
			search.folder);
	nearest_init(&search.nearest, name);
	each(sys, "block", compare, &search);
	if (search.nearest.best)
		return error_say(err, ENODEV, "no block device %s; did you mean '%s'?", name,
				 search.nearest.best);
	return error_say(err, ENODEV, "no block device %s; /sys/block lists the devices", name);
}

int sysblock_check_busy(const struct procfs *sys, const char *name, struct error *err)
{
	struct sys_entry entry;
	char text[64];

	if (!entry_at(&entry, sys, "block", name) ||
	    !read_line(&entry, "queue/iostats", text, sizeof(text)) || strtoul(text, NULL, 10))
		return 0;
	error_say(err, EINVAL, "device %s does not count its requests", name);
	error_hint(err, "To switch it on: echo 1 >/sys/block/%s/queue/iostats", name);
	return -EINVAL;
}

bool sysblock_busy(const struct procfs *sys, const char *name, uint64_t *busy_ms)
{
	struct sys_entry entry;
	char text[512];
	const char *at = text;

	if (!entry_at(&entry, sys, "block", name) || !read_line(&entry, "stat", text, sizeof(text)))
		return false;
	for (int i = 0; i <= BUSY; i++) {
		char *end;

		*busy_ms = strtoull(at, &end, 10);
		at = end;
	}
	return true;
}
