/* vfs: the parts of files, directories and mounts that the programs read. See kernel.h. */
#pragma once

#include "peek.h"

struct qstr {
	__u64 hash_len; /* hash, with the parent, and length */
	const unsigned char *name;
} KERNEL;

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
} KERNEL;

struct dentry_operations {
	void *d_dname;
} KERNEL;

struct inode;

struct seqcount {
	unsigned int sequence;
} KERNEL;

struct seqcount_spinlock {
	struct seqcount seqcount;
} KERNEL;

struct dentry {
	unsigned int d_flags;
	struct seqcount_spinlock d_seq; /* odd during a rename, and different after it */
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct dentry_operations *d_op;
} KERNEL;

struct vfsmount {
	struct dentry *mnt_root;
} KERNEL;

struct mnt_namespace {
	struct ns_common ns;
} KERNEL;

struct list_head {
	struct list_head *next;
} KERNEL;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct list_head mnt_mounts; /* the mounts on it, linked by mnt_child */
	struct list_head mnt_child;
	struct mnt_namespace *mnt_ns;
	int mnt_id;
} KERNEL;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} KERNEL;

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
} KERNEL;

struct address_space;

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	unsigned int i_generation;
	struct address_space *i_mapping;
	struct super_block *i_sb;
} KERNEL;

struct address_space {
	struct inode *host;
} KERNEL;

struct file {
	unsigned int f_mode;
	unsigned int f_flags;
	long long f_pos;
	struct path f_path;
	struct inode *f_inode;
	void *f_op;
} KERNEL;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec;
} KERNEL;

typedef struct {
	int counter;
} KERNEL atomic_t;

struct files_struct {
	atomic_t count; /* number of tasks that share it */
	struct fdtable *fdt;
} KERNEL;

struct fs_struct {
	struct path root, pwd;
} KERNEL;

/* The parts of a device number in the kernel's format. */
#define MINOR_BITS 20
#define MAJOR(dev) ((uint32_t)(dev) >> MINOR_BITS)
#define MINOR(dev) ((uint32_t)(dev) & ((1U << MINOR_BITS) - 1))

/* Returns the device of the inode's file system. */
static __always_inline uint32_t device_of_inode(struct inode *inode)
{
	struct super_block *super = PEEK(inode, i_sb);

	return PEEK(super, s_dev);
}
