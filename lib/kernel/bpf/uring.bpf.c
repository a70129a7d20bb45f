/*
 * uring.bpf: the requests of io_uring.
 *
 * A request is read when the kernel takes it; after that, the program no longer changes it.
 *
 * The programs use raw tracepoints without types: for typed ones, the kernel searches all its types, which takes longer than
 * everything else.
 */
#include "bpf/request/uring.h"

#include "bpf/base/calls.h"
#include "bpf/base/identity.h"
#include "bpf/base/send.h"
#include "bpf/name/file.h"
#include "bpf/request/aio.h"
#include "bpf/request/entry.h"
#include "bpf/request/known_file.h"

/* The threads that the kernel creates for rings have no fork tracepoint, and names of their own. So their process is compared. */
static __always_inline bool is_traced_process(struct task_struct *task)
{
	struct task_struct *leader = task->group_leader;

	if (!is_on || !is_in_scope(task) || !has_chosen_user() ||
	    !(has_chosen_name(task) || has_chosen_name(leader)))
		return false;
	return is_system || bpf_task_storage_get(&calls, leader, NULL, 0);
}

/*
 * If the thread that submitted a request has ended, a worker of the kernel completes it. The storage of a task that may have
 * ended cannot be looked up, so any storage counts.
 */
static __always_inline bool is_of_traced_task(struct io_kiocb *request)
{
	struct task_struct *task;

	if (!is_on || !request)
		return false;
	task = bpf_core_field_exists(request->tctx) ? PEEK(PEEK(request, tctx), task)
						    : PEEK(request, task);
	return task && PEEK(task, bpf_storage);
}

static __always_inline void put_position(struct bpf_record_aio *aio, long long position,
					 uint32_t rw_flags)
{
	if (position < 0)
		aio->flags |= AIO_POSITIONED;
	else if (!(rw_flags & APPENDS))
		aio->offset = position;
}

static __always_inline void put_transfer(struct bpf_record_aio *aio, struct io_kiocb *request,
					 bool is_vector)
{
	struct io_rw *rw = (void *)&request->file;
	uint32_t size = PEEK(rw, len);
	struct sqe_user entry;

	if (keeps_entry(request)) {
		put_position(aio, PEEK(rw, kiocb.ki_pos), PEEK(rw, flags));
	} else {
		read_entry(&entry, request);
		put_position(aio, entry.offset, entry.rw_flags);
	}
	aio->bytes = is_vector ? iovecs_size(PEEK(rw, addr), size) : size;
}

/* If the kernel does not report the kind of a message, it may be a file. */
static __always_inline bool passes_file(struct io_msg *message)
{
	return !bpf_core_field_exists(message->cmd) || PEEK(message, cmd) == MESSAGE_FILE;
}

static __always_inline void put_command(struct bpf_record_aio *aio, struct io_kiocb *request,
					bool is_old)
{
	void *command = (void *)&request->file;

	switch (aio->opcode) {
	case OP_READV:
	case OP_WRITEV:
	case OP_READV_FIXED:
	case OP_WRITEV_FIXED:
		put_transfer(aio, request, true);
		break;
	case OP_READ:
	case OP_WRITE:
	case OP_READ_FIXED:
	case OP_WRITE_FIXED:
		put_transfer(aio, request, false);
		break;
	case OP_SEND:
	case OP_RECV:
		aio->bytes = PEEK((struct io_sr_msg *)command, len);
		break;
	case OP_CLOSE:
		aio->fd = PEEK((struct io_close *)command, fd);
		break;
	case OP_FILES_UPDATE:
		aio->index = PEEK((struct io_rsrc_update *)command, offset);
		aio->bytes = PEEK((struct io_rsrc_update *)command, nr_args);
		break;
	case OP_MSG_RING:
		if (is_old || passes_file(command))
			aio->flags |= AIO_DIRECT;
		break;
	case OP_PIPE:
		aio->flags |= AIO_DIRECT;
		break;
	default:
		break;
	}
}

