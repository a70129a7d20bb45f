/* totals: see <iotrace/totals.h>. */
#include <errno.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/publisher.h>
#include <iotrace/totals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 10, KIND_BITS = 16, KIND_ALL = 0xffff };

static const uint64_t idle_ns = 60000000000;

struct entry {
	struct publication_row row;
	uint64_t active; /* when it last changed, CLOCK_MONOTONIC */
};

struct totals {
	struct entry *entry; /* PUBLICATION_ROWS */
	uint32_t rows, next_id;
	struct map of;
	struct publication_slot slot;
	totals_name name;
	void *context;
};

struct totals *totals_new(totals_name name, void *context)
{
	struct totals *totals = mem_zero(sizeof(*totals));

	totals->entry = mem_array(PUBLICATION_ROWS, sizeof(*totals->entry));
	totals->name = name;
	totals->context = context;
	totals->slot.views = PUBLICATION_VIEWS;
	return totals;
}

void totals_free(struct totals *totals)
{
	if (!totals)
		return;
	map_release(&totals->of);
	free(totals->entry);
	free(totals);
}

static uint64_t key_of(uint32_t view, uint32_t owner, uint32_t kind)
{
	return ((uint64_t)view << KIND_BITS | (kind & KIND_ALL)) << 32 | owner;
}

static bool is_taken(const struct totals *totals, const struct publication_row *row)
{
	for (uint32_t i = 0; i < totals->rows; i++) {
		const struct publication_row *other = &totals->entry[i].row;

		if (other->id != row->id && other->view == row->view &&
		    (other->kind == PUBLICATION_ALL) == (row->kind == PUBLICATION_ALL) &&
		    !strcmp(other->name, row->name) && !strcmp(other->operation, row->operation))
			return true;
	}
	return false;
}

/* Two rows of the same name would be one in metrics. */
static void name_row(const struct totals *totals, struct publication_row *row)
{
	char suffix[24];
	size_t length;

	totals->name(totals->context, row);
	row->name[sizeof(row->name) - 1] = '\0';
	row->operation[sizeof(row->operation) - 1] = '\0';
	if (!is_taken(totals, row))
		return;
	length = (size_t)snprintf(suffix, sizeof(suffix), " #%u", row->owner);
	row->name[sizeof(row->name) - 1 - length] = '\0';
	memcpy(row->name + strlen(row->name), suffix, length + 1);
}

/* Returns a row that has been idle for longest, and for long enough; NULL: there is none. */
static struct entry *oldest_idle(const struct totals *totals)
{
	struct entry *oldest = NULL;

	for (uint32_t i = 0; i < totals->rows; i++) {
		struct entry *entry = &totals->entry[i];

		if (entry->row.in_flight || entry->row.owner == PUBLICATION_REST ||
		    entry->active + idle_ns > totals->slot.monotonic)
			continue;
		if (!oldest || entry->active < oldest->active)
			oldest = entry;
	}
	return oldest;
}

/* Each view needs two rows for what finds no room: of all operations, and the operations. */
static struct entry *free_entry(struct totals *totals, bool is_rest)
{
	uint32_t room = PUBLICATION_ROWS - (is_rest ? 0 : 2 * PUBLICATION_VIEWS);
	struct entry *entry;

	if (totals->rows < room)
		return &totals->entry[totals->rows++];
	entry = oldest_idle(totals);
	if (entry)
		map_remove(&totals->of, key_of(entry->row.view, entry->row.owner, entry->row.kind));
	return entry;
}

static struct entry *entry_of(struct totals *totals, uint32_t view, uint32_t owner, uint32_t kind)
{
	uint64_t key = key_of(view, owner, kind);
	uint32_t index = map_get(&totals->of, key);
	struct entry *entry;

	if (index != MAP_NONE)
		return &totals->entry[index];
	entry = free_entry(totals, owner == PUBLICATION_REST);
	if (!entry)
		return entry_of(totals, view, PUBLICATION_REST, kind == PUBLICATION_ALL ? kind : 0);
	*entry = (struct entry){
		.row = {.id = ++totals->next_id, .view = view, .owner = owner, .kind = kind}};
	name_row(totals, &entry->row);
	map_set(&totals->of, key, (uint32_t)(entry - totals->entry));
	return entry;
}

/* Reads a number of the line. Returns false if there is none. */
static bool take(const char **line, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(*line, &end, 10);
	if (end == *line || errno || (*end && *end != ' ' && *end != ':'))
		return false;
	*line = end;
	return true;
}

static bool take_all(const char **line, uint64_t *number, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!take(line, &number[i]))
			return false;
	return true;
}

static bool take_buckets(const char *line, uint64_t bucket[PUBLICATION_BUCKETS])
{
	uint64_t index, count;

	while (*line) {
		if (!take(&line, &index) || *line != ':')
			return false;
		line++;
		if (!take(&line, &count) || index >= PUBLICATION_BUCKETS)
			return false;
		bucket[index] += count;
	}
	return true;
}

/* Several groups without room are one row. */
static void fly(struct publication_row *row, uint64_t in_flight, uint64_t oldest, uint64_t is_hung)
{
	row->in_flight += (uint32_t)in_flight;
	row->is_hung |= is_hung != 0;
	if (oldest && (!row->oldest || oldest < row->oldest))
		row->oldest = oldest;
}

