/*
 * bpf_block: the BPF programs for block requests, which write into the rings of a bpf_source.
 *
 * They are a separate object, so calls are recorded through BPF even if the kernel refuses these programs. In a build without
 * libbpf, bpf_block_open() fails.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct bpf_block;
struct bpf_source;
struct error;

struct bpf_block_options {
	const struct bpf_source *source;
	uint64_t id;            /* id of the event in the capture */
	const uint32_t *device; /* devices to record, numbered as in the kernel's events; copied */
	uint32_t devices;       /* 0: all */
};

/* Returns the programs, attached and disabled; NULL with a message. Later steps need no rights. */
struct bpf_block *bpf_block_open(const struct bpf_block_options *options, struct error *err);
void bpf_block_close(struct bpf_block *block);
/* Enables or disables the recording of steps. */
void bpf_block_enable(struct bpf_block *block, bool is_on);
/* Detaches the programs: none runs any more. */
void bpf_block_detach(struct bpf_block *block);
/* Returns how many steps the kernel did not pass to a program, because an interrupt came while the same program was running. */
uint64_t bpf_block_missed(const struct bpf_block *block);
