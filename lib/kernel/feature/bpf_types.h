/*
 * bpf_types: the types of the running kernel (Linux, Documentation/bpf/btf.rst).
 *
 * A kernel has more than 100,000 types in 5 MiB. libbpf reads them in pieces of 4 KiB and copies them, once for each object that it
 * loads, which took more than half of the time until a recording began. Here they are used where the kernel has them: since Linux
 * 6.16, programs may map them. Before, they are read once for each object.
 *
 * Programs could ask for the value of an enumerator themselves. But if the enumeration has another name, or does not exist,
 * libbpf looks for it in all modules, which needs more rights than the programs do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_type;

struct bpf_types {
	const uint8_t *bytes; /* NULL: they cannot be read, and there is no type */
	size_t size;
	enum { BPF_TYPES_LENT, BPF_TYPES_MAPPED, BPF_TYPES_READ } owner;
	const uint8_t *types;
	const char *strings;
	uint32_t strings_size;
	uint32_t *at;   /* where each type begins, in bytes from `types` */
	uint32_t count; /* the numbers of types are below it; 0 is void */
};

/* Opens the types of the running kernel. bpf_types_close() releases them. Without them, there is no type. */
void bpf_types_open(struct bpf_types *types);
/* Opens types in memory, which is lent. Returns 0, or -EINVAL if this is not what is known of the format. */
int bpf_types_lend(struct bpf_types *types, const void *bytes, size_t size);
void bpf_types_close(struct bpf_types *types);

/* Returns a type, lent; void if the number is none. The functions of <bpf/btf.h> that begin with btf_ know its parts. */
const struct btf_type *bpf_types_get(const struct bpf_types *types, uint32_t id);
/* Returns the name at an offset (name_off), lent; "": none. */
const char *bpf_types_name(const struct bpf_types *types, uint32_t offset);
/* Returns the number of the type of this kind (BTF_KIND_) that is called HEAD TAIL, or 0. */
uint32_t bpf_types_id(const struct bpf_types *types, const char *head, const char *tail,
		      uint32_t kind);

/* An enumerator, and the enumerations that may contain it; NULL ends the list. */
struct bpf_enumerator {
	const char *name;
	const char *enumeration[3];
};

/* Returns its value, or `otherwise` if it does not exist. */
uint32_t bpf_types_number(const struct bpf_types *types, const struct bpf_enumerator *enumerator,
			  uint32_t otherwise);

/* For each tracepoint, the kernel has a type of this name: a pointer to a function, whose first argument does not belong to it. */
#define BPF_TYPES_TRACEPOINT "btf_trace_"

/* The arguments of a tracepoint, one letter each: p: a pointer, i: anything else. "": the tracepoint was not found. */
struct bpf_layout {
	const char *tracepoint;
	char letters[16];
};

/* Finds the layouts of these tracepoints in one pass, since there are many types. */
void bpf_types_find(const struct bpf_types *types, struct bpf_layout *layout, uint32_t layouts);
