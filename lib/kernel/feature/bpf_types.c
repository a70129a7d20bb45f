/* bpf_types: searches BTF. There are many types, so tracepoints are searched for in one pass. */
#include "bpf_types.h"

#include <bpf/btf.h>
#include <string.h>

/* For each tracepoint, the kernel has a type: a pointer to a function, whose first argument does not belong to the tracepoint. */
#define PREFIX "btf_trace_"

uint32_t bpf_types_number(const struct btf *kernel, const struct bpf_enumerator *enumerator,
			  uint32_t otherwise)
{
	uint32_t number = otherwise;

	for (const char *const *name = enumerator->enumeration; kernel && *name; name++) {
		int id = btf__find_by_name_kind(kernel, *name, BTF_KIND_ENUM);
		const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(kernel, (uint32_t)id);

		for (uint32_t i = 0; type && i < btf_vlen(type); i++)
			if (!strcmp(btf__name_by_offset(kernel, btf_enum(type)[i].name_off),
				    enumerator->name))
				number = (uint32_t)btf_enum(type)[i].val;
	}
	return number;
}

/* Returns the type without const and other modifiers. */
static const struct btf_type *plain_type(const struct btf *kernel, uint32_t id)
{
	int plain = btf__resolve_type(kernel, id);

	return plain < 0 ? NULL : btf__type_by_id(kernel, (uint32_t)plain);
}

static void read_letters(const struct btf *kernel, const struct btf_type *type, char *letters,
			 size_t size)
{
	const struct btf_type *pointer = plain_type(kernel, type->type);
	const struct btf_type *function = pointer && btf_is_ptr(pointer)
						  ? plain_type(kernel, pointer->type)
						  : NULL;
	size_t used = 0;

	if (!function || !btf_is_func_proto(function))
		return;
	for (uint32_t i = 1; i < btf_vlen(function) && used + 1 < size; i++) {
		const struct btf_type *argument = plain_type(kernel, btf_params(function)[i].type);

		letters[used++] = argument && btf_is_ptr(argument) ? 'p' : 'i';
	}
	letters[used] = '\0';
}

void bpf_types_find(const struct btf *kernel, struct bpf_layout *layout, uint32_t layouts)
{
	uint32_t types = kernel ? btf__type_cnt(kernel) : 0;

	for (uint32_t id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(kernel, id);
		const char *name;

		if (!btf_is_typedef(type))
			continue;
		name = btf__name_by_offset(kernel, type->name_off);
		if (strncmp(name, PREFIX, sizeof(PREFIX) - 1))
			continue;
		for (uint32_t i = 0; i < layouts; i++)
			if (!strcmp(name + sizeof(PREFIX) - 1, layout[i].tracepoint))
				read_letters(kernel, type, layout[i].letters,
					     sizeof(layout[i].letters));
	}
}
