/*
 * live_block: the programs for block requests, as the control thread sees them.
 */
#include "live_block.h"

#include "clock.h"
#include "live_private.h"
#include "load/bpf_block.h"
#include "load/bpf_source.h"

#include <iotrace/mem.h>
#include <stdio.h>
#include <string.h>

bool live_block_open(struct live *live)
{
	const struct bpf_block_options options = {.source = live->bpf.source,
						  .id = LIVE_BPF_ID,
						  .device = live->device,
						  .devices = live->devices};
	struct live_block *block = &live->block_source;
	struct error why = {0};

	if (!live->bpf.source)
		return false;
	block->programs = bpf_block_open(&options, &why);
	if (block->programs) {
		cgroup_names_open(&block->groups, &live->proc);
		return true;
	}
	snprintf(block->why, sizeof(block->why), "%.*s", (int)strcspn(why.text, "\n"), why.text);
	live_add_remark(live,
			mem_format("block requests are recorded through perf: %s", block->why));
	return false;
}

void live_block_say_groups(struct live *live)
{
	cgroup_names_say(&live->block_source.groups, &live->facts);
}

void live_block_start(struct live *live)
{
	struct bpf_block *programs = live->block_source.programs;

	if (!programs)
		return;
	live->block_source.missed = bpf_block_missed(programs);
	bpf_block_enable(programs, true);
}

void live_block_stop(struct live *live)
{
	struct bpf_block *programs = live->block_source.programs;
	struct bpf_books *books;
	uint64_t missed;

	if (!programs)
		return;
	bpf_block_enable(programs, false);
	bpf_block_detach(programs);
	missed = bpf_block_missed(programs) - live->block_source.missed;
	if (!missed)
		return;
	books = bpf_source_books(live->bpf.source, 0);
	if (!books->first_drop)
		books->first_drop = clock_now();
	__atomic_fetch_add(&books->dropped, missed, __ATOMIC_RELEASE);
}

void live_block_close(struct live *live)
{
	bpf_block_close(live->block_source.programs);
	live->block_source.programs = NULL;
	cgroup_names_close(&live->block_source.groups);
}
