/* bpf_missed: since Linux 5.12, /proc/self/fdinfo of a program has the count. */
#include "bpf_missed.h"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bpf_missed_open(struct bpf_missed *missed, const struct bpf_object *object)
{
	struct bpf_program *program;
	char path[64];

	missed->count = 0;
	bpf_object__for_each_program(program, object)
	{
		int fd = bpf_program__fd(program);

		if (fd < 0 || missed->count == BPF_MISSED_PROGRAMS)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			missed->fd[missed->count++] = fd;
	}
}

void bpf_missed_close(struct bpf_missed *missed)
{
	while (missed->count)
		close(missed->fd[--missed->count]);
}

static uint64_t missed_of(int fd)
{
	static const char field[] = "recursion_misses:";
	char text[1024];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	const char *at;

	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, field);
	return at ? strtoull(at + sizeof(field) - 1, NULL, 10) : 0;
}

uint64_t bpf_missed_read(const struct bpf_missed *missed)
{
	uint64_t sum = 0;

	for (int i = 0; i < missed->count; i++)
		sum += missed_of(missed->fd[i]);
	return sum;
}
