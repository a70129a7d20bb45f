/*
 * order_merge: how the tournament is set up.
 */
#include "order_merge.h"

#include <iotrace/mem.h>

#include <stdlib.h>

void merge_release(struct merge *merge)
{
	free(merge->node);
	free(merge->entry);
	*merge = (struct merge){0};
}

void merge_reset(struct merge *merge)
{
	merge->entries = 0;
}

void merge_add(struct merge *merge, uint64_t time, uint32_t rank)
{
	uint32_t leaf = merge->entries++;

	MEM_GROW(merge->entry, merge->entry_cap, merge->entries);
	merge->entry[leaf] = (merge_player)time << 64 | (uint64_t)rank << 32 | leaf;
}

/* Plays every match once, from the leaves up. While it does, entry[] has the winners of a level. */
void merge_start(struct merge *merge)
{
	uint32_t leaves = 1;

	while (leaves < merge->entries)
		leaves *= 2;
	while (merge->entries < leaves)
		merge_add(merge, MERGE_NEVER, UINT32_MAX);
	merge->leaves = leaves;
	MEM_GROW(merge->node, merge->node_cap, leaves);
	for (uint32_t level = leaves / 2; level; level /= 2) {
		for (uint32_t i = 0; i < level; i++) {
			merge_player a = merge->entry[2 * i];
			merge_player b = merge->entry[2 * i + 1];

			merge->node[level + i] = a < b ? b : a;
			merge->entry[i] = a < b ? a : b;
		}
	}
	merge->node[0] = merge->entry[0];
}
