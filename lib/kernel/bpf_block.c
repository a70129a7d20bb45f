/*
 * bpf_block: libbpf's part. Everything that can be refused is refused by bpf_block_open().
 */
#include "bpf_block.h"

#include "bpf_missed.h"
#include "bpf_source.h"

#include <block.skel.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <string.h>

struct bpf_block {
	struct block_bpf *programs;
	struct bpf_missed missed;
};

static int share(struct block_bpf *programs, const struct bpf_source *source)
{
	struct bpf_common common = bpf_source_common(source);
	int code;

	programs->rodata->has_cast = common.has_cast;
	programs->rodata->hides_addresses = common.hides_addresses;
	memcpy((void *)(uintptr_t)&programs->rodata->cipher, &common.cipher, sizeof(common.cipher));
	code = bpf_map__reuse_fd(programs->maps.rings, common.rings_fd);
	return code ? code : bpf_map__reuse_fd(programs->maps.books, common.books_fd);
}

/*
 * Returns the number of REQ_OP_ZONE_APPEND, or one that no operation has. The programs could ask for it by themselves, but the
 * enumeration was renamed in Linux 6.0, and libbpf looks for a name that is not there in all modules, which takes more rights
 * than the programs do.
 */
static uint32_t number_of_zone_append(void)
{
	static const char *const enumeration[] = {"req_op", "req_opf"};
	struct btf *kernel = btf__load_vmlinux_btf();
	uint32_t number = UINT32_MAX;

	for (size_t i = 0; kernel && i < sizeof(enumeration) / sizeof(*enumeration); i++) {
		int id = btf__find_by_name_kind(kernel, enumeration[i], BTF_KIND_ENUM);
		const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(kernel, (uint32_t)id);

		for (uint32_t k = 0; type && k < btf_vlen(type); k++)
			if (!strcmp(btf__name_by_offset(kernel, btf_enum(type)[k].name_off),
				    "REQ_OP_ZONE_APPEND"))
				number = (uint32_t)btf_enum(type)[k].val;
	}
	btf__free(kernel);
	return number;
}

static int load(struct bpf_block *block, const struct bpf_block_options *options)
{
	struct block_bpf *programs = block_bpf__open();
	int code;

	if (!programs)
		return -errno;
	block->programs = programs;
	programs->rodata->sample_id = options->id;
	programs->rodata->zone_append = number_of_zone_append();
	programs->rodata->has_devices = options->devices != 0;
	if (options->devices)
		bpf_map__set_max_entries(programs->maps.devices, options->devices);
	code = share(programs, options->source);
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
	int code = load(block, options);

	if (!code)
		code = add_devices(block, options);
	if (!code)
		code = block_bpf__attach(block->programs);
	if (code) {
		error_set(err, -code, "BPF programs for block requests");
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
