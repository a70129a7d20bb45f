/*
 * strtab: texts in blocks that never move, with ids in an index whose hashes nobody outside can predict.
 *
 * Searching and growing the index read no text except the matching one, so most texts can be cold.
 */
#include <iotrace/strtab.h>

#include <iotrace/cold.h>
#include <iotrace/hash.h>
#include <iotrace/index.h>
#include <iotrace/mem.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_SIZE = 64 * 1024,
	/* Longer texts get a block of their own, so that no space is wasted. */
	LONG_TEXT = BLOCK_SIZE / 8,
};

struct block {
	struct block *next;
	char bytes[];
};

struct text {
	const char *bytes;
	uint32_t length;
};

struct strtab {
	struct text *text;
	uint32_t count, text_capacity;
	struct index index;
	struct hash_key key;
	struct block *block; /* blocks that are not cold; short texts go into `at` */
	char *at;
	size_t left;
	size_t stored; /* size of all texts in bytes */
	struct cold_area area;
};

static char *block_add(struct strtab *tab, size_t size)
{
	struct block *block = mem_alloc(sizeof(*block) + size);

	block->next = tab->block;
	tab->block = block;
	return block->bytes;
}

/* If there are many texts, most of them are names of files that are no longer in use. */
static void begin_block(struct strtab *tab)
{
	tab->at = tab->stored < COLD_STEP ? NULL : cold_block(tab->area.cold, COLD_STEP);
	tab->left = tab->at ? COLD_STEP : BLOCK_SIZE;
	if (!tab->at)
		tab->at = block_add(tab, BLOCK_SIZE);
}

static const char *store(struct strtab *tab, const char *bytes, size_t length)
{
	size_t size = length + 1;
	char *at;

	if (size > LONG_TEXT && size > tab->left) {
		at = block_add(tab, size);
	} else {
		if (size > tab->left)
			begin_block(tab);
		at = tab->at;
		tab->at += size;
		tab->left -= size;
	}
	tab->stored += size;
	memcpy(at, bytes, length);
	at[length] = '\0';
	return at;
}

static bool is_text(const struct strtab *tab, str_id id, const char *bytes, size_t length)
{
	const struct text *text = &tab->text[id];

	return text->length == length && (!length || !memcmp(text->bytes, bytes, length));
}

struct strtab *strtab_new(void)
{
	struct strtab *tab = mem_zero(sizeof(*tab));

	tab->key = hash_key_of_process();
	strtab_add(tab, "", 0);
	return tab;
}

void strtab_free(struct strtab *tab)
{
	struct block *block, *next;

	if (!tab)
		return;
	for (block = tab->block; block; block = next) {
		next = block->next;
		free(block);
	}
	index_release(&tab->index);
	cold_area_release(&tab->area, tab->text);
	free(tab);
}

void strtab_use(struct strtab *tab, struct cold *cold)
{
	tab->area.cold = cold;
}

str_id strtab_add(struct strtab *tab, const char *bytes, size_t length)
{
	uint64_t hash = hash_bytes(tab->key, bytes, length);
	uint32_t at;
	str_id id = index_first(&tab->index, hash, &at);

	assert(length < UINT32_MAX);
	while (id != INDEX_NONE && !is_text(tab, id, bytes, length))
		id = index_next(&tab->index, hash, &at);
	if (id != INDEX_NONE)
		return id;
	id = tab->count++;
	COLD_GROW(&tab->area, tab->text, tab->text_capacity, tab->count);
	tab->text[id] = (struct text){store(tab, bytes, length), (uint32_t)length};
	index_add(&tab->index, hash, id);
	return id;
}

str_id strtab_add_text(struct strtab *tab, const char *text)
{
	return strtab_add(tab, text, strlen(text));
}

const char *strtab_text(const struct strtab *tab, str_id id)
{
	assert(id < tab->count);
	return tab->text[id].bytes;
}

uint32_t strtab_length(const struct strtab *tab, str_id id)
{
	assert(id < tab->count);
	return tab->text[id].length;
}

uint32_t strtab_count(const struct strtab *tab)
{
	return tab->count;
}

size_t strtab_bytes(const struct strtab *tab)
{
	return tab->stored;
}
