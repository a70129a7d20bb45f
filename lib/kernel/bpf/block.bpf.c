/*
 * block.bpf: writes a record for each step of block requests and bios.
 *
 * The steps are the kernel's block tracepoints, with the same information. In addition, a request has its address, so that its
 * steps are matched reliably, and a bio of the page cache has its file. block_rq_error is not needed, because the end of the same
 * request contains its error.
 *
 * Interrupts may end requests while the same CPU is at another step, so counters are changed by one instruction.
 */
#include "bpf/base/identity.h"
#include "bpf/base/sample.h"
#include "bpf/base/user.h"
#include "bpf/block/device.h"
#include "bpf/block/kind.h"
#include "bpf/block/page.h"

#include <linux/errno.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool has_devices; /* record only steps of these devices */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint8_t);
} devices SEC(".maps");

/* Set while the programs run. */
volatile bool is_on;

#define NO_SECTOR   (~0ULL)
#define SECTOR_BITS 9

static __always_inline bool is_recorded(uint32_t dev)
{
	return is_on && (!has_devices || bpf_map_lookup_elem(&devices, &dev));
}

#define LETTER(flags, bit, letter)                                                                 \
	((flags) >> bpf_core_enum_value(enum req_flag_bits, bit) & 1 ? (letter) : 0U)

static __always_inline uint32_t letters_of(uint32_t flags)
{
	uint32_t erase = (flags & OPERATION) == REQ_OP_SECURE_ERASE ? BPF_REQUEST_SECURE : 0;

	return erase | LETTER(flags, __REQ_PREFLUSH, BPF_REQUEST_PREFLUSH) |
	       LETTER(flags, __REQ_FUA, BPF_REQUEST_FUA) |
	       LETTER(flags, __REQ_RAHEAD, BPF_REQUEST_AHEAD) |
	       LETTER(flags, __REQ_SYNC, BPF_REQUEST_SYNC) |
	       LETTER(flags, __REQ_META, BPF_REQUEST_META);
}

/* Converts a status as blk_status_to_errno() does: above 13, the numbers differ between kernels. An old kernel gives -errno. */
static __always_inline int32_t error_of(int32_t status)
{
	static const uint8_t errors[16] = {
		0,      EOPNOTSUPP, ETIMEDOUT, ENOSPC,  ENOLINK, EREMOTEIO, EBADE, ENODATA,
		EILSEQ, ENOMEM,     EIO,       EREMCHG, EAGAIN,  EBUSY,     EIO,   EIO,
	};

	if (status <= 0)
		return -status;
	/* The mask is a bound that the verifier sees, no matter how the compiler compares. */
	return status < (int32_t)sizeof(errors) ? errors[status & 15] : EIO;
}

/*
 * Begins the record of a step with the fields that all steps have. The caller checks out->head for space. The current task is
 * always recorded, and its name only for steps that a task does for itself.
 */
static __always_inline struct bpf_record_request *begin_step(struct outgoing *out, uint32_t step,
							     uint32_t dev, uint32_t flags)
{
	struct bpf_record_request *record;

	record = begin_sample(out, bpf_get_current_task_btf(), sizeof(*record));
	if (out->head)
		*record = (struct bpf_record_request){
			.head = {.kind = BPF_RECORD_REQUEST,
				 .size = sizeof(*record),
				 .flags = choice_by_user()},
			.step = step,
			.type = kind_of(flags),
			.letters = letters_of(flags),
			.major = MAJOR(dev),
			.minor = MINOR(dev),
			.old_sector = NO_SECTOR,
		};
	return record;
}

static __always_inline int end_step(const struct outgoing *out)
{
	__sync_fetch_and_add(&out->book->steps, 1);
	end_sample(out);
	return 0;
}

