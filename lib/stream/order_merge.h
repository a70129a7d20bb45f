/*
 * order_merge: the smallest of many rising streams, again and again: a tournament of losers.
 *
 * The streams are the leaves of a complete binary tree; each inner node keeps the loser of the
 * match that was played there, the root the winner. When the winner's stream goes on, only the
 * matches on its way up are played again, log2(streams) of them. A player is one number of 128
 * bits, so that a match is a compare and two conditional moves: with branches it took three times
 * as long, since nobody can foresee who wins.
 */
#ifndef ORDER_MERGE_H
#define ORDER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

/* A stream that has nothing more has this time. No record has it. */
#define MERGE_NEVER UINT64_MAX

/* time << 64 | rank << 32 | leaf: of equal times the lower rank is first. */
__extension__ typedef unsigned __int128 merge_player;

struct merge {
	merge_player *node; /* node[0]: the winner; 1 .. leaves - 1: losers */
	uint32_t node_cap;
	uint32_t leaves; /* a power of two */
	merge_player *entry;
	uint32_t entry_cap;
	uint32_t entries;
};

void merge_release(struct merge *merge);
/*
 * Empties it; then merge_add() each stream with its first time, in any order, then merge_start().
 */
void merge_reset(struct merge *merge);
void merge_add(struct merge *merge, uint64_t time, uint32_t rank);
void merge_start(struct merge *merge);

static inline uint64_t merge_time(const struct merge *merge)
{
	return (uint64_t)(merge->node[0] >> 64);
}

static inline uint32_t merge_rank(const struct merge *merge)
{
	return (uint32_t)(merge->node[0] >> 32);
}

/* The winner's stream goes on with this time. */
static inline void merge_replace(struct merge *merge, uint64_t time)
{
	merge_player *node = merge->node;
	merge_player winner = (merge_player)time << 64 | (uint64_t)node[0];
	uint32_t at = ((uint32_t)winner + merge->leaves) / 2;

	for (; at; at /= 2) {
		merge_player loser = node[at];
		bool is_other = loser < winner;

		node[at] = is_other ? winner : loser;
		winner = is_other ? loser : winner;
	}
	node[0] = winner;
}

#endif
