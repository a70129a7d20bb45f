/* bpf_span_fault: see bpf_span_fault.h. */
#include "bpf_span_fault.h"

#include "feature/bpf_bind.h"
#include "load/bpf_source.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/syscall.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 5 };

struct row {
	struct bpf_link **link;
	struct bpf_program *program;
	bool is_of_files; /* only needed for names */
};

static void list(struct span_bpf *programs, struct row row[PROGRAMS])
{
	memcpy(row,
	       (const struct row[PROGRAMS]){
		       {&programs->links.operation_maps, programs->progs.operation_maps, false},
		       {&programs->links.operation_leaves_call,
			programs->progs.operation_leaves_call, false},
		       {&programs->links.operation_reads, programs->progs.operation_reads, false},
		       {&programs->links.operation_faults, programs->progs.operation_faults, false},
		       {&programs->links.file_is_mapped, programs->progs.file_is_mapped, true},
	       },
	       PROGRAMS * sizeof(*row));
}

static enum bpf_span_at group_at(enum counted_by by)
{
	return by == COUNTED_BY_PROCESS  ? BPF_SPAN_PID
	       : by == COUNTED_BY_THREAD ? BPF_SPAN_TID
					 : BPF_SPAN_NOTHING;
}

int bpf_span_plan_faults(struct bpf_span_spec *spec, const struct counted_span *span)
{
	*spec = (struct bpf_span_spec){.keys = 1,
				       .text_size = BPF_SPAN_SHORT_TEXT,
				       .above = span->above,
				       .has_group = span->by != COUNTED_BY_NOTHING,
				       .owner = BPF_SPAN_OF_OPERATION,
				       .by_mode = span->by == COUNTED_BY_MODE,
				       .chunks = span->by == COUNTED_BY_FILE ? BPF_SPAN_CHUNKS : 0};
	spec->point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at = (uint8_t)group_at(span->by);
	return 0;
}

int bpf_span_add_faults(struct bpf_span_spec *spec, const struct bpf_source *source,
			struct error *err)
{
	static const char name[] = "mmap";
	const struct bpf_common common = bpf_source_common(source);
	call_id id = call_by_name(name, strlen(name));

	if (!common.has_faults)
		return error_say(err, ENOTSUP,
				 "this kernel has no tracepoints of page faults that are known");
	spec->has_faults = true;
	spec->mmap = id == CALL_ID_NONE ? -1 : (int32_t)call_row(id)->number;
	return 0;
}

void bpf_span_prepare_faults(struct span_bpf *programs, const struct bpf_span_spec *spec)
{
	struct row row[PROGRAMS];

	programs->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)getpagesize());
	list(programs, row);
	for (int i = 0; i < PROGRAMS; i++)
		bpf_program__set_autoload(row[i].program,
					  spec->has_faults &&
						  (spec->chunks || !row[i].is_of_files));
	bpf_map__set_max_entries(programs->maps.mapped,
				 spec->has_faults && spec->chunks ? BPF_SPAN_FILES : 1);
	bpf_map__set_autocreate(programs->maps.faults, spec->has_faults);
}

int bpf_span_attach_faults(struct span_bpf *programs, struct error *err)
{
	struct row row[PROGRAMS];
	int code = 0;

	list(programs, row);
	for (int i = 0; i < PROGRAMS && !code; i++)
		code = bpf_bind_attach_loaded(row[i].link, row[i].program, err);
	return code;
}