/* Sends a step of a request. Commands have no sectors and no position. */
static __always_inline int send_request(struct request *request, uint32_t step)
{
	uint32_t dev = device_of_request(request), flags = request->cmd_flags;
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_step(&out, step, dev, flags);
	if (!out.head)
		return 0;
	record->key = identity_of(request);
	if ((flags & OPERATION & ~3U) != REQ_OP_COMMANDS) {
		record->sector = request->__sector == NO_SECTOR ? 0 : request->__sector;
		record->sectors = request->__data_len >> SECTOR_BITS;
	}
	if (step != REQUEST_REQUEUE) {
		record->bytes = request->__data_len;
		put_comm(record->name, bpf_get_current_task_btf());
	}
	return end_step(&out);
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(request_waits, struct request *request)
{
	return send_request(request, REQUEST_INSERT);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(request_goes, struct request *request)
{
	return send_request(request, REQUEST_ISSUE);
}

SEC("tp_btf/block_rq_merge")
int BPF_PROG(request_merges, struct request *request)
{
	return send_request(request, REQUEST_MERGE);
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(request_returns, struct request *request)
{
	return send_request(request, REQUEST_REQUEUE);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(request_ends, struct request *request, int status, unsigned int bytes)
{
	uint32_t dev = device_of_request(request);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_step(&out, REQUEST_COMPLETE, dev, request->cmd_flags);
	if (!out.head)
		return 0;
	record->key = identity_of(request);
	record->sector = request->__sector;
	record->sectors = bytes >> SECTOR_BITS;
	record->error = error_of(status);
	return end_step(&out);
}

static __always_inline void put_file(struct bpf_record_request *record, struct bio *bio)
{
	bool is_write = record->type == REQUEST_WRITE;
	struct inode *inode;
	uint32_t dev;

	if (!record->sectors || (!is_write && record->type != REQUEST_READ))
		return;
	inode = inode_of_bio(bio, is_write);
	if (!inode)
		return;
	dev = device_of_inode(inode);
	record->inode = PEEK(inode, i_ino);
	record->inode_major = MAJOR(dev);
	record->inode_minor = MINOR(dev);
}

static __always_inline void put_cgroup(struct bpf_record_request *record, struct bio *bio)
{
	struct blkcg *group;

	if (!bpf_core_field_exists(bio->bi_blkg))
		return;
	group = FOLLOW(FOLLOW(bio, bi_blkg), blkcg);
	record->cgroup = FOLLOW(FOLLOW(FOLLOW(group, css.cgroup), kn), id);
}

static __always_inline struct bpf_record_request *begin_bio(struct outgoing *out, uint32_t step,
							    uint32_t dev, struct bio *bio)
{
	struct bpf_record_request *record = begin_step(out, step, dev, bio->bi_opf);

	if (!out->head)
		return NULL;
	record->key = identity_of(bio);
	record->sector = bio->bi_iter.bi_sector;
	record->sectors = bio->bi_iter.bi_size >> SECTOR_BITS;
	return record;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(bio_comes, struct bio *bio)
{
	uint32_t dev = device_of_bio(bio);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_bio(&out, REQUEST_BIO_QUEUE, dev, bio);
	if (!out.head)
		return 0;
	put_file(record, bio);
	put_cgroup(record, bio);
	put_comm(record->name, bpf_get_current_task_btf());
	return end_step(&out);
}

SEC("tp_btf/block_bio_complete")
int BPF_PROG(bio_ends, struct request_queue *queue, struct bio *bio)
{
	uint32_t dev = device_of_bio(bio);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_bio(&out, REQUEST_BIO_COMPLETE, dev, bio);
	if (!out.head)
		return 0;
	record->error = error_of(bio->bi_status);
	return end_step(&out);
}

/* A bio that is merged before a request moves the begin of the request. */
static __always_inline int send_merge(struct bio *bio, bool is_before)
{
	uint32_t dev = device_of_bio(bio);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_bio(&out, REQUEST_BIO_MERGE, dev, bio);
	if (!out.head)
		return 0;
	if (is_before) {
		record->old_major = record->major;
		record->old_minor = record->minor;
		record->old_sector = record->sector + record->sectors;
	}
	put_comm(record->name, bpf_get_current_task_btf());
	return end_step(&out);
}

SEC("tp_btf/block_bio_backmerge")
int BPF_PROG(bio_follows, struct bio *bio)
{
	return send_merge(bio, false);
}

SEC("tp_btf/block_bio_frontmerge")
int BPF_PROG(bio_precedes, struct bio *bio)
{
	return send_merge(bio, true);
}

SEC("tp_btf/block_bio_remap")
int BPF_PROG(bio_moves, struct bio *bio, uint32_t old, uint64_t from)
{
	uint32_t dev = device_of_bio(bio);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev) && !is_recorded(old))
		return 0;
	record = begin_bio(&out, REQUEST_BIO_REMAP, dev, bio);
	if (!out.head)
		return 0;
	record->old_major = MAJOR(old);
	record->old_minor = MINOR(old);
	record->old_sector = from;
	return end_step(&out);
}

/* The kernel gives only the lower 32 bits of the sector where the rest begins. */
SEC("tp_btf/block_split")
int BPF_PROG(bio_splits, struct bio *bio, unsigned int rest)
{
	uint32_t dev = device_of_bio(bio);
	struct bpf_record_request *record;
	struct outgoing out;

	if (!is_recorded(dev))
		return 0;
	record = begin_bio(&out, REQUEST_SPLIT, dev, bio);
	if (!out.head)
		return 0;
	record->sectors = rest - (uint32_t)record->sector;
	record->old_sector = record->sector + record->sectors;
	put_comm(record->name, bpf_get_current_task_btf());
	return end_step(&out);
}
