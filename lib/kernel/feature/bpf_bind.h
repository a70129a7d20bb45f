/*
 * bpf_bind: binds BPF programs to the running kernel.
 *
 * The kernel wants the number of the type of what a program runs at (a tracepoint, an iterator), and of each function of its own that
 * a program calls. libbpf would read all types of the kernel for this, once for each object: see bpf_types.h. So its handlers of the
 * programs' sections are replaced (libbpf_register_prog_handler()), for the whole process and for good.
 */
#pragma once

struct bpf_link;
struct bpf_object_skeleton;
struct bpf_program;
struct bpf_types;
struct error;

/* Objects that are opened and loaded from now on are bound to these types, which are lent until the next call. NULL: to none. Without
 * types (their count is 0) nothing is replaced. */
void bpf_bind_to(const struct bpf_types *types);
/* Attaches a program to what its section names. Returns a link, which the caller owns, or NULL with errno. */
struct bpf_link *bpf_bind_attach(const struct bpf_program *program);
/* Attaches the program if it was loaded. The caller owns the link. Returns 0, or -errno with a message. */
int bpf_bind_attach_loaded(struct bpf_link **link, const struct bpf_program *program,
			   struct error *err);
/* Attaches all programs of an object. Their links belong to the skeleton. Returns 0 or -errno. */
int bpf_bind_attach_all(const struct bpf_object_skeleton *skeleton);
