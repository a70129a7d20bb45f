/*
 * block: what the programs read of the kernel's block layer. See kernel.h.
 *
 * Of what kernels call differently there are both: the one that the running kernel has is asked for at load.
 */
#pragma once

#include "bpf/base/vfs.h"

struct gendisk {
	int major, first_minor;
} KERNEL;

struct request_queue {
	struct gendisk *disk;
} KERNEL;

struct bio;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	unsigned long long __sector;
} KERNEL;

/* Before Linux 5.15 the queue does not know its disk. */
struct request___old {
	struct gendisk *rq_disk;
} KERNEL;

struct block_device {
	__u32 bd_dev;
} KERNEL;

struct bvec_iter {
	unsigned long long bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
} KERNEL;

/* The flags come first, in all kernels, but not always under this name. */
struct page {
	unsigned long compound_head; /* of which it is a part, and 1 */
	struct address_space *mapping;
} KERNEL;

struct bio_vec {
	struct page *bv_page;
} KERNEL;

struct kernfs_node {
	unsigned long long id;
} KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
} KERNEL;

struct blkcg {
	struct cgroup_subsys_state css;
} KERNEL;

struct blkcg_gq {
	struct blkcg *blkcg;
} KERNEL;

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	unsigned char bi_status;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
	struct blkcg_gq *bi_blkg; /* not in all kernels */
} KERNEL;

/* Before Linux 5.12. */
struct bio___old {
	struct gendisk *bi_disk;
} KERNEL;

enum { OPERATION = 0xff }; /* the bits of bi_opf and cmd_flags that say what to do */

/* These have had their numbers since Linux 4.11. */
enum {
	OP_READ = 0,
	OP_WRITE = 1,
	OP_FLUSH = 2,
	OP_DISCARD = 3,
	OP_SECURE_ERASE = 5,
	OP_WRITE_ZEROES = 9,
	OP_COMMANDS = 32, /* this and the next three are commands to the drive */
};

enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META = 12,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
	__REQ_RAHEAD = 19,
};

enum pageflags { PG_writeback = 1, PG_uptodate = 3 };
