/*
 * walk_local: a location may have its own ids and its own clock. Its file of definitions maps its ids to those of the archive,
 * and gives the difference to the archive's clock at some times. Between these times, the difference is interpolated.
 */
#include "walk.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct offset {
	uint64_t time;
	int64_t offset;
};

struct local {
	struct table { /* Global ids, or sorted pairs of a local and a global id. */
		uint64_t *id;
		uint64_t count;
		bool is_sparse;
	} table[KINDS];
	struct offset *offset; /* sorted by time */
	uint32_t offsets, capacity;
	uint32_t now; /* index of the offset after the last time, or of the last interval */
};

static const uint8_t table_of_kind[KINDS] = {
	[KIND_NONE] = OTF2_MAPPING_MAX,
#define KIND(id, name, letter, size, mapping) [KIND_##id] = OTF2_MAPPING_##mapping,
#include "file/record.def"
};

/* The fields of a table: kind, count, whether the ids are pairs, the ids. A second table of a kind is ignored. */
static void add_table(struct local *local, const struct record *record)
{
	const struct value *v = record->value;
	uint32_t ids = record->values - 3;
	int kind = 0;

	while (kind < KINDS && (v[0].is >= OTF2_MAPPING_MAX || table_of_kind[kind] != v[0].is))
		kind++;
	if (kind == KINDS || local->table[kind].id)
		return;
	local->table[kind] = (struct table){mem_array(ids + 1, sizeof(uint64_t)), v[1].is,
					    v[2].is == OTF2_ID_MAP_SPARSE};
	for (uint32_t i = 0; i < ids; i++)
		local->table[kind].id[i] = v[3 + i].is;
}

static void add_offset(struct local *local, const struct record *record)
{
	const struct offset offset = {record->value[0].is, (int64_t)record->value[1].is};

	if (local->offsets && local->offset[local->offsets - 1].time >= offset.time)
		return;
	MEM_GROW(local->offset, local->capacity, local->offsets + 1);
	local->offset[local->offsets++] = offset;
}

bool local_read(struct walk *walk, struct location *location)
{
	char name[FILE_NAME_SIZE];
	char *path;
	struct file file;
	bool is_there;

	snprintf(name, sizeof(name), "traces/%" PRIu64 ".def", location->ref);
	path = mem_format("%s/%s", walk->dir, name);
	is_there = access(path, F_OK) == 0;
	free(path);
	if (!is_there || location->local)
		return true;
	file = walk_file(walk, name, CONTENT_LOCAL_DEFINITIONS);
	if (file_begin(&file)) {
		while (file_next(&file)) {
			bool is_table = file.record.type == LOCAL_MAPPING_TABLE;

			if (!is_table && file.record.type != LOCAL_CLOCK_OFFSET)
				continue;
			if (!location->local)
				location->local = mem_zero(sizeof(*location->local));
			if (is_table)
				add_table(location->local, &file.record);
			else
				add_offset(location->local, &file.record);
		}
	}
	if (*file.taking.wrong)
		walk_found(walk, "%s: %s", file.name, file.taking.wrong);
	file_release(&file);
	return !*file.taking.wrong;
}

static int compare(const void *key, const void *pair)
{
	uint64_t a = *(const uint64_t *)key, b = *(const uint64_t *)pair;

	return (a > b) - (a < b);
}

/* An id that no table has is already an id of the archive. */
static uint64_t global(const struct table *table, uint64_t id)
{
	const uint64_t *pair;

	if (!table->is_sparse)
		return id < table->count ? table->id[id] : id;
	pair = bsearch(&id, table->id, (size_t)table->count, 2 * sizeof(*pair), compare);
	return pair ? pair[1] : id;
}

void local_map(const struct local *local, struct record *record)
{
	for (uint32_t i = 0; i < record->values; i++) {
		struct value *v = &record->value[i];

		if (v->kind != KIND_NONE && local->table[v->kind].id)
			v->is = global(&local->table[v->kind], v->is);
	}
}

uint64_t local_time(struct local *local, uint64_t time)
{
	const struct offset *from, *to;
	double slope, since;

	if (local->offsets < 2)
		return time;
	while (local->now + 2 < local->offsets && time > local->offset[local->now + 1].time)
		local->now++;
	from = &local->offset[local->now];
	to = from + 1;
	slope = (double)(int64_t)((uint64_t)to->offset - (uint64_t)from->offset) /
		(double)(to->time - from->time);
	since = time >= from->time ? (double)(time - from->time) : -(double)(from->time - time);
	since = rint(slope * since);
	if (!(fabs(since) < 9e18)) /* no valid clock differs that much */
		return time + (uint64_t)from->offset;
	return time + (uint64_t)from->offset + (uint64_t)(int64_t)since;
}

void local_free(struct local *local)
{
	if (!local)
		return;
	for (int kind = 0; kind < KINDS; kind++)
		free(local->table[kind].id);
	free(local->offset);
	free(local);
}
