#include "span_record.h"

#include "span_probe.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <string.h>

/* Other spans are calls and operations. */
static int refuse_model(const struct span *span, struct error *err)
{
	bool is_block = span->source >= SPAN_OF_REQUESTS && span->source <= SPAN_OF_SERVICE;

	error_say(err, EINVAL, "--span %s: these are in the archive without --span%s", span->name,
		  is_block                         ? ", with --block"
		  : span->source == SPAN_OF_FAULTS ? ", with --syscalls=+fault"
						   : "");
	error_hint(err, "To see them: iotrace latency --span %s ARCHIVE", span->name);
	return -EINVAL;
}

static int parse(struct span_set *set, const struct text_list *words, const struct text_list *files,
		 struct error *err)
{
	int code = span_set_parse(set, words, files, false, err);

	for (uint32_t i = 0; i < set->spans && !code; i++)
		if (set->span[i]->source != SPAN_OF_TRACEPOINTS)
			code = refuse_model(set->span[i], err);
	return code;
}

int span_record_choose(struct span_set *set, struct record_options *options, char *const *argv,
		       struct error *err)
{
	struct recording *recording = &options->recording;
	int code = parse(set, &options->spans, &options->span_files, err);

	if (code || !set->spans)
		return code;
	code = span_set_place(set, recording, argv, err);
	if (code)
		return code;
	span_set_record(set, NULL, false, recording);
	for (uint32_t i = 0; i < set->events.count; i++)
		text_list_add(&recording->of_spans, set->events.item[i]);
	if (recording->everywhere.count && recording->selection.comms.count)
		return error_say(
			err, EINVAL,
			"--comm: spans that end in other threads cannot be chosen by a thread's name");
	return 0;
}

int span_record_read(struct span_set *set, const struct text_list *words,
		     const struct text_list *files, struct error *err)
{
	int code = parse(set, words, files, err);

	for (uint32_t i = 0; i < set->spans && !code; i++)
		if (span_wants_probes(set->span[i]))
			code = error_say(
				err, EINVAL,
				"span '%s': its probes are made while programs run, so it cannot be found in a "
				"capture",
				set->span[i]->name);
	return code;
}

void span_record_release(void *context)
{
	struct span_record *record = context;

	span_set_release(&record->spans, &record->options.recording);
	record_options_release(&record->options);
}

void span_record_use(const struct span_set *set, struct run *run, bool is_of_some)
{
	if (set->spans)
		run_record_spans(run, (const struct span *const *)set->span, set->spans,
				 is_of_some);
}

void span_record_log_troubles(const struct span_set *set, const struct run *run)
{
	for (uint32_t i = 0; i < set->spans; i++) {
		const char *trouble = run_span_trouble(run, i);

		if (trouble)
			log_warn("%s", trouble);
	}
}
