/* stat_losses: see stat_losses.h. */
#include "stat_losses.h"

#include "analysis/span_run.h"

#include <iotrace/books.h>
#include <iotrace/counted_read.h>
#include <iotrace/log.h>

/* If a request begins while it is in flight, its end was not seen. */
static uint64_t unseen_ends(const struct span_run *run, const struct counted_books *books)
{
	return run->options->counted[0].requests ? books->begun_again : 0;
}

void stat_losses_of_counters(const struct span_run *run, const struct live *live)
{
	const struct counted_books books = live_counted_books(live, 0);
	const struct {
		uint64_t count;
		const char *what;
	} row[] = {
		{books.missed, "events did not reach the counters: the kernel did not run the BPF "
			       "program, because it was already running on that CPU"},
		{books.full, "were not counted, because too many were in flight"},
		{unseen_ends(run, &books),
		 "requests are not counted, because the kernel did not pass their ends to the BPF "
		 "program"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (row[i].count)
			log_warn("incomplete: %llu %s", (unsigned long long)row[i].count,
				 row[i].what);
}

void stat_losses_of_records(const struct span_run *run)
{
	char sentence[512];
	enum books_state state = books_check(run_trace(run->run), run_tally(run->run), sentence,
					     sizeof(sentence));

	if (state == BOOKS_LOSS || state == BOOKS_WRONG)
		log_warn("%s", sentence);
}
