/*
 * calls.bpf: system calls, paired in the kernel.
 *
 * A traced task has storage; for other tasks, each call costs a look-up of the storage. The storage keeps the begin of a call. At
 * the end of the call, one record goes into the ring of the CPU. Two kinds of calls also have a record of their begin: calls that
 * create tasks, because records of the new tasks come in between; and calls that close descriptors, because other tasks may reuse
 * the number before the call ends.
 *
 * A table describes which calls are recorded, and what their arguments are.
 */
#include "bpf/base/calls.h"
#include "bpf/base/at_call.h"
#include "bpf/base/ioctl.h"
#include "bpf/base/send.h"
#include "bpf/name/directory.h"
#include "bpf/name/file.h"
#include "bpf/request/iocb.h"
#include "life.h"

struct bpf_call_role roles[BPF_CALLS]; /* it may grow when another command joins */
int wanted_tgid;                       /* mark_tasks() marks the threads of this process */
bool has_met_init; /* process 1 made a call: in some kernels no program runs in it */

enum { AT_FDCWD = -100 };                              /* <fcntl.h> */
enum { PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 }; /* <sys/mman.h> */
enum { MAP_SHARED = 1, MAP_ANONYMOUS = 32, MAP_DENYWRITE = 2048 };
enum { MAP_PROT = 2, MAP_FLAGS = 3, MAP_FD = 4 }; /* index of arguments of mmap() */

static __always_inline void take_arguments(struct bpf_call *call, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	call->arg[0] = regs->di;
	call->arg[1] = regs->si;
	call->arg[2] = regs->dx;
	call->arg[3] = regs->r10;
	call->arg[4] = regs->r8;
	call->arg[5] = regs->r9;
#else
	call->arg[0] = regs->orig_x0;
	for (int i = 1; i < 6; i++)
		call->arg[i] = regs->regs[i];
#endif
}

static __always_inline void put_call(struct bpf_record_call *record, const struct bpf_call *call,
				     uint32_t kind, int64_t result, uint16_t choice)
{
	record->head.kind = kind;
	record->head.size = sizeof(*record);
	record->head.parts = 0;
	record->head.flags = choice;
	record->number = call->number;
	record->cpu = call->cpu;
	record->begin = call->begin;
	record->result = result;
	record->position = ~0ULL;
	for (int i = 0; i < 6; i++)
		record->arg[i] = call->arg[i];
}

/* Sends a record without parts. */
static __always_inline void send_plain(struct task_struct *task, const struct bpf_call *call,
				       uint32_t kind, int64_t result, uint64_t position)
{
	struct bpf_record_call *record;
	struct outgoing out;

	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return;
	put_call(record, call, kind, result, choice_of(task));
	record->position = position;
	count(&out.book->calls);
	end_sample(&out);
}

static __always_inline uint64_t argument(const struct bpf_call *call, int index)
{
	return index < 0 ? 0 : call->arg[index < 6 ? index : 0];
}

/* Returns the start directory of a relative path: the one that an argument names, or the current one. NULL: none. */
static __always_inline struct path *base_of(struct task_struct *task, const struct bpf_call *call,
					    const volatile struct bpf_call_role *role, int index)
{
	int32_t fd = role->dir[index] < 0 ? AT_FDCWD : argument(call, role->dir[index]);
	struct file *file;

	if (fd == AT_FDCWD)
		return &FOLLOW(task, fs)->pwd;
	file = file_of(task, fd);
	return file ? &file->f_path : NULL;
}

static __always_inline uint64_t base_dentry(struct task_struct *task, const struct bpf_call *call,
					    const volatile struct bpf_call_role *role, int index)
{
	struct path *base = base_of(task, call, role, index);

	return base ? (uint64_t)PEEK(base, dentry) : 0;
}

/*
 * Stores the start directories of the paths when the call begins, because another thread may change them before the paths are
 * read.
 */
static __always_inline void note_bases(struct task_struct *task, struct bpf_call *call,
				       const volatile struct bpf_call_role *role)
{
	call->base[0] = base_dentry(task, call, role, 0);
	call->base[1] = role->path[1] < 0 ? 0 : base_dentry(task, call, role, 1);
}

