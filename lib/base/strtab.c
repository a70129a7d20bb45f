/*
 * strtab: texts in blocks that never move, ids in a hash table whose hashes nobody outside can predict.
 *
 * A slot holds half of a text's 64-bit hash and its id, so that searching and growing the table touch no
 * text but the one that matches. Slots are a power of two and at most half full.
 */
#include <iotrace/strtab.h>

#include <iotrace/hash.h>
#include <iotrace/mem.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_SLOTS = 256,
	BLOCK_SIZE = 64 * 1024,
	LONG_TEXT = BLOCK_SIZE / 8, /* longer ones get a block of their own: no space is wasted */
};

struct block {
	struct block *next;
	char bytes[];
};

struct text {
	const char *bytes;
	uint32_t length;
};

struct slot {
	uint32_t hash;
	str_id next_id; /* id + 1, 0: free */
};

struct strtab {
	struct text *text;
	uint32_t count, text_capacity;
	struct slot *slot;
	uint32_t slots;
	struct hash_key key;
	struct block *block; /* all blocks; the texts that are shorter go into `at` */
	char *at;
	size_t left;
};

static struct block *block_add(struct strtab *tab, size_t size)
{
	struct block *block = mem_alloc(sizeof(*block) + size);

	block->next = tab->block;
	tab->block = block;
	return block;
}

static const char *store(struct strtab *tab, const char *bytes, size_t length)
{
	size_t size = length + 1;
	char *at;

	if (size > LONG_TEXT) {
		at = block_add(tab, size)->bytes;
	} else {
		if (size > tab->left) {
			tab->at = block_add(tab, BLOCK_SIZE)->bytes;
			tab->left = BLOCK_SIZE;
		}
		at = tab->at;
		tab->at += size;
		tab->left -= size;
	}
	memcpy(at, bytes, length);
	at[length] = '\0';
	return at;
}

static struct slot *vacancy(const struct strtab *tab, uint32_t h)
{
	uint32_t mask = tab->slots - 1;
	uint32_t i = h & mask;

	while (tab->slot[i].next_id)
		i = (i + 1) & mask;
	return &tab->slot[i];
}

static void grow(struct strtab *tab)
{
	struct slot *old = tab->slot;
	uint32_t old_slots = tab->slots;
	uint32_t i;

	assert(old_slots <= UINT32_MAX / 2);
	tab->slots = old_slots * 2;
	tab->slot = mem_array(tab->slots, sizeof(*tab->slot));
	for (i = 0; i < old_slots; i++)
		if (old[i].next_id)
			*vacancy(tab, old[i].hash) = old[i];
	free(old);
}

/* Returns the slot of the text, or the free one where it belongs. */
static struct slot *find(const struct strtab *tab, uint32_t h, const char *bytes, size_t length)
{
	uint32_t mask = tab->slots - 1;
	const struct text *text;
	struct slot *slot;
	uint32_t i;

	for (i = h & mask;; i = (i + 1) & mask) {
		slot = &tab->slot[i];
		if (!slot->next_id)
			return slot;
		if (slot->hash != h)
			continue;
		text = &tab->text[slot->next_id - 1];
		if (text->length == length && (!length || !memcmp(text->bytes, bytes, length)))
			return slot;
	}
}

struct strtab *strtab_new(void)
{
	struct strtab *tab = mem_zero(sizeof(*tab));

	tab->key = hash_key_of_process();
	tab->slots = FIRST_SLOTS;
	tab->slot = mem_array(tab->slots, sizeof(*tab->slot));
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
	free(tab->slot);
	free(tab->text);
	free(tab);
}

str_id strtab_add(struct strtab *tab, const char *bytes, size_t length)
{
	uint32_t h = (uint32_t)hash_bytes(tab->key, bytes, length);
	struct slot *slot = find(tab, h, bytes, length);

	assert(length < UINT32_MAX);
	if (slot->next_id)
		return slot->next_id - 1;
	if (tab->count >= tab->slots / 2) {
		grow(tab);
		slot = vacancy(tab, h);
	}
	MEM_GROW(tab->text, tab->text_capacity, tab->count + 1);
	tab->text[tab->count] = (struct text){store(tab, bytes, length), (uint32_t)length};
	*slot = (struct slot){h, ++tab->count};
	return tab->count - 1;
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