/* The request may open or close a fixed file; slots are counted from 1 there. */
static __always_inline void put_slot(struct bpf_record_aio *aio, uint32_t slot)
{
	if (!slot)
		return;
	aio->flags |= AIO_DIRECT;
	aio->index = slot == SLOT_ANY ? -1 : (int32_t)slot - 1;
}

/* The request waits for others, or for a worker: it gets its file only then. */
static __always_inline bool is_late(struct io_ring_ctx *ctx, uint64_t flags)
{
	return flags & (SQE_DRAIN | SQE_ASYNC) || PEEK(ctx, submit_state.link.head);
}

static __always_inline void put_entry(struct bpf_record_aio *aio, struct io_kiocb *request,
				      uint64_t flags)
{
	struct sqe_user entry;
	int32_t fd;

	if (keeps_entry(request)) {
		aio->user_data = PEEK(request, cqe.user_data);
		fd = PEEK(request, cqe.fd);
	} else {
		read_entry(&entry, request);
		aio->user_data = PEEK((struct io_kiocb___old *)request, user_data);
		fd = entry.fd;
	}
	if (flags & SQE_FIXED_FILE) {
		aio->flags |= AIO_FIXED;
		aio->index = fd;
	} else {
		aio->fd = fd;
	}
}

static __always_inline void take_request(struct io_kiocb *request, uint32_t more, bool is_old)
{
	uint32_t slot;
	struct bpf_record_aio *aio;
	struct io_ring_ctx *ctx;
	struct outgoing out;
	uint64_t flags;

	if (!is_traced_process(bpf_get_current_task_btf()))
		return;
	ctx = PEEK(request, ctx);
	aio = begin_aio(&out, AIO_SUBMIT, AIO_URING, identity_of(ctx));
	if (!out.head)
		return;
	flags = PEEK(request, flags);
	aio->key = identity_of(request);
	aio->opcode = PEEK(request, opcode);
	put_entry(aio, request, flags);
	if (flags & SQE_SKIP)
		aio->flags |= AIO_SILENT;
	else if (flags & SQE_FIXED_FILE && !is_old)
		aio->flags |= AIO_TELLS;
	if (PEEK(ctx, flags) & SQPOLL)
		aio->flags |= AIO_BY_THREAD;
	if (is_late(ctx, flags))
		aio->flags |= AIO_LATE;
	aio->flags |= more;
	slot = slot_of(request, aio->opcode, is_old);
	put_slot(aio, slot);
	if (takes_out(aio->opcode, slot))
		note_change();
	note_opening(aio, request, slot);
	put_command(aio, request, is_old);
	/* As large as the buffer that the kernel will choose. */
	if (flags & SQE_BUFFER_SELECT && !aio->bytes)
		aio->bytes = AIO_UNKNOWN;
	end_aio(&out);
}

SEC("raw_tp/io_uring_submit_req")
int BPF_PROG(request_taken, struct io_kiocb *request)
{
	take_request(request, 0, false);
	return 0;
}

/* The name of the tracepoint before Linux 6.4. Before 5.18, completions do not name their request. */
SEC("raw_tp/io_uring_submit_sqe")
int BPF_PROG(request_taken_sqe, struct io_kiocb *request, bool is_nonblocking)
{
	take_request(request, AIO_REPEATS, false);
	return 0;
}

/* The arguments of the tracepoint before Linux 6.0. */
SEC("raw_tp/io_uring_submit_sqe")
int BPF_PROG(request_taken_old, void *ring, struct io_kiocb *request)
{
	take_request(request, AIO_REPEATS, true);
	return 0;
}

static __always_inline void put_ending(struct bpf_record_aio *aio, const struct ending *ending)
{
	aio->key = identity_of(ending->request);
	aio->user_data = ending->user_data;
	aio->result = ending->result;
	if (ending->flags & CQE_MORE)
		aio->flags |= AIO_MORE;
	aio->opcode = ending->opcode;
}

/* Sends the end of a request with a file, built in the scratch memory. fd: its descriptor. Returns whether the record was sent. */
static __always_inline bool send_with_file(struct task_struct *task, const struct ending *ending,
					   struct file *file, int32_t fd)
{
	uint32_t cpu;
	struct scratch *scratch = take_scratch(&cpu);
	uint32_t begin = SCRATCH_AT + RAW_AT + sizeof(struct bpf_record_aio), end;
	struct bpf_record_aio *aio;
	struct outgoing out;
	bool is_sent;

