/* tally: the counters of tally.def, and their equations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_counter {
#define COUNTER(name, is_warning, sentence) TALLY_##name,
#include <iotrace/tally.def>
#undef COUNTER
	TALLY_COUNT
};

struct tally {
	uint64_t n[TALLY_COUNT];
};

#define tally_add(tally, name, amount) ((tally)->n[TALLY_##name] += (uint64_t)(amount))
#define tally_get(tally, name)         ((tally)->n[TALLY_##name])

/* Adds all counters of another tally. */
void tally_merge(struct tally *tally, const struct tally *other);
const char *tally_name(enum tally_counter counter);
const char *tally_sentence(enum tally_counter counter);
bool tally_is_warning(enum tally_counter counter);

/*
 * Returns whether all equations hold. Otherwise, text contains the first one that does not
 * ("begun 7 = completed 5 + cancelled 0 + in_flight 1").
 */
bool tally_balance(const struct tally *tally, char *text, size_t size);
