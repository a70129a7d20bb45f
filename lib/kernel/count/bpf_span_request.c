/* bpf_span_request: see bpf_span_request.h. */
#include "bpf_span_request.h"

#include "feature/bpf_bind.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <string.h>

struct row {
	struct bpf_link **link;
	struct bpf_program *program;
	bool is_of_origin; /* only needed if it matters who causes requests */
};

enum { PROGRAMS = 10 };

/* Ends are attached first: a request that only begins would seem to be in flight. */
static void list(struct span_bpf *programs, struct row row[PROGRAMS])
{
	memcpy(row,
	       (const struct row[PROGRAMS]){
		       {&programs->links.file_changes, programs->progs.file_changes, true},
		       {&programs->links.bio_moves, programs->progs.bio_moves, true},
		       {&programs->links.bio_splits, programs->progs.bio_splits, true},
		       {&programs->links.bio_ends, programs->progs.bio_ends, false},
		       {&programs->links.request_ends, programs->progs.request_ends, false},
		       {&programs->links.request_merges, programs->progs.request_merges, false},
		       {&programs->links.request_returns, programs->progs.request_returns, false},
		       {&programs->links.request_goes, programs->progs.request_goes, false},
		       {&programs->links.request_waits, programs->progs.request_waits, false},
		       {&programs->links.bio_comes, programs->progs.bio_comes, false},
	       },
	       PROGRAMS * sizeof(*row));
}

static uint8_t groups_of(enum counted_by by)
{
	return by == COUNTED_BY_DEVICE  ? BPF_SPAN_BY_DEVICE
	       : by == COUNTED_BY_KIND  ? BPF_SPAN_BY_KIND
	       : by == COUNTED_BY_GROUP ? BPF_SPAN_BY_DEVICE | BPF_SPAN_BY_KIND
					: 0;
}

int bpf_span_plan_requests(struct bpf_span_spec *spec, const struct bpf_span_options *options,
			   struct error *err)
{
	static const uint8_t parts[] = {[COUNTED_WHOLE_REQUESTS] = BPF_SPAN_WHOLE,
					[COUNTED_QUEUES] = BPF_SPAN_QUEUE,
					[COUNTED_SERVICES] = BPF_SPAN_SERVICE};
	const struct counted_span *span = options->span;

	if (options->devices > BPF_SPAN_DEVICES)
		return error_say(err, ENOTSUP, "more than %d devices are wanted", BPF_SPAN_DEVICES);
	*spec = (struct bpf_span_spec){.keys = 1,
				       .text_size = BPF_SPAN_SHORT_TEXT,
				       .above = span->above,
				       .has_group = span->by != COUNTED_BY_NOTHING,
				       .is_of_requests = true,
				       .request_part = parts[span->requests],
				       .request_groups = groups_of(span->by),
				       .owner = span->by == COUNTED_BY_OWNER ? BPF_SPAN_OF_DEVICE
									     : BPF_SPAN_NO_OWNER,
				       .devices = options->devices};
	for (uint32_t i = 0; i < options->devices; i++)
		spec->device[i] = options->device[i];
	return 0;
}

void bpf_span_prepare_requests(struct span_bpf *programs, const struct bpf_span_spec *spec)
{
	struct row row[PROGRAMS];

	list(programs, row);
	for (int i = 0; i < PROGRAMS; i++)
		bpf_program__set_autoload(row[i].program,
					  spec->is_of_requests &&
						  (spec->has_origin || !row[i].is_of_origin));
}

int bpf_span_attach_requests(struct span_bpf *programs, struct error *err)
{
	struct row row[PROGRAMS];
	int code = 0;

	list(programs, row);
	for (int i = 0; i < PROGRAMS && !code; i++)
		code = bpf_bind_attach_loaded(row[i].link, row[i].program, err);
	return code;
}
