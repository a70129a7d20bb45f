/* nearest: the word that the user probably meant. */
#pragma once

#include <stdint.h>

struct nearest {
	const char *word; /* lent */
	const char *best; /* the nearest so far, or NULL if none is similar enough for a hint */
	uint32_t distance;
};

void nearest_init(struct nearest *nearest, const char *word);
void nearest_try(struct nearest *nearest, const char *candidate);
/*
 * Returns how many letters were inserted, omitted, replaced or swapped with their neighbour; UINT32_MAX if a word has more than
 * 63 letters.
 */
uint32_t nearest_distance(const char *a, const char *b);
/* The same, ignoring case. */
uint32_t nearest_distance_any_case(const char *a, const char *b);