/* Appends a PATH part. Returns the position behind it. */
static __always_inline uint32_t put_path(struct scratch *scratch, uint32_t at, uint64_t address,
					 uint32_t index)
{
	struct bpf_part *part;
	long n;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	n = bpf_probe_read_user_str(part + 1, PATH_BYTES + 8, (void *)address);
	part->kind = BPF_PART_PATH;
	part->index = index;
	part->flags = n < 1 || n > PATH_BYTES ? BPF_PART_TORN : 0;
	if (n < 1)
		n = 1;
	if (n > PATH_BYTES)
		n = PATH_BYTES;
	part->size = sizeof(*part) + n - 1;
	return padded(at + sizeof(*part) + n - 1);
}

struct parts {
	uint32_t at, count;
};

struct files {
	struct task_struct *task;
	uint32_t cpu;
};

/* Appends a BASE part if the path at `at` is relative, and its start directory is the same as at the begin. */
static __always_inline void put_base(struct scratch *scratch, struct parts *parts,
				     const struct files *files, const struct bpf_call *call,
				     const volatile struct bpf_call_role *role, uint32_t at,
				     int index)
{
	const struct bpf_part *part = place(scratch, at);
	char first = *(const char *)(part + 1);
	struct path *base;

	if (part->flags & BPF_PART_TORN || part->size == sizeof(*part) || first == '/' ||
	    parts->at > SCRATCH_TEXT - SCRATCH_PART)
		return;
	base = base_of(files->task, call, role, index);
	if (!base || (uint64_t)PEEK(base, dentry) != call->base[index])
		return;
	parts->at = put_directory(scratch, parts->at, files->cpu, files->task, base, BPF_PART_BASE,
				  index);
	parts->count++;
}

static __always_inline void put_paths(struct scratch *scratch, struct parts *parts,
				      const struct files *files, const struct bpf_call *call,
				      const volatile struct bpf_call_role *role, bool has_bases)
{
	for (int i = 0; i < 2; i++) {
		uint64_t address = argument(call, role->path[i]);
		uint32_t at = parts->at;

		if (!address)
			continue;
		parts->at = put_path(scratch, at, address, i);
		parts->count++;
		if (has_bases)
			put_base(scratch, parts, files, call, role, at, i);
	}
}

static __always_inline void put_descriptor(struct scratch *scratch, struct parts *parts,
					   const struct files *files, int32_t fd, uint32_t index)
{
	uint32_t at = parts->at;

	parts->at = put_file(scratch, at, files->cpu, files->task, fd, index);
	parts->count += parts->at != at;
}

static __always_inline void put_files(struct scratch *scratch, struct parts *parts,
				      const struct files *files, const struct bpf_call *call,
				      const volatile struct bpf_call_role *role, int64_t result)
{
	int32_t pair[2];

	if (role->flags & BPF_CALL_MAKES_FD) {
		put_descriptor(scratch, parts, files, result, 0);
	} else if (role->flags & BPF_CALL_MOVES_DIRECTORY) {
		parts->at = put_directory(scratch, parts->at, files->cpu, files->task,
					  &FOLLOW(files->task, fs)->pwd, BPF_PART_DIRECTORY, 0);
		parts->count++;
		if (role->flags & BPF_CALL_MOVES_ROOT) {
			parts->at = put_root(scratch, parts->at, files->cpu, files->task);
			parts->count++;
		}
	} else if (!bpf_probe_read_user(pair, sizeof(pair), (void *)argument(call, role->pair))) {
		put_descriptor(scratch, parts, files, pair[0], 0);
		put_descriptor(scratch, parts, files, pair[1], 1);
	}
}

static __always_inline bool makes_files(uint32_t flags, int64_t result)
{
	return flags & (BPF_CALL_MAKES_FD | BPF_CALL_MAKES_PAIR | BPF_CALL_MOVES_DIRECTORY) &&
	       result >= 0;
}

