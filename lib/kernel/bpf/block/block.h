/*
 * block: the parts of the kernel's block layer that the programs read. See kernel.h.
 *
 * If kernels use different names for something, all are here, and the loader finds out which one the running kernel has.
 */
#pragma once

#include "bpf/base/vfs.h"

struct blk_mq_ops;

struct request_queue {
	struct gendisk *disk;
	const struct blk_mq_ops *mq_ops; /* NULL: the device works on bios, and has no requests */
} KERNEL;

struct gendisk {
	int major, first_minor;
	struct request_queue *queue;
} KERNEL;

struct bio;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	unsigned long long __sector;
} KERNEL;

/* Before Linux 5.15, the queue has no pointer to its disk. */
struct request___old {
	struct gendisk *rq_disk;
} KERNEL;

struct block_device {
	struct gendisk *bd_disk;
} KERNEL;

struct bvec_iter {
	unsigned long long bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
} KERNEL;

/* The flags come first in all kernels, but the field has different names. */
struct page {
	unsigned long compound_head; /* head of the compound page, plus 1 */
	unsigned long
		compound_info; /* the same, or a mask of the address, plus 1: since Linux 7.1 */
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
	struct blkcg_gq *bi_blkg; /* some kernels lack it */
} KERNEL;

/* The struct before Linux 5.12. */
struct bio___old {
	struct gendisk *bi_disk;
} KERNEL;

enum { OPERATION = 0xff }; /* the bits of bi_opf and cmd_flags with the operation */

/* Operations whose numbers have not changed since Linux 4.11. */
enum {
	REQ_OP_READ = 0,
	REQ_OP_WRITE = 1,
	REQ_OP_FLUSH = 2,
	REQ_OP_DISCARD = 3,
	REQ_OP_SECURE_ERASE = 5,
	REQ_OP_WRITE_ZEROES = 9,
	REQ_OP_COMMANDS = 32, /* from here on, four commands to the drive */
};

enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META = 12,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
	__REQ_RAHEAD = 19,
};
