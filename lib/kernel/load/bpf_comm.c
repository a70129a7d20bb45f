/*
 * bpf_comm: see bpf_shared.h for the meaning of the bits of a state.
 *
 * A glob is a row of elements, each of which matches one letter. A star is not an element: it lets the state before the next
 * element (or at the end) stay. Unclear globs mean the same as in the kernel's lib/glob.c: a set that is not closed is a letter.
 */
#include "bpf_comm.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdbool.h>
#include <string.h>

enum { ELEMENTS = 64, LETTERS = 256 };

/* Marks the letters of the set after its '['. Returns the position after the set, or NULL if the set is not closed. */
static const char *read_set(const char *at, uint8_t taken[LETTERS])
{
	bool is_inverted = *at == '!';
	uint8_t in_set[LETTERS] = {0};

	at += is_inverted;
	do {
		unsigned first = (unsigned char)*at, last = first;

		if (first && at[1] == '-' && at[2] != ']') {
			at += 2;
			last = (unsigned char)*at;
		}
		if (!*at)
			return NULL;
		for (unsigned letter = first; letter <= last; letter++)
			in_set[letter] = 1;
		at++;
	} while (*at != ']');
	for (unsigned letter = 0; letter < LETTERS; letter++)
		taken[letter] = in_set[letter] != is_inverted;
	return at + 1;
}

/* Marks the letters that the element matches. Returns the position after it. */
static const char *read_element(const char *at, uint8_t taken[LETTERS])
{
	const char *behind = *at == '[' ? read_set(at + 1, taken) : NULL;

	if (behind)
		return behind;
	memset(taken, *at == '?', LETTERS);
	if (*at == '?')
		return at + 1;
	if (*at == '\\' && at[1])
		at++;
	taken[(unsigned char)*at] = 1;
	return at + 1;
}

/* Adds a glob after `used` elements. Returns the new number of elements: one more than the glob has, for the state at its end. */
static uint32_t add(struct bpf_comm *comm, uint32_t used, const char *glob)
{
	uint8_t taken[LETTERS];

	if (used >= ELEMENTS)
		return ELEMENTS + 1;
	comm->first |= UINT64_C(1) << used;
	while (*glob && used < ELEMENTS) {
		if (*glob == '*') {
			comm->stay |= UINT64_C(1) << used;
			glob++;
			continue;
		}
		glob = read_element(glob, taken);
		for (unsigned letter = 0; letter < LETTERS; letter++)
			comm->step[letter] |= (uint64_t)taken[letter] << used;
		used++;
	}
	if (used >= ELEMENTS)
		return ELEMENTS + 1;
	comm->last |= UINT64_C(1) << used;
	return used + 1;
}

int bpf_comm_fill(struct bpf_comm *comm, const char *const *glob, uint32_t globs, struct error *err)
{
	uint32_t used = 0;

	memset(comm, 0, sizeof(*comm));
	for (uint32_t i = 0; i < globs; i++)
		used = add(comm, used, glob[i]);
	if (used > ELEMENTS)
		return error_say(
			err, E2BIG,
			"BPF programs can match patterns of names with at most %d letters in total",
			ELEMENTS);
	return 0;
}
