/*
 * kernel: the parts of the kernel's own structures that the programs read.
 *
 * Only the used fields are here, in any order: their offsets come from the running kernel's BTF when the programs are loaded. So
 * the build needs no kernel headers, and one binary fits many kernels.
 */
#pragma once

#include <linux/types.h>

typedef __s8 int8_t;
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __s32 int32_t;
typedef __u32 uint32_t;
typedef __s64 int64_t;
typedef __u64 uint64_t;
typedef _Bool bool;

enum { false, true };

#define NULL   ((void *)0)
#define KERNEL __attribute__((preserve_access_index))

/* The registers that hold the arguments of a system call. */
#if defined(__TARGET_ARCH_x86)
enum { LARGE_FILE = 0100000 }; /* O_LARGEFILE, which the kernel adds to every open */
enum { COMPAT = 2 };           /* TS_COMPAT: a 32-bit call, also of a 64-bit program */
enum { X32 = 1 << 30 };        /* __X32_SYSCALL_BIT in the number of a call */
struct thread_info {
	unsigned int status;
} KERNEL;
#define COMPAT_OF(task) ((task)->thread_info.status & COMPAT)
struct pt_regs {
	unsigned long di, si, dx, r10, r8, r9;
	unsigned long orig_ax; /* the number of the system call; -1: an exception */
} KERNEL;
#define NUMBER_OF_CALL orig_ax
#elif defined(__TARGET_ARCH_arm64)
enum { LARGE_FILE = 0400000 };
enum { COMPAT = 1 << 22 }; /* TIF_32BIT */
enum { X32 = 0 };
struct thread_info {
	unsigned long flags;
} KERNEL;
#define COMPAT_OF(task) ((task)->thread_info.flags & COMPAT)
struct pt_regs {
	unsigned long long regs[31];
	unsigned long long orig_x0;
	int syscallno; /* -1: an exception */
} KERNEL;
#define NUMBER_OF_CALL  syscallno
#else
#error "the arguments of a system call: which registers hold them?"
#endif

struct files_struct;
struct fs_struct;
struct bpf_local_storage;

struct mnt_namespace;

struct ns_common {
	unsigned int inum;
} KERNEL;

struct nsproxy {
	struct mnt_namespace *mnt_ns;
} KERNEL;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	unsigned int flags;
	struct bpf_local_storage *bpf_storage;
	struct task_struct *real_parent, *group_leader;
	struct files_struct *files;
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	char comm[16];
} KERNEL;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	uint64_t seq_num;
} KERNEL;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} KERNEL;
