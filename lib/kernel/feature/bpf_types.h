/*
 * bpf_types: the types of the running kernel.
 *
 * Programs could ask for the value of an enumerator themselves. But if the enumeration has another name, or does not exist,
 * libbpf looks for it in all modules, which needs more rights than the programs do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct btf;

/* An enumerator, and the enumerations that may contain it; NULL ends the list. */
struct bpf_enumerator {
	const char *name;
	const char *enumeration[3];
};

/* Returns its value, or `otherwise` if it does not exist. `kernel` may be NULL: unknown. */
uint32_t bpf_types_number(const struct btf *kernel, const struct bpf_enumerator *enumerator,
			  uint32_t otherwise);

/* The arguments of a tracepoint, one letter each: p: a pointer, i: anything else. "": the tracepoint was not found. */
struct bpf_layout {
	const char *tracepoint;
	char letters[16];
};

/* Finds the layouts of these tracepoints. */
void bpf_types_find(const struct btf *kernel, struct bpf_layout *layout, uint32_t layouts);
