/*
 * books_check: the one sentence about completeness.
 */
#include "summary.h"

#include <iotrace/books.h>
#include <iotrace/model.h>
#include <stdarg.h>

/* What makes an event missing, and what helps. */
static const struct {
	enum tally_counter counter;
	const char *why, *why_many; /* of one, of many */
	const char *remedy;         /* NULL: none */
	bool is_only_for_perf;      /* the remedy */
} loss[] = {
	{TALLY_lost, "the kernel found its ring full", "the kernel found its rings full",
	 "a larger ring with -m", false},
	{TALLY_unseen, "the kernel did not deliver it", "the kernel did not deliver them",
	 "--source=bpf", true},
	{TALLY_malformed, "it does not follow its format", "they do not follow their format", NULL,
	 false},
	{TALLY_sink_refused, "the archive's writer refused it", "the archive's writer refused them",
	 NULL, false},
};

enum { LOSSES = sizeof(loss) / sizeof(*loss) };

struct text {
	char *at;
	size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
	va_list list;
	int length = 0;

	va_start(list, format);
	if (text->used < text->size)
		length = vsnprintf(text->at + text->used, text->size - text->used, format, list);
	va_end(list);
	text->used += length > 0 ? (size_t)length : 0;
}

bool books_is_loss(enum tally_counter counter)
{
	for (int i = 0; i < LOSSES; i++)
		if (loss[i].counter == counter)
			return true;
	return false;
}

static void add_reasons(struct text *text, const struct tally *tally, uint64_t missing)
{
	const char *before = " (";
	char number[SUMMARY_NUMBER];

	for (int i = 0; i < LOSSES; i++) {
		uint64_t count = tally->n[loss[i].counter];

		if (!count)
			continue;
		add(text, "%s", before);
		if (count != missing)
			add(text, "%s: ", summary_count(number, count));
		add(text, "%s", count == 1 ? loss[i].why : loss[i].why_many);
		before = "; ";
	}
	add(text, ").");
}

static void add_remedies(struct text *text, const struct tally *tally, bool is_perf)
{
	const char *before = " Try ";

	for (int i = 0; i < LOSSES; i++) {
		if (!tally->n[loss[i].counter] || !loss[i].remedy ||
		    (loss[i].is_only_for_perf && !is_perf))
			continue;
		add(text, "%s%s", before, loss[i].remedy);
		before = ", or ";
	}
	if (*before == ',')
		add(text, ".");
}

enum books_state books_check(const struct model *model, const struct tally *tally, char *text,
			     size_t size)
{
	uint64_t samples = tally_get(tally, samples), missing = 0;
	uint64_t all = samples + tally_get(tally, lost) + tally_get(tally, unseen);
	struct text out = {text, size, 0};
	char wrong[256], of[SUMMARY_NUMBER], number[SUMMARY_NUMBER];

	if (!tally_balance(tally, wrong, sizeof(wrong))) {
		add(&out,
		    "iotrace has miscounted: %s. This is a fault of iotrace: please report it.",
		    wrong);
		return BOOKS_WRONG;
	}
	for (int i = 0; i < LOSSES; i++)
		missing += tally->n[loss[i].counter];
	if (!missing) {
		add(&out, "complete: all %s events recorded", summary_count(number, samples));
		return BOOKS_BALANCED;
	}
	add(&out, "incomplete: %s of %s events %s missing", summary_count(number, missing),
	    summary_count(of, all), missing == 1 ? "is" : "are");
	add_reasons(&out, tally, missing);
	add_remedies(&out, tally, model_host(model)->source != MODEL_SOURCE_BPF);
	return BOOKS_LOSS;
}