static void add_buckets(struct publication_row *row, const uint64_t bucket[PUBLICATION_BUCKETS])
{
	for (uint32_t i = 0; i < PUBLICATION_BUCKETS; i++)
		row->bucket[i] += bucket[i];
}

/* What is in flight of all operations is in the line of the owner. */
static void add_group(struct totals *totals, struct entry *entry, const uint64_t n[NUMBERS_MOST],
		      const uint64_t bucket[PUBLICATION_BUCKETS])
{
	struct publication_row *row = &entry->row;

	entry->active = totals->slot.monotonic;
	row->ops += n[3];
	row->sum += n[4];
	if (n[5] > row->max)
		row->max = n[5];
	add_buckets(row, bucket);
}

static int take_group(struct totals *totals, const char *line)
{
	uint64_t n[NUMBERS_MOST], bucket[PUBLICATION_BUCKETS] = {0};
	struct entry *entry;

	if (!take_all(&line, n, 9) || n[0] >= PUBLICATION_VIEWS || !take_buckets(line, bucket))
		return -EBADMSG;
	entry = entry_of(totals, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
	add_group(totals, entry, n, bucket);
	fly(&entry->row, n[6], n[7], n[8]);
	add_group(totals, entry_of(totals, (uint32_t)n[0], (uint32_t)n[1], PUBLICATION_ALL), n,
		  bucket);
	return 0;
}

static int take_owner(struct totals *totals, const char *line)
{
	uint64_t n[NUMBERS_MOST];
	struct entry *entry;

	if (!take_all(&line, n, 9) || *line || n[0] >= PUBLICATION_VIEWS)
		return -EBADMSG;
	entry = entry_of(totals, (uint32_t)n[0], (uint32_t)n[1], PUBLICATION_ALL);
	entry->active = totals->slot.monotonic;
	entry->row.read += n[2];
	entry->row.written += n[3];
	entry->row.errors += n[4];
	entry->row.busy += n[5];
	fly(&entry->row, n[6], n[7], n[8]);
	return 0;
}

static int take_books(struct totals *totals, const char *line)
{
	uint64_t n[NUMBERS_MOST];
	struct publication_books *books;

	if (!take_all(&line, n, 9) || *line || n[0] >= PUBLICATION_VIEWS)
		return -EBADMSG;
	books = &totals->slot.books[n[0]];
	books->is_counted = true;
	books->begun += n[1];
	books->ended += n[2];
	books->cancelled += n[3];
	books->left += n[4];
	books->begun_again += n[5];
	books->full += n[6];
	books->ungrouped += n[7];
	books->missed += n[8];
	return 0;
}

static int take_error(struct totals *totals, const char *line)
{
	uint64_t n[2];

	if (!take_all(&line, n, 2) || *line || n[0] >= PUBLICATION_ERRNOS)
		return -EBADMSG;
	totals->slot.failed[n[0]] += n[1];
	return 0;
}

static void clear(struct totals *totals)
{
	for (uint32_t i = 0; i < totals->rows; i++) {
		struct publication_row *row = &totals->entry[i].row;

		row->in_flight = row->is_hung = 0;
		row->max = row->oldest = 0;
	}
}

static int begin(struct totals *totals, const char *line)
{
	uint64_t n[3];

	if (!take_all(&line, n, 3) || *line || n[1] < n[0])
		return -EBADMSG;
	clear(totals);
	totals->slot.from = n[0];
	totals->slot.monotonic = n[1];
	totals->slot.realtime = n[2];
	return 0;
}

int totals_line(struct totals *totals, const char *line)
{
	static const struct {
		char letter;
		int (*take)(struct totals *totals, const char *line);
	} row[] = {{'F', begin},
		   {'G', take_group},
		   {'O', take_owner},
		   {'B', take_books},
		   {'E', take_error}};

	if (!strcmp(line, "."))
		return 1;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (*line == row[i].letter && line[1] == ' ')
			return row[i].take(totals, line + 1);
	return -EBADMSG;
}

void totals_restart(struct totals *totals)
{
	clear(totals);
	for (int view = 0; view < PUBLICATION_VIEWS; view++) {
		totals->slot.books[view].is_counted = false;
		totals->slot.books[view].restarts++;
	}
}

void totals_rename(struct totals *totals)
{
	for (uint32_t i = 0; i < totals->rows; i++)
		name_row(totals, &totals->entry[i].row);
}

uint32_t totals_rows(const struct totals *totals)
{
	return totals->rows;
}

const struct publication_row *totals_row(const struct totals *totals, uint32_t index)
{
	return &totals->entry[index].row;
}

const struct publication_slot *totals_slot(const struct totals *totals)
{
	return &totals->slot;
}

void totals_publish(const struct totals *totals, struct publisher *publisher)
{
	const size_t from = offsetof(struct publication_slot, realtime);
	struct publication_slot *slot = publisher_next(publisher);

	/* Sequence and generation are the publisher's. */
	memcpy(&slot->realtime, &totals->slot.realtime, sizeof(*slot) - from);
	slot->rows = totals->rows;
	for (uint32_t i = 0; i < totals->rows; i++)
		memcpy(publisher_row(publisher, i), &totals->entry[i].row,
		       sizeof(totals->entry[i].row));
	publisher_put(publisher);
}
