/*
 * bpf_uring: which programs for requests of io_uring fit this kernel.
 */
#include "bpf_uring.h"

#include "bpf_shared.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace.skel.h>

enum { TASKS = 4, WAYS = 2 };

/* A program, and where its link goes. */
struct row {
	struct bpf_program *program;
	struct bpf_link **link;
};

/* Of two programs that tell the same, the kernel takes one. */
static void fill(struct row row[TASKS][WAYS], struct iotrace_bpf *programs)
{
#define ROW(name)                                                                                  \
	{                                                                                          \
		programs->progs.name, &programs->links.name                                        \
	}
	const struct row all[TASKS][WAYS] = {
		{ROW(request_taken), ROW(request_taken_sqe)},
		{ROW(request_ends_values), ROW(request_ends)},
		{ROW(ring_made)},
		{ROW(files_fixed)},
	};
#undef ROW

	for (int i = 0; i < TASKS; i++)
		for (int k = 0; k < WAYS; k++)
			row[i][k] = all[i][k];
}

void bpf_uring_choose(struct iotrace_bpf *programs, bool is_wanted)
{
	struct row row[TASKS][WAYS];

	fill(row, programs);
	for (int i = 0; i < TASKS; i++)
		for (int k = 0; k < WAYS && row[i][k].program; k++)
			bpf_program__set_autoload(row[i][k].program, is_wanted);
}

/* The kernel refuses a name that it does not have, and a program that reads more arguments than there are. */
static int attach_one(const struct row row[WAYS])
{
	for (int k = 0; k < WAYS && row[k].program; k++) {
		*row[k].link = bpf_program__attach(row[k].program);
		if (*row[k].link)
			return 0;
	}
	return -errno;
}

int bpf_uring_attach(struct iotrace_bpf *programs)
{
	struct row row[TASKS][WAYS];
	int code = 0;

	fill(row, programs);
	for (int i = 0; i < TASKS && !code; i++)
		code = attach_one(row[i]);
	if (code)
		bpf_uring_detach(programs);
	return code;
}

void bpf_uring_detach(struct iotrace_bpf *programs)
{
	struct row row[TASKS][WAYS];

	fill(row, programs);
	for (int i = 0; i < TASKS; i++) {
		for (int k = 0; k < WAYS && row[i][k].program; k++) {
			bpf_link__destroy(*row[i][k].link);
			*row[i][k].link = NULL;
		}
	}
}
