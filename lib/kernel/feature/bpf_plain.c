#include "bpf_plain.h"

int bpf_plain_open(struct bpf_object_skeleton *skeleton, const void *elf, size_t size,
		   const struct bpf_object_open_opts *options)
{
	skeleton->data = elf;
	skeleton->data_sz = size;
	return bpf_object__open_skeleton(skeleton, options);
}
