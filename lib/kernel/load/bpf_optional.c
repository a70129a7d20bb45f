/*
 * bpf_optional: which of the programs fit this kernel. See bpf_optional.h.
 */
#include "bpf_optional.h"

#include "bpf_shared.h"

#include <bpf/libbpf.h>
#include <iotrace.skel.h>
#include <iotrace/syscall.h>

enum { TASKS = 13, WAYS = 2 };

/* A program, and where its link goes. */
struct way {
	struct bpf_program *program;
	struct bpf_link **link;
};

/* Of programs that tell the same, the kernel takes one. */
struct row {
	enum call_group group;
	struct way way[WAYS];
};

static void fill(struct row row[TASKS], struct iotrace_bpf *programs)
{
#define WAY(name)                                                                                  \
	{                                                                                          \
		programs->progs.name, &programs->links.name                                        \
	}
	const struct row all[TASKS] = {
		{GROUP_AIO, {WAY(request_taken), WAY(request_taken_sqe)}},
		{GROUP_AIO, {WAY(request_ends_values), WAY(request_ends)}},
		{GROUP_AIO, {WAY(ring_made)}},
		{GROUP_AIO, {WAY(files_fixed)}},
		{GROUP_FAULT, {WAY(fault_begins)}},
		{GROUP_FAULT, {WAY(page_is_added)}},
		{GROUP_FAULT, {WAY(pages_are_mapped)}},
		{GROUP_WRITEBACK, {WAY(writeback_begins)}},
		{GROUP_WRITEBACK, {WAY(writeback_ends)}},
		{GROUP_TASK, {WAY(task_is_made)}},
		{GROUP_TASK, {WAY(program_begins)}},
		{GROUP_TASK, {WAY(program_ends)}},
		{GROUP_LOCK, {WAY(lock_is_asked)}},
	};
#undef WAY

	for (int i = 0; i < TASKS; i++)
		row[i] = all[i];
}

uint32_t bpf_optional_choose(struct iotrace_bpf *programs, uint32_t groups)
{
	struct row row[TASKS];
	uint32_t chosen = 0;

	fill(row, programs);
	for (int i = 0; i < TASKS; i++) {
		uint32_t group = groups & 1U << row[i].group;

		for (int k = 0; k < WAYS && row[i].way[k].program; k++)
			bpf_program__set_autoload(row[i].way[k].program, group);
		chosen |= group;
	}
	return chosen;
}

/* The kernel refuses a name that it does not have, and a program that reads more arguments than there are. */
static bool attach_one(const struct way way[WAYS])
{
	for (int k = 0; k < WAYS && way[k].program; k++) {
		*way[k].link = bpf_program__attach(way[k].program);
		if (*way[k].link)
			return true;
	}
	return false;
}

static void detach(const struct row row[TASKS], uint32_t groups)
{
	for (int i = 0; i < TASKS; i++) {
		for (int k = 0; k < WAYS && row[i].way[k].program; k++) {
			if (!(groups >> row[i].group & 1))
				continue;
			bpf_link__destroy(*row[i].way[k].link);
			*row[i].way[k].link = NULL;
		}
	}
}

uint32_t bpf_optional_attach(struct iotrace_bpf *programs, uint32_t groups)
{
	struct row row[TASKS];
	uint32_t refused = 0;

	fill(row, programs);
	for (int i = 0; i < TASKS; i++)
		if (groups >> row[i].group & 1 && !attach_one(row[i].way))
			refused |= 1U << row[i].group;
	detach(row, refused);
	return refused;
}

void bpf_optional_detach(struct iotrace_bpf *programs)
{
	struct row row[TASKS];

	fill(row, programs);
	detach(row, UINT32_MAX);
}
