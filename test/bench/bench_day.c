/*
 * bench_day: a day of 1,000 spans a second, as `iotrace latency --heatmap` takes them. Prints the memory of all numbers after an hour and
 * after the day, and what a span costs.
 */
#include <iotrace/latency.h>
#include <malloc.h>
#include <stdio.h>
#include <time.h>

static const uint64_t spans = 86400000, in_an_hour = 3600000, ns_between = 1000000,
		      second = 1000000000;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void)
{
	const struct latency_options options = {.has_heat = true};
	struct latency *latency = latency_new(&options);
	struct span_seen seen = {.fate = SPAN_ENDED};
	const struct latency_group *const *group;
	uint64_t random = 88172645463325252;
	size_t hour = 0;
	double begin = now();

	for (uint64_t i = 0; i < spans; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		seen.end = second + i * ns_between;
		seen.begin = seen.end - ((1000 + (random & 0xfffffff)) >> (random >> 61));
		latency_seen(latency, &seen);
		if (i == in_an_hour)
			hour = mallinfo2().uordblks;
	}
	latency_groups(latency, &group);
	printf("%zu bytes after an hour, %zu after a day, in %u columns of %llu s; %.0f ns a span\n",
	       hour, mallinfo2().uordblks, group[0]->heat.columns,
	       (unsigned long long)(group[0]->heat.step / second), (now() - begin) / (double)spans);
	latency_free(latency);
	return 0;
}
