/* live_block: the programs for block requests, as the control thread sees them. */
#include "live_block.h"

#include "host/sysblock.h"
#include "live_bpf.h"
#include "load/bpf_block.h"
#include "state/live_state.h"

#include <iotrace/mem.h>
#include <stdio.h>
#include <string.h>

int live_block_find_devices(struct live *live, struct error *err)
{
	const struct text_list *devices = &live->recording->blocks.devices;

	live->device = mem_array(devices->count, sizeof(*live->device));
	for (uint32_t i = 0; i < devices->count; i++) {
		int code = sysblock_number(&live->sys, devices->item[i], &live->device[i], err);

		if (code)
			return code;
		live->devices++;
	}
	return 0;
}

void live_block_open(struct live *live)
{
	const struct bpf_block_options options = {.source = live->bpf.source,
						  .id = LIVE_BPF_ID,
						  .device = live->device,
						  .devices = live->devices};
	struct live_block *block = &live->block_programs;
	struct error why = {0};

	if (live->block == BLOCK_NONE || !live->bpf.source || block->is_counted)
		return;
	block->object = bpf_block_open(&options, &why);
	if (block->object) {
		cgroup_names_open(&block->groups, &live->proc, true);
		return;
	}
	snprintf(block->why, sizeof(block->why), "%.*s", (int)sizeof(block->why) - 1, why.text);
	live_add_remark(live, mem_format("block requests are recorded with perf: %s", block->why));
}

bool live_block_is_of_perf(const struct live *live)
{
	return live->block != BLOCK_NONE && !live->block_programs.object &&
	       !live->block_programs.is_counted;
}

void live_block_add_group_facts(struct live *live)
{
	cgroup_names_add_facts(&live->block_programs.groups, &live->facts);
}

void live_block_start(struct live *live)
{
	struct bpf_block *programs = live->block_programs.object;

	if (!programs)
		return;
	live->block_programs.missed = bpf_block_missed(programs);
	bpf_block_enable(programs, true);
}

void live_block_stop(struct live *live)
{
	struct bpf_block *programs = live->block_programs.object;

	if (!programs)
		return;
	bpf_block_enable(programs, false);
	bpf_block_detach(programs);
}

uint64_t live_block_take_missed(struct live *live)
{
	struct live_block *block = &live->block_programs;
	uint64_t missed = block->object ? bpf_block_missed(block->object) : 0;
	uint64_t more = missed - block->missed;

	block->missed = missed;
	return more;
}

void live_block_close(struct live *live)
{
	bpf_block_close(live->block_programs.object);
	live->block_programs.object = NULL;
	cgroup_names_close(&live->block_programs.groups);
}
