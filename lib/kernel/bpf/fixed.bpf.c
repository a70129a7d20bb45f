/* fixed.bpf: descriptors that io_uring_register() makes fixed files of a ring. */
#include "bpf/request/uring.h"

#include "bpf/base/calls.h"
#include "bpf/base/identity.h"
#include "bpf/base/loop.h"
#include "bpf/request/aio.h"
#include "bpf/request/known_file.h"

/* Fixed files of a ring: `fds` has the descriptors for the slots from `first` on. */
struct fixing {
	uint64_t ring, fds;
	uint32_t first, count;
	bool is_update; /* -1 removes a file */
};

static long fix_one(TURN(struct fixing *fixing))
{
	struct bpf_record_aio *aio;
	struct outgoing out;
	uint32_t index = TURN_NUMBER;
	int32_t fd;

	if (index >= fixing->count ||
	    bpf_probe_read_user(&fd, sizeof(fd), (void *)(fixing->fds + index * sizeof(fd))))
		return 1;
	if (fd < -1 || (fd < 0 && !fixing->is_update))
		return 0;
	aio = begin_aio(&out, AIO_FILES, AIO_URING, fixing->ring);
	if (!out.head)
		return 0;
	aio->index = fixing->first + index;
	aio->fd = fd;
	end_aio(&out);
	return 0;
}

static __always_inline void unfix_all(const struct fixing *fixing)
{
	struct outgoing out;

	begin_aio(&out, AIO_FILES, AIO_URING, fixing->ring);
	if (out.head)
		end_aio(&out);
}

/* Returns how many descriptors the call has registered, and finds them in memory. An update may have stopped early. */
static __always_inline uint32_t find_fixing(struct fixing *fixing, uint32_t what, uint64_t address,
					    uint32_t count, uint32_t result)
{
	struct files_update_user update;
	struct rsrc_register_user two;
	struct rsrc_update_user update2;

	switch (what) {
	case REGISTER_FILES:
		fixing->fds = address;
		return count;
	case REGISTER_FILES_UPDATE:
		if (bpf_probe_read_user(&update, sizeof(update), (void *)address))
			return 0;
		fixing->first = update.offset;
		fixing->fds = update.fds;
		fixing->is_update = true;
		return result;
	case REGISTER_FILES2:
		if (bpf_probe_read_user(&two, sizeof(two), (void *)address))
			return 0;
		fixing->fds = two.data;
		return two.data ? two.count : 0;
	case REGISTER_FILES_UPDATE2:
		if (bpf_probe_read_user(&update2, sizeof(update2), (void *)address))
			return 0;
		fixing->first = update2.offset;
		fixing->fds = update2.data;
		fixing->is_update = true;
		return result;
	default:
		return 0;
	}
}

static __always_inline int fix_files(void *ring, unsigned int what, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_call *call = bpf_task_storage_get(&calls, task, NULL, 0);
	struct fixing fixing = {.ring = identity_of(ring)};

	if (!call || !call->begin || result < 0)
		return 0;
	note_change();
	if (what == UNREGISTER_FILES || what == REGISTER_FILES || what == REGISTER_FILES2)
		unfix_all(&fixing);
	fixing.count = find_fixing(&fixing, what, call->arg[2], call->arg[3], result);
	if (fixing.count && fixing.count <= REQUESTS_MOST)
		REPEAT(fixing.count, fix_one, &fixing);
	return 0;
}

SEC("raw_tp/io_uring_register")
int BPF_PROG(files_fixed, void *ring, unsigned int what, unsigned int files, unsigned int buffers,
	     long result)
{
	return fix_files(ring, what, result);
}

/* The arguments of the tracepoint before Linux 5.19. */
SEC("raw_tp/io_uring_register")
int BPF_PROG(files_fixed_old, void *ring, unsigned int what, unsigned int files,
	     unsigned int buffers, bool has_event, long result)
{
	return fix_files(ring, what, result);
}