/* Sends a record with parts: builds it in the scratch memory, then copies it into the ring. */
static __always_inline void send_parts(struct task_struct *task, const struct bpf_call *call,
				       const volatile struct bpf_call_role *role, uint32_t kind,
				       int64_t result, bool has_paths)
{
	uint32_t cpu;
	struct scratch *scratch = take_scratch(&cpu);
	struct parts parts = {SCRATCH_AT + RAW_AT + sizeof(struct bpf_record_call), 0};
	struct files files = {task, cpu};
	/* The record of its begin has the paths of an exec. */
	bool has_bases = kind != BPF_RECORD_EXIT && (role->flags & BPF_CALL_BASES || result < 0);
	struct bpf_record_call *record;
	struct outgoing out;

	if (!scratch)
		return;
	record = (void *)(scratch->bytes + SCRATCH_AT + RAW_AT);
	put_call(record, call, kind, result, choice_of(task));
	if (has_paths)
		put_paths(scratch, &parts, &files, call, role, has_bases);
	if (makes_files(role->flags, result))
		put_files(scratch, &parts, &files, call, role, result);
	record->head.parts = parts.count;
	if (send_scratch(scratch, &out, task, parts.at))
		count(&out.book->calls);
	give_scratch();
}

/* For tasks that nobody traces, this must be cheap: a task without any storage is skipped before the map is searched. */
static __always_inline struct bpf_call *call_kept(struct task_struct *task)
{
	return FOLLOW(task, bpf_storage) ? bpf_task_storage_get(&calls, task, NULL, 0) : NULL;
}

static __always_inline struct bpf_call *call_of(struct task_struct *task, uint32_t flags)
{
	struct bpf_call *call;

	if (!is_in_scope(task) || !(flags & BPF_CALL_ALWAYS || is_chosen(task)))
		return NULL;
	call = bpf_task_storage_get(&calls, task, NULL,
				    is_system ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (is_system && !call)
		__sync_fetch_and_add(&unstored, 1);
	return call;
}

/*
 * Returns whether the begin needs a record of its own. Closing needs one only if the task shares its descriptors: otherwise no
 * other task can get the number early.
 */
static __always_inline bool has_own_begin(uint32_t flags, struct task_struct *task)
{
	return flags & BPF_CALL_OWN_BEGIN ||
	       (flags & BPF_CALL_CLOSES && FOLLOW(FOLLOW(task, files), count.counter) > 1);
}

static __always_inline uint32_t request_of(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->si;
#else
	return regs->regs[1];
#endif
}

/* 32-bit calls have other numbers, so such a call is only counted, and its arguments are not read. */
static __always_inline void begin_foreign(struct task_struct *task, long number)
{
	struct bpf_record_detail *record;
	struct bpf_call *call;
	struct outgoing out;

	if (!is_on || !(COMPAT_OF(task) || number & X32))
		return;
	call = call_of(task, BPF_CALL_ALWAYS);
	if (!call)
		return;
	call->is_foreign = true;
	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_detail){.head = {.kind = BPF_RECORD_FOREIGN,
						      .size = sizeof(*record)},
					     .value = number};
	count(&out.book->calls);
	end_sample(&out);
}

/* Returns what a mapping is for, or 0 if it is irrelevant. Only loaders of libraries set MAP_DENYWRITE. */
static __always_inline uint16_t use_of_map(const struct bpf_call *call)
{
	uint64_t prot = call->arg[MAP_PROT], flags = call->arg[MAP_FLAGS];

	if (flags & (MAP_ANONYMOUS | MAP_DENYWRITE))
		return 0;
	if (prot & PROT_WRITE && flags & MAP_SHARED)
		return BPF_RECORD_STORES;
	if (prot & PROT_EXEC)
		return BPF_RECORD_CODE;
	return prot & PROT_READ ? BPF_RECORD_LOADS : 0;
}

/* No call shows what a program reads or stores in mapped memory, so the record only has the descriptor. */
static __always_inline void note_map(struct task_struct *task, struct bpf_call *call)
{
	struct bpf_record_detail *record;
	uint16_t use = use_of_map(call);
	struct outgoing out;

	if (!use)
		return;
	record = begin_sample(&out, task, sizeof(*record));
	if (!out.head)
		return;
	*record = (struct bpf_record_detail){.head = {.kind = use, .size = sizeof(*record)},
					     .value = call->arg[MAP_FD]};
	count(&out.book->calls);
	end_sample(&out);
}

