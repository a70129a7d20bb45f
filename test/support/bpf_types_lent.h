/*
 * bpf_types_lent: types that a test made with libbpf, as struct bpf_types.
 */
#ifndef BPF_TYPES_LENT_H
#define BPF_TYPES_LENT_H

extern "C" {
#include "feature/bpf_types.h"
}

#include <bpf/btf.h>

/* Lends the types to bpf_types. Returns 0 or -errno. */
inline int lend(struct bpf_types *types, const struct btf *btf)
{
	uint32_t size = 0;
	const void *bytes = btf__raw_data(btf, &size);

	return bpf_types_lend(types, bytes, size);
}

struct LentTypes {
	struct bpf_types types;

	explicit LentTypes(const struct btf *btf)
	{
		lend(&types, btf);
	}
	~LentTypes()
	{
		bpf_types_close(&types);
	}
	LentTypes(const LentTypes &) = delete;
	LentTypes &operator=(const LentTypes &) = delete;
};

#endif
