/* bpf_span_async: see bpf_span_async.h. */
#include "bpf_span_async.h"

#include "feature/bpf_bind.h"
#include "load/bpf_source.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/aio.h>
#include <iotrace/error.h>
#include <string.h>

enum { BYTES, BYTES_BY_FILE, OPERATIONS, USES };
enum { PROGRAMS = 8 };

/* A program for one layout of a tracepoint, which is that of a program of a recording. */
struct row {
	struct bpf_link **link;
	struct bpf_program *program;
	const char *layout;
	int use;
};

/* Ends are attached first: a request that only begins would seem to be in flight. */
static void list(struct span_bpf *programs, struct row row[PROGRAMS])
{
	memcpy(row,
	       (const struct row[PROGRAMS]){
		       {&programs->links.uring_ends, programs->progs.uring_ends, "request_ends",
			BYTES},
		       {&programs->links.uring_ends_values, programs->progs.uring_ends_values,
			"request_ends_values", BYTES},
		       {&programs->links.file_uring_ends, programs->progs.file_uring_ends,
			"request_ends", BYTES_BY_FILE},
		       {&programs->links.file_uring_ends_values,
			programs->progs.file_uring_ends_values, "request_ends_values",
			BYTES_BY_FILE},
		       {&programs->links.operation_ends, programs->progs.operation_ends,
			"request_ends", OPERATIONS},
		       {&programs->links.operation_ends_values,
			programs->progs.operation_ends_values, "request_ends_values", OPERATIONS},
		       {&programs->links.operation_taken, programs->progs.operation_taken,
			"request_taken", OPERATIONS},
		       {&programs->links.operation_taken_sqe, programs->progs.operation_taken_sqe,
			"request_taken_sqe", OPERATIONS},
	       },
	       PROGRAMS * sizeof(*row));
}

static int use_of(const struct bpf_span_spec *spec)
{
	return spec->has_async_operations ? OPERATIONS
	       : !spec->has_async         ? USES
	       : spec->chunks             ? BYTES_BY_FILE
					  : BYTES;
}

static bool is_layout(const char *layout, const char *word)
{
	return layout && !strcmp(layout, word);
}

int bpf_span_check_async(const struct bpf_span_spec *spec, const struct bpf_source *source,
			 struct error *err)
{
	const struct bpf_common common = bpf_source_common(source);
	const char *begin = common.uring_begin, *end = common.uring_end;
	bool begins = is_layout(begin, "request_taken") || is_layout(begin, "request_taken_sqe");
	bool ends = is_layout(end, "request_ends") || is_layout(end, "request_ends_values");

	if (spec->has_async_operations && (!begins || !ends))
		return error_say(
			err, ENOTSUP,
			"this kernel's tracepoints of io_uring do not say which requests begin and end");
	return 0;
}

/* Which opcodes are operations, of which mode, is known to the decoder. */
static void fill_about(struct span_bpf *programs)
{
	static const uint8_t mode[AIO_ACTIONS] = {[AIO_READ] = BPF_SPAN_OP_READ + 1,
						  [AIO_WRITE] = BPF_SPAN_OP_WRITE + 1,
						  [AIO_FLUSH] = BPF_SPAN_OP_FLUSH + 1};
	uint8_t about[AIO_APIS][BPF_SPAN_OPCODES];

	for (uint32_t i = 0; i < AIO_APIS * BPF_SPAN_OPCODES; i++) {
		uint32_t api = i / BPF_SPAN_OPCODES, opcode = i % BPF_SPAN_OPCODES, flags = 0;
		uint8_t *of = &about[api][opcode];

		*of = mode[aio_action((enum aio_api)api, opcode, &flags)];
		if (*of && flags & AIO_REPEATS)
			*of |= BPF_SPAN_ASYNC_REPEATS;
	}
	memcpy((void *)(uintptr_t)programs->rodata->async_about, about, sizeof(about));
}

/* If io_uring's tracepoint has other arguments than these, nothing is lost but its bytes. */
void bpf_span_prepare_async(struct span_bpf *programs, const struct bpf_span_spec *spec,
			    const struct bpf_common *common)
{
	struct row row[PROGRAMS];
	int use = use_of(spec);

	fill_about(programs);
	list(programs, row);
	for (int i = 0; i < PROGRAMS; i++)
		bpf_program__set_autoload(row[i].program,
					  row[i].use == use &&
						  (is_layout(common->uring_begin, row[i].layout) ||
						   is_layout(common->uring_end, row[i].layout)));
}

int bpf_span_attach_async(struct span_bpf *programs, struct error *err)
{
	struct row row[PROGRAMS];
	int code = 0;

	list(programs, row);
	for (int i = 0; i < PROGRAMS && !code; i++)
		code = bpf_bind_attach_loaded(row[i].link, row[i].program, err);
	return code;
}
