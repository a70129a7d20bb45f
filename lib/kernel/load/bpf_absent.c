/* bpf_absent: replaces bpf_source and bpf_block in builds without clang, bpftool or libbpf. */
#include "bpf_block.h"
#include "bpf_source.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stddef.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* there is nothing to use them for */

bool bpf_source_is_built(void)
{
	return false;
}

struct bpf_source *bpf_source_open(const struct bpf_options *options, struct error *err)
{
	error_say(err, ENOTSUP, "this iotrace was built without BPF");
	return NULL;
}

uint64_t bpf_source_dropped_without_ring(const struct bpf_source *source)
{
	return 0;
}

uint32_t bpf_source_untraced(const struct bpf_source *source)
{
	return 0;
}

uint32_t bpf_source_unstored(const struct bpf_source *source)
{
	return 0;
}

uint64_t bpf_source_missed(const struct bpf_source *source)
{
	return 0;
}

bool bpf_source_has_detached(const struct bpf_source *source)
{
	return false;
}

void bpf_source_close(struct bpf_source *source)
{
}

int bpf_source_attach(struct bpf_source *source, struct error *err)
{
	return -ENOTSUP;
}

void bpf_source_widen(struct bpf_source *source, uint32_t groups, bool takes_all_names)
{
}

int bpf_source_add_child(struct bpf_source *source, pid_t pid, struct error *err)
{
	return -ENOTSUP;
}

int bpf_source_add_process(struct bpf_source *source, pid_t pid, struct error *err)
{
	return -ENOTSUP;
}

void bpf_source_enable(struct bpf_source *source, bool is_on)
{
}

bool bpf_source_has_met_init(const struct bpf_source *source)
{
	return false;
}

void bpf_source_exclude(struct bpf_source *source, enum bpf_own_helper helper, pid_t pid)
{
}

void bpf_source_detach(struct bpf_source *source)
{
}

const struct bpf_feature_state *bpf_source_feature(const struct bpf_source *source,
						   enum bpf_feature feature)
{
	abort(); /* no source exists */
}

uint32_t bpf_source_cpus(const struct bpf_source *source)
{
	return 0;
}

struct bpf_ring *bpf_source_ring(struct bpf_source *source, uint32_t cpu)
{
	abort(); /* no source exists */
}

struct bpf_books *bpf_source_books(struct bpf_source *source, uint32_t cpu)
{
	abort(); /* no source exists */
}

int bpf_source_ring_fd(const struct bpf_source *source, uint32_t cpu)
{
	return -1;
}

int bpf_source_in_flight(struct bpf_source *source,
			 void (*found)(void *context, const struct bpf_in_flight *call),
			 void *context)
{
	return -ENOTSUP;
}

struct bpf_block *bpf_block_open(const struct bpf_block_options *options, struct error *err)
{
	error_say(err, ENOTSUP, "this iotrace was built without BPF");
	return NULL;
}

void bpf_block_close(struct bpf_block *block)
{
}

void bpf_block_enable(struct bpf_block *block, bool is_on)
{
}

void bpf_block_detach(struct bpf_block *block)
{
}

uint64_t bpf_block_missed(const struct bpf_block *block)
{
	return 0;
}
