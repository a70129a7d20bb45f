/* bpf_iterator: see bpf_iterator.h. */
#include "bpf_iterator.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

int bpf_iterator_open(const struct bpf_program *program, struct bpf_link **link)
{
	int fd;

	*link = bpf_program__attach_iter(program, NULL);
	if (!*link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(*link));
	return fd < 0 ? -errno : fd;
}
