/* nearest: Damerau's distance (optimal alignment) between short words, with three rows of the table. */
#include <iotrace/nearest.h>

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 63 };

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool is_same(char a, char b, bool is_any_case)
{
	return a == b || (is_any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

static uint32_t distance_of(const char *a, const char *b, bool is_any_case)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	uint32_t row[3][WORD_MAX + 1];

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return UINT32_MAX;
	for (size_t j = 0; j <= b_length; j++)
		row[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= a_length; i++) {
		uint32_t *now = row[i % 3], *last = row[(i - 1) % 3];

		now[0] = (uint32_t)i;
		for (size_t j = 1; j <= b_length; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1,
				       last[j - 1] + !is_same(a[i - 1], b[j - 1], is_any_case));
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2], is_any_case) &&
			    is_same(a[i - 2], b[j - 1], is_any_case))
				now[j] = least(now[j], row[(i - 2) % 3][j - 2] + 1);
		}
	}
	return row[a_length % 3][b_length];
}

uint32_t nearest_distance(const char *a, const char *b)
{
	return distance_of(a, b, false);
}

uint32_t nearest_distance_any_case(const char *a, const char *b)
{
	return distance_of(a, b, true);
}

void nearest_init(struct nearest *nearest, const char *word)
{
	*nearest = (struct nearest){word, NULL, UINT32_MAX};
}

void nearest_try(struct nearest *nearest, const char *candidate)
{
	size_t length = strlen(nearest->word);
	uint32_t distance = nearest_distance(nearest->word, candidate);

	/* A matching prefix of at least two letters counts like one wrong letter. */
	if (length > 1 && distance > 1 && !strncmp(candidate, nearest->word, length))
		distance = 1;
	if (distance > (length + 1) / 3 || distance >= nearest->distance)
		return;
	nearest->best = candidate;
	nearest->distance = distance;
}
