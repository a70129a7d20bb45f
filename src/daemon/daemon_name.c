/* daemon_name: see daemon_name.h. */
#include "daemon_name.h"

#include "span/call_class.h"

#include <ctype.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/span_ways.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MINOR_BITS = 20, MOUNTS_MOST = 4096, LINE_MOST = 8192, DEVICE_READ = 1, DEVICE_WRITE = 2 };

struct mounted {
	uint32_t device;
	char *point, *type;
};

struct daemon_names {
	struct mounted mount[MOUNTS_MOST];
	uint32_t mounts;
	struct map of; /* by device */
	uint64_t sum;  /* of the text that was read */
};

struct daemon_names *daemon_names_new(void)
{
	struct daemon_names *names = mem_zero(sizeof(*names));

	daemon_names_look(names);
	return names;
}

static void clear(struct daemon_names *names)
{
	for (uint32_t i = 0; i < names->mounts; i++) {
		free(names->mount[i].point);
		free(names->mount[i].type);
	}
	names->mounts = 0;
	map_clear(&names->of);
}

void daemon_names_free(struct daemon_names *names)
{
	if (!names)
		return;
	clear(names);
	map_release(&names->of);
	free(names);
}

/* Replaces "\040" and other octal numbers. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at == '\\' && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2]) &&
		    isdigit((unsigned char)at[3])) {
			*to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

static void add(struct daemon_names *names, uint32_t device, const char *point, const char *type)
{
	uint32_t index = map_get(&names->of, device);
	struct mounted *mounted;

	if (index == MAP_NONE && names->mounts == MOUNTS_MOST)
		return;
	if (index != MAP_NONE && strlen(names->mount[index].point) <= strlen(point))
		return;
	if (index == MAP_NONE) {
		index = names->mounts++;
		map_set(&names->of, device, index);
		names->mount[index] = (struct mounted){.device = device};
	}
	mounted = &names->mount[index];
	free(mounted->point);
	free(mounted->type);
	mounted->point = mem_strdup(point);
	mounted->type = mem_strdup(type);
	unescape(mounted->point);
}

/* "36 35 98:0 /root /point options - type source options" */
static void read_line(struct daemon_names *names, const char *line)
{
	static char point[LINE_MOST];
	char type[64];
	unsigned major, minor;
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(line, "%*u %*u %u:%u %*s %8191s", &major, &minor, point) != 3 ||
	    sscanf(rest, " - %63s", type) != 1)
		return;
	add(names, major << MINOR_BITS | minor, point, type);
}

static uint64_t sum_of(uint64_t sum, const char *text)
{
	while (*text)
		sum = (sum ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return sum;
}

/* The mounts of the machine are those of its first process. It may be hidden; then they are those of this process. */
static FILE *open_mounts(void)
{
	FILE *file = fopen("/proc/1/mountinfo", "re");

	return file ? file : fopen("/proc/self/mountinfo", "re");
}

static uint64_t read_sum(void)
{
	FILE *file = open_mounts();
	char line[LINE_MOST];
	uint64_t sum = 1;

	while (file && fgets(line, sizeof(line), file))
		sum = sum_of(sum, line);
	if (file)
		fclose(file);
	return sum;
}

bool daemon_names_look(struct daemon_names *names)
{
	uint64_t sum = read_sum();
	char line[LINE_MOST];
	FILE *file;

	if (sum == names->sum)
		return false;
	names->sum = sum;
	clear(names);
	file = open_mounts();
	while (file && fgets(line, sizeof(line), file))
		read_line(names, line);
	if (file)
		fclose(file);
	return true;
}

static void name_device(const struct publication_row *row, char *text, size_t size)
{
	char path[64], target[256];
	uint32_t major = row->owner >> MINOR_BITS, minor = row->owner & ((1U << MINOR_BITS) - 1);
	ssize_t length;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	length = readlink(path, target, sizeof(target) - 1);
	if (length > 0) {
		target[length] = '\0';
		snprintf(text, size, "%.*s", (int)size - 1,
			 strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
	} else {
		snprintf(text, size, "%u:%u", major, minor);
	}
}

/* Cuts the middle of a long mount point: its begin and its end say most. */
static void put_point(char *text, size_t size, const char *point)
{
	size_t length = strlen(point), half = size / 2 - 2;

	if (length < size)
		memcpy(text, point, length + 1);
	else
		snprintf(text, size, "%.*s...%s", (int)half, point, point + length - half);
}

static void name_mount(const struct daemon_names *names, uint32_t device, char *text, size_t size)
{
	uint32_t index = map_get(&names->of, device);

	if (index != MAP_NONE)
		put_point(text, size, names->mount[index].point);
	else
		snprintf(text, size, "%u:%u", device >> MINOR_BITS,
			 device & ((1U << MINOR_BITS) - 1));
}

static void name_owner(const struct daemon_names *names, struct publication_row *row)
{
	if (row->owner == PUBLICATION_REST)
		snprintf(row->name, sizeof(row->name), "(others)");
	else if (row->view == PUBLICATION_DEVICE)
		name_device(row, row->name, sizeof(row->name));
	else if (row->view == PUBLICATION_FS && !row->owner)
		snprintf(row->name, sizeof(row->name), "(by path)");
	else
		name_mount(names, row->owner, row->name, sizeof(row->name));
}

static void name_operation(struct publication_row *row)
{
	const char *name = NULL;

	*row->operation = '\0';
	if (row->kind == PUBLICATION_ALL)
		return;
	if (row->view == PUBLICATION_DEVICE)
		name = row->kind == DEVICE_READ    ? "read"
		       : row->kind == DEVICE_WRITE ? "write"
						   : "other";
	else if (row->view == PUBLICATION_FS)
		name = call_class_name(row->kind);
	else
		name = span_fuse_opcode(row->kind);
	if (name)
		snprintf(row->operation, sizeof(row->operation), "%s", name);
	else
		snprintf(row->operation, sizeof(row->operation), "%u", row->kind);
}

void daemon_names_name(void *context, struct publication_row *row)
{
	name_owner(context, row);
	name_operation(row);
}