	if (!scratch)
		return false;
	aio = (void *)(scratch->bytes + SCRATCH_AT + RAW_AT);
	fill_aio(aio, AIO_COMPLETE, AIO_URING, identity_of(ending->ring));
	put_ending(aio, ending);
	aio->file = fd < 0 ? identity_of(file) : 0;
	end = put_open_file(scratch, begin, cpu, task, file, fd, 0);
	aio->head.parts = end != begin;
	is_sent = send_scratch(scratch, &out, task, end);
	if (is_sent)
		count(&out.book->requests);
	give_scratch();
	return is_sent;
}

static __always_inline void send_ending(const struct ending *ending, struct file *fixed)
{
	struct bpf_record_aio *aio;
	struct outgoing out;

	aio = begin_aio(&out, AIO_COMPLETE, AIO_URING, identity_of(ending->ring));
	if (!out.head)
		return;
	put_ending(aio, ending);
	aio->file = identity_of(fixed);
	end_aio(&out);
}

/* The kernel's own workers see other paths than the program. */
static __always_inline void send_fixed(struct task_struct *task, const struct ending *ending,
				       struct file *file)
{
	struct known_file_key key = {(uint64_t)ending->ring, (uint64_t)file};
	struct known_file now = known_file_of(task, file);

	if (is_known(&key, &now))
		send_ending(ending, file);
	else if (send_with_file(task, ending, file, AIO_FD_NONE))
		bpf_map_update_elem(&known_files, &key, &now, BPF_ANY);
}

static __always_inline void end_request(struct ending *ending)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool is_worker = task->flags & KERNEL_THREAD;
	struct file *file;

	if (!is_traced_process(task) && !(is_worker && is_of_traced_task(ending->request)))
		return;
	find_opening(ending);
	if (takes_out(ending->opcode, ending->slot))
		note_change();
	if (!is_worker && opens(ending->opcode) && ending->result >= 0 && !ending->slot) {
		file = file_of(task, ending->result);
		if (file) {
			send_with_file(task, ending, file, ending->result);
			return;
		}
	}
	file = is_worker ? NULL : file_of_ending(ending);
	if (file)
		send_fixed(task, ending, file);
	else
		send_ending(ending, NULL);
}

SEC("raw_tp/io_uring_complete")
int BPF_PROG(request_ends, void *ring, void *request, struct io_uring_cqe *cqe)
{
	struct ending ending = {.ring = ring,
				.request = request,
				.user_data = PEEK(cqe, user_data),
				.result = PEEK(cqe, res),
				.flags = PEEK(cqe, flags)};

	end_request(&ending);
	return 0;
}

/* The arguments of the tracepoint before Linux 6.11. */
SEC("raw_tp/io_uring_complete")
int BPF_PROG(request_ends_values, void *ring, void *request, uint64_t user_data, int result,
	     unsigned int flags, uint64_t extra1, uint64_t extra2)
{
	struct ending ending = {ring, request, user_data, result, flags, 0, 0};

	end_request(&ending);
	return 0;
}

/* The arguments of the tracepoint before Linux 5.18, which do not include the request. */
SEC("raw_tp/io_uring_complete")
int BPF_PROG(request_ends_old, void *ring, uint64_t user_data, int result, unsigned int flags)
{
	struct ending ending = {ring, NULL, user_data, result, flags, 0, 0};

	end_request(&ending);
	return 0;
}

SEC("raw_tp/io_uring_create")
int BPF_PROG(ring_made, int fd, void *ring, uint32_t sq_entries, uint32_t cq_entries,
	     uint32_t flags)
{
	struct bpf_record_aio *aio;
	struct outgoing out;

	if (!is_traced_process(bpf_get_current_task_btf()))
		return 0;
	aio = begin_aio(&out, AIO_QUEUE, AIO_URING, identity_of(ring));
	if (!out.head)
		return 0;
	aio->fd = fd;
	end_aio(&out);
	return 0;
}