static __always_inline void begin_call(struct pt_regs *regs, long number)
{
	const volatile struct bpf_call_role *role;
	struct task_struct *task;
	struct bpf_call *call;

	task = bpf_get_current_task_btf();
	if (!is_system && !FOLLOW(task, bpf_storage))
		return;
	if (task->tgid == 1 && is_on)
		has_met_init = true;
	if ((unsigned long)number >= BPF_CALLS || COMPAT_OF(task)) {
		begin_foreign(task, number);
		return;
	}
	role = &roles[number];
	if (!role->flags || !is_on)
		return;
	if (role->flags & BPF_CALL_IOCTL && !is_known_request(request_of(regs)))
		return;
	call = call_of(task, role->flags);
	if (!call)
		return;
	call->number = number;
	call->cpu = bpf_get_smp_processor_id();
	take_arguments(call, regs);
	if (role->flags & BPF_CALL_MAPS) {
		note_map(task, call);
		return;
	}
	call->begin = bpf_ktime_get_ns();
	call->has_own_begin = has_own_begin(role->flags, task);
	if (role->flags & BPF_CALL_PATHS)
		note_bases(task, call, role);
	if (role->flags & BPF_CALL_SUBMITS)
		aio_call_begins(call);
	if (!call->has_own_begin)
		return;
	if (role->flags & BPF_CALL_EXEC)
		send_parts(task, call, role, BPF_RECORD_ENTER, -1, true);
	else
		send_plain(task, call, BPF_RECORD_ENTER, 0, ~0ULL);
}

SEC("tp_btf/sys_enter")
int call_begins(void *context)
{
	begin_call(regs_at_call(context), number_at_call(context));
	return PASS_ON;
}

/* Returns the position after a read or a write, failed or not, if no other thread has closed the descriptor meanwhile. */
static __always_inline uint64_t position_of(struct task_struct *task, const struct bpf_call *call,
					    const volatile struct bpf_call_role *role)
{
	struct file *file = file_of(task, argument(call, role->fd));

	return file ? PEEK(file, f_pos) : ~0ULL;
}

static __always_inline void end_call(int64_t result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_call *call = call_kept(task);
	const volatile struct bpf_call_role *role;
	uint64_t position = ~0ULL;
	uint32_t kind;

	if (!call)
		return;
	close_fault(&call->fault);
	if (!call->begin)
		return;
	role = &roles[call->number & (BPF_CALLS - 1)];
	kind = call->has_own_begin ? BPF_RECORD_EXIT : BPF_RECORD_CALL;
	if (role->flags & BPF_CALL_AIO)
		aio_call_ends(call, role->flags, result);
	if (role->flags & BPF_CALL_PATHS || makes_files(role->flags, result)) {
		send_parts(task, call, role, kind, result, role->flags & BPF_CALL_PATHS);
	} else {
		if (role->flags & BPF_CALL_MOVES)
			position = position_of(task, call, role);
		send_plain(task, call, kind, result, position);
	}
	call->begin = 0;
}

SEC("tp_btf/sys_exit")
int call_ends(void *context)
{
	end_call(result_at_return(context));
	return PASS_ON;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_forks, struct task_struct *parent, struct task_struct *child)
{
	struct bpf_call *call = bpf_task_storage_get(&calls, parent, NULL, 0), *new;

	if (!call)
		return 0;
	new = bpf_task_storage_get(&calls, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!new && !is_system) /* otherwise the next call of the task tries again */
		__sync_fetch_and_add(&untraced, 1);
	if (!call->is_detached || !new)
		return 0;
	new->is_detached = true;
	__sync_fetch_and_add(&detached, 1);
	send_task(parent, child, BPF_RECORD_FORK);
	return 0;
}

/* Marks the threads of a running process. */
SEC("iter/task")
int mark_tasks(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;

	if (task && task->tgid == wanted_tgid)
		bpf_task_storage_get(&calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

/* Runs at the end: returns the calls in flight. */
SEC("iter/task")
int calls_in_flight(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct bpf_in_flight found = {0};
	struct bpf_call *call;

	if (!task)
		return 0;
	call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (!call || !call->begin)
		return 0;
	found.pid = task->tgid;
	found.tid = task->pid;
	found.call = *call;
	bpf_seq_write(context->meta->seq, &found, sizeof(found));
	return 0;
}
