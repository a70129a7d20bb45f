/* bpf_iterator: BPF programs that the kernel runs for each of its tasks or maps. */
#pragma once

struct bpf_link;
struct bpf_program;

/*
 * Returns a descriptor that runs the iterator once when it is read, or -errno. The caller destroys the link in any case; then no other
 * descriptor can be made of it.
 */
int bpf_iterator_open(const struct bpf_program *program, struct bpf_link **link);
