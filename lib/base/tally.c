/*
 * tally: names and sentences of the counters, and the equations between them.
 *
 * An equation is a row: the counters of its left side, then those of its right side.
 */
#include <iotrace/tally.h>

#include <assert.h>
#include <stdio.h>

enum { END = -1, SIDE_MAX = 6 };

static const struct {
	const char *name;
	const char *sentence;
	bool is_warning;
} counters[TALLY_COUNT] = {
#define COUNTER(name, is_warning, sentence) {#name, sentence, is_warning},
#include <iotrace/tally.def>
#undef COUNTER
};

static const struct equation {
	int left[SIDE_MAX];
	int right[SIDE_MAX];
	bool is_optional; /* a left side of 0 means that nothing was counted */
} equations[] = {
	/* A file of another program lacks the kernel's counts. */
	{{TALLY_kernel_counted, END}, {TALLY_samples, TALLY_lost, TALLY_unseen, END}, true},
	{{TALLY_samples, END}, {TALLY_events, TALLY_ignored, TALLY_malformed, END}, false},
	{{TALLY_begun, END},
	 {TALLY_completed, TALLY_cancelled, TALLY_aborted, TALLY_unreported, TALLY_in_flight, END},
	 false},
	{{TALLY_handles_created, TALLY_handles_inherited, END},
	 {TALLY_handles_destroyed, TALLY_handles_open, END},
	 false},
};

void tally_merge(struct tally *tally, const struct tally *other)
{
	for (uint32_t i = 0; i < TALLY_COUNT; i++)
		tally->n[i] += other->n[i];
}

const char *tally_name(enum tally_counter counter)
{
	assert((unsigned int)counter < TALLY_COUNT);
	return counters[counter].name;
}

const char *tally_sentence(enum tally_counter counter)
{
	assert((unsigned int)counter < TALLY_COUNT);
	return counters[counter].sentence;
}

bool tally_is_warning(enum tally_counter counter)
{
	assert((unsigned int)counter < TALLY_COUNT);
	return counters[counter].is_warning;
}

static uint64_t sum(const struct tally *tally, const int *side)
{
	uint64_t n = 0;

	for (; *side != END; side++)
		n += tally->n[*side];
	return n;
}

static size_t print_side(const struct tally *tally, const int *side, char *text, size_t size)
{
	const char *between = "";
	size_t used = 0;

	for (; *side != END && used < size; side++) {
		used += (size_t)snprintf(text + used, size - used, "%s%s %llu", between,
					 counters[*side].name, (unsigned long long)tally->n[*side]);
		between = " + ";
	}
	return used;
}

static void print(const struct tally *tally, const struct equation *eq, char *text, size_t size)
{
	size_t used = print_side(tally, eq->left, text, size);

	if (used < size)
		used += (size_t)snprintf(text + used, size - used, " = ");
	if (used < size)
		print_side(tally, eq->right, text + used, size - used);
}

bool tally_balance(const struct tally *tally, char *text, size_t size)
{
	size_t i;

	if (size)
		text[0] = '\0';
	for (i = 0; i < sizeof(equations) / sizeof(equations[0]); i++) {
		const struct equation *eq = &equations[i];
		uint64_t left = sum(tally, eq->left);

		if ((eq->is_optional && !left) || left == sum(tally, eq->right))
			continue;
		print(tally, eq, text, size);
		return false;
	}
	return true;
}
