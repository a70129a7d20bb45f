/* bpf_block: uses libbpf. Everything that can fail is in bpf_block_open(). */
#include "bpf_block.h"

#include "bpf_source.h"
#include "feature/bpf_bind.h"
#include "feature/bpf_log.h"
#include "feature/bpf_missed.h"
#include "feature/bpf_part.h"
#include "feature/bpf_plain.h"

#include <block.skel.h>
#include <block_plain.skel.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

struct bpf_block {
	struct block_bpf *programs;
	struct bpf_missed missed;
};

static int share(struct block_bpf *programs, const struct bpf_common *common)
{
	int code = bpf_map__reuse_fd(programs->maps.rings, common->rings_fd);

	programs->rodata->hides_addresses = common->hides_addresses;
	memcpy((void *)(uintptr_t)&programs->rodata->cipher, &common->cipher,
	       sizeof(common->cipher));
	memcpy((void *)(uintptr_t)&programs->rodata->users, &common->users, sizeof(common->users));
	return code ? code : bpf_map__reuse_fd(programs->maps.books, common->books_fd);
}

static struct block_bpf *open_plain(const struct bpf_object_open_opts *options)
{
	struct block_bpf *programs = calloc(1, sizeof(*programs));
	size_t size;
	const void *elf = block_plain_bpf__elf_bytes(&size);

	if (!programs || block_bpf__create_skeleton(programs) ||
	    bpf_plain_open(programs->skeleton, elf, size, options)) {
		block_bpf__destroy(programs);
		return NULL;
	}
	return programs;
}

static int load(struct bpf_block *block, const struct bpf_block_options *options,
		const struct bpf_part *part)
{
	const struct bpf_object_open_opts open = {.sz = sizeof(open),
						  .btf_custom_path = bpf_part_path(part)};
	struct bpf_common common = bpf_source_common(options->source);
	struct block_bpf *programs = common.is_plain ? open_plain(&open)
						     : block_bpf__open_opts(&open);
	int code;

	if (!programs)
		return -errno;
	block->programs = programs;
	programs->rodata->sample_id = options->id;
	programs->rodata->zone_append = common.zone_append;
	programs->rodata->has_devices = options->devices != 0;
	if (options->devices)
		bpf_map__set_max_entries(programs->maps.devices, options->devices);
	code = share(programs, &common);
	if (!code)
		code = bpf_part_fill(part, bpf_object__btf(programs->obj));
	return code ? code : block_bpf__load(programs);
}

static int add_devices(struct bpf_block *block, const struct bpf_block_options *options)
{
	int fd = bpf_map__fd(block->programs->maps.devices);
	uint8_t is_wanted = 1;

	for (uint32_t i = 0; i < options->devices; i++)
		if (bpf_map_update_elem(fd, &options->device[i], &is_wanted, BPF_ANY))
			return -errno;
	return 0;
}

struct bpf_block *bpf_block_open(const struct bpf_block_options *options, struct error *err)
{
	struct bpf_block *block = mem_zero(sizeof(*block));
	struct bpf_refusal refusal;
	struct bpf_part part;
	int code;

	bpf_part_open(&part);
	bpf_log_keep(&refusal);
	code = load(block, options, &part);
	bpf_log_keep(NULL);
	bpf_part_close(&part);
	if (!code)
		code = add_devices(block, options);
	if (!code)
		code = bpf_bind_attach_all(block->programs->skeleton);
	if (code) {
		if (*refusal.why)
			error_say(err, -code, "cannot load BPF programs for block requests: %s%s%s",
				  refusal.program, *refusal.program ? ": " : "", refusal.why);
		else
			error_set(err, -code, "cannot load BPF programs for block requests");
		bpf_block_close(block);
		return NULL;
	}
	bpf_missed_open(&block->missed, block->programs->obj);
	return block;
}

void bpf_block_close(struct bpf_block *block)
{
	if (!block)
		return;
	bpf_missed_close(&block->missed);
	block_bpf__destroy(block->programs);
	free(block);
}

void bpf_block_enable(struct bpf_block *block, bool is_on)
{
	__atomic_store_n(&block->programs->bss->is_on, is_on, __ATOMIC_RELEASE);
}

void bpf_block_detach(struct bpf_block *block)
{
	block_bpf__detach(block->programs);
}

uint64_t bpf_block_missed(const struct bpf_block *block)
{
	return bpf_missed_read(&block->missed);
}
