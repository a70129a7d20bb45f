/*
 * bpf_enum: numbers that the kernel has names for, and that BPF programs are given. See bpf_enum.h.
 */
#include "bpf_enum.h"

#include <bpf/btf.h>
#include <string.h>

uint32_t bpf_enum_number(const struct bpf_enumerator *enumerator, uint32_t otherwise)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	uint32_t number = otherwise;

	for (const char *const *name = enumerator->enumeration; kernel && *name; name++) {
		int id = btf__find_by_name_kind(kernel, *name, BTF_KIND_ENUM);
		const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(kernel, (uint32_t)id);

		for (uint32_t i = 0; type && i < btf_vlen(type); i++)
			if (!strcmp(btf__name_by_offset(kernel, btf_enum(type)[i].name_off),
				    enumerator->name))
				number = (uint32_t)btf_enum(type)[i].val;
	}
	btf__free(kernel);
	return number;
}
