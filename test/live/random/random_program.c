/*
 * random_program: does the steps that run.py wrote into a shared segment, one after the other, each by its actor.
 *
 *	random_program launch SEGMENT...          a process for each segment, the first actor of its program
 *	random_program resume SEGMENT ACTOR       what an exec step runs: the actor goes on
 *
 * An actor is a process or a thread. All of a program take turns, so that what each call finds is known. The segment is
 * of System V and turns are waited for with a futex: neither is recorded, and neither needs a descriptor. For the same
 * reason there is no C library, whose start would open files. See program.py for the layout of the segment.
 */
#ifndef __x86_64__
#error "random_program makes its calls itself, and knows only how x86-64 does it"
#endif

#include <asm/unistd.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

enum { ACTORS = 64, STEPS = 512, ARGS = 6, BUFFER = 65536, STACK = 16384, SEGMENTS = 64 };

enum step_kind {
	CALL,
	SPAWN,
	EXEC,
	EXECAT,
	EXIT,
	PAIR,
	SEND_FD,
	RECEIVE_FD,
	OWN_MOUNTS,
	MOUNT_CALL,
	URING
};
enum arg_kind { PLAIN, TEXT, RESULT, RESULT2, ROOM, VECTOR, TID, NUMBER, HOW, HANDLE, KEPT };

enum { NEWNS = 0x20000, PRIVATE_ALL = 1 << 14 | 1 << 18, VFORK = 0x4000 };
enum { NOT_DONE = -5000 }; /* no error of the kernel's */

struct step {
	int32_t actor, kind;
	int64_t call;
	int64_t arg[ARGS];
	uint8_t arg_kind[8];
	int64_t result, result2;
	int32_t tid, spawned;
};

struct segment {
	int32_t bell, next, limit, is_over;
	int32_t tid[ACTORS];
	int32_t has_own_mounts[ACTORS];
	struct step step[STEPS];
	char text[65536]; /* begins with the directory to work in, then the path of this program */
};

static struct segment *shared;
static char segment_text[24];
static char buffer[BUFFER] __attribute__((aligned(64)));
static char stack[ACTORS][STACK] __attribute__((aligned(64)));
static int64_t number[ARGS];
static struct {
	uint64_t flags, mode, resolve;
} how;
/* What name_to_handle_at() said last. */
static struct {
	uint32_t size;
	int32_t type;
	char bytes[128];
} handle;
struct vector {
	void *base;
	size_t length;
};
static struct vector vector[16];
static struct {
	void *name;
	uint32_t name_length;
	struct vector *vector;
	size_t vectors;
	void *control;
	size_t control_length;
	int flags;
} message;
static struct {
	size_t length;
	int level, type, fd, padding;
} control;

static long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define call(nr, ...) call_(nr, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define call_(nr, a, b, c, d, e, f, ...)                                                           \
	call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)value;
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

static char *print_number(char *end, long value)
{
	*--end = '\0';
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

static long scan_number(const char *text)
{
	long value = 0;

	while (*text)
		value = value * 10 + *text++ - '0';
	return value;
}

static void ring(void)
{
	__atomic_add_fetch(&shared->bell, 1, __ATOMIC_SEQ_CST);
	call(__NR_futex, &shared->bell, FUTEX_WAKE, INT32_MAX);
}

static void advance(void)
{
	__atomic_add_fetch(&shared->next, 1, __ATOMIC_SEQ_CST);
	ring();
}

static void act(int me) __attribute__((noreturn));

static void begin_actor(int me)
{
	shared->tid[me] = (int32_t)call(__NR_gettid, 0);
	/* The parent of a vfork waits for this one. */
	struct step *s = &shared->step[shared->next];

	if (s->kind == SPAWN && s->spawned == me &&
	    (s->call == __NR_vfork || (s->arg[0] & VFORK))) {
		s->result = shared->tid[me];
		advance();
	}
	act(me);
}

/* The stack of the child is left before anything is written to it: it may be the parent's. */
static long spawn(long nr, long flags, long size, int child)
{
	register long r12 __asm__("r12") = (long)(stack[child] + STACK - 64);
	register long r13 __asm__("r13") = child;
	register long r14 __asm__("r14") = (long)begin_actor;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r12, %%rsp\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r14\n\t"
			 "ud2\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(nr), "D"(flags), "S"(size), "d"(0), "r"(r10), "r"(r8), "r"(r12),
			   "r"(r13), "r"(r14)
			 : "rcx", "r11", "memory");
	return result;
}

static long do_spawn(int me, struct step *s)
{
	static struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} args;
	int vfork = s->call == __NR_vfork || (s->arg[0] & VFORK);
	long result;

	shared->has_own_mounts[s->spawned] = shared->has_own_mounts[me];
	if (s->call == __NR_clone3) {
		args.flags = (uint64_t)s->arg[0] & ~UINT64_C(0xff);
		args.exit_signal = (uint64_t)s->arg[0] & 0xff;
		result = spawn(s->call, (long)&args, sizeof(args), s->spawned);
	} else {
		result = spawn(s->call, s->arg[0], 0, s->spawned);
	}
	if (!vfork || result < 0) {
		s->result = result;
		advance();
	}
	return result;
}

static long value_of(struct step *s, int i)
{
	long value = s->arg[i];
	struct step *from = &shared->step[value >= 0 && value < STEPS ? value : 0];
	long result;

	switch ((enum arg_kind)s->arg_kind[i]) {
	case TEXT:
		return (long)(shared->text + value);
	case RESULT:
	case RESULT2:
		result = s->arg_kind[i] == RESULT ? from->result : from->result2;
		return result < 0 ? -1 : result;
	case ROOM:
		return (long)buffer;
	case VECTOR:
		for (int v = 0; v < 16; v++)
			vector[v] = (struct vector){buffer + v * 512, (size_t)value};
		return (long)vector;
	case TID:
		return shared->tid[value];
	case NUMBER:
		number[i] = value;
		return (long)&number[i];
	case HOW:
		how.flags = (uint64_t)value & 0xffffffff;
		how.mode = (uint64_t)value >> 32 & 0xffff;
		how.resolve = (uint64_t)value >> 48;
		return (long)&how;
	case HANDLE:
		handle.size = sizeof(handle.bytes);
		return (long)&handle;
	case KEPT:
		return (long)&handle;
	default:
		return value;
	}
}

static long do_exec(int me, struct step *s, const long arg[])
{
	static char actor_text[24];
	static char *argv[5], *envp[1];

	argv[0] = shared->text + 256;
	argv[1] = "resume";
	argv[2] = segment_text;
	argv[3] = print_number(actor_text + sizeof(actor_text), me);
	if (s->kind == EXEC)
		return call(__NR_execve, arg[0], argv, envp);
	return call(__NR_execveat, arg[0], arg[1], argv, envp, arg[2]);
}

static long do_pair(struct step *s, const long arg[])
{
	static int pair[2];
	long result;

	pair[0] = pair[1] = -1;
	if (s->call == __NR_socketpair)
		result = call(s->call, arg[0], arg[1], arg[2], pair);
	else
		result = call(s->call, pair, arg[0]);
	if (result < 0)
		return result;
	s->result2 = pair[1];
	return pair[0];
}

static long do_message(struct step *s, const long arg[])
{
	enum { SOL_SOCKET_ = 1, SCM_RIGHTS_ = 1, RIGHTS = sizeof(size_t) + 3 * sizeof(int) };
	long result;

	vector[0] = (struct vector){buffer, 1};
	memset(&message, 0, sizeof(message));
	message.vector = vector;
	message.vectors = 1;
	message.control = &control;
	message.control_length = sizeof(control);
	memset(&control, 0, sizeof(control));
	control.fd = -1;
	if (s->kind == RECEIVE_FD) {
		result = call(__NR_recvmsg, arg[0], &message, arg[1]);
		s->result2 = result >= 0 && message.control_length >= RIGHTS ? control.fd : -1;
		return result;
	}
	control.length = RIGHTS;
	control.level = SOL_SOCKET_;
	control.type = SCM_RIGHTS_;
	control.fd = (int)arg[1];
	return call(__NR_sendmsg, arg[0], &message, arg[2]);
}

static long do_own_mounts(int me)
{
	long result = call(__NR_unshare, NEWNS);

	if (result == 0)
		result = call(__NR_mount, 0, "/", 0, PRIVATE_ALL, 0);
	if (result == 0)
		shared->has_own_mounts[me] = 1;
	return result;
}

/* One request in a ring of its own, whose memory is ours: so nothing is mapped. arg: as the fields of the request. */
static long do_uring(struct step *s, const long arg[])
{
	enum { NO_MMAP = 1 << 14, GETEVENTS = 1, PAGE = 4096 };
	static char rings[PAGE] __attribute__((aligned(PAGE)));
	static struct {
		uint8_t opcode, flags;
		uint16_t priority;
		int32_t fd;
		uint64_t offset, address;
		uint32_t length, open_flags;
		uint64_t user_data, more[3];
	} request[PAGE / 64] __attribute__((aligned(PAGE)));
	static struct {
		uint32_t sq_entries, cq_entries, flags, more[7];
		uint32_t sq_head, sq_tail, sq_more[4], sq_array, sq_end;
		void *requests;
		uint32_t cq_head, cq_tail, cq_more[3], cq_ends, cq_end[2];
		void *rings;
	} params;

	memset(rings, 0, sizeof(rings));
	memset(request, 0, sizeof(*request));
	memset(&params, 0, sizeof(params));
	params.flags = NO_MMAP;
	params.requests = request;
	params.rings = rings;
	s->result2 = call(__NR_io_uring_setup, 4, &params);
	if (s->result2 < 0)
		return NOT_DONE;
	request[0].opcode = (uint8_t)arg[0];
	request[0].fd = (int32_t)arg[1];
	request[0].address = (uint64_t)arg[2];
	request[0].length = (uint32_t)arg[3];
	request[0].open_flags = (uint32_t)arg[4];
	request[0].offset = (uint64_t)arg[5];
	*(uint32_t *)(rings + params.sq_tail) = 1;
	call(__NR_io_uring_enter, s->result2, 1, 1, GETEVENTS);
	call(__NR_close, s->result2);
	return *(int32_t *)(rings + params.cq_ends + sizeof(uint64_t));
}

static long do_mount_call(int me, struct step *s, const long arg[])
{
	if (!shared->has_own_mounts[me]) /* never where others would see it */
		return NOT_DONE;
	return call6(s->call, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static long do_step(int me, struct step *s)
{
	long arg[ARGS], result;

	for (int i = 0; i < ARGS; i++)
		arg[i] = value_of(s, i);
	switch ((enum step_kind)s->kind) {
	case EXEC:
	case EXECAT:
		return do_exec(me, s, arg);
	case PAIR:
		return do_pair(s, arg);
	case SEND_FD:
	case RECEIVE_FD:
		return do_message(s, arg);
	case OWN_MOUNTS:
		return do_own_mounts(me);
	case MOUNT_CALL:
		return do_mount_call(me, s, arg);
	case URING:
		return do_uring(s, arg);
	default:
		result = call6(s->call, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
		if (s->call == __NR_setns && result == 0)
			shared->has_own_mounts[me] = 0; /* those of somebody else */
		return result;
	}
}

static void take_turn(int me, struct step *s)
{
	s->tid = (int32_t)call(__NR_gettid, 0);
	if (s->kind == SPAWN) {
		do_spawn(me, s);
		return;
	}
	if (s->kind == EXIT) {
		long nr = s->call;

		advance();
		call(nr, 0);
	}
	s->result = do_step(me, s);
	advance();
}

static void act(int me)
{
	for (;;) {
		int bell = __atomic_load_n(&shared->bell, __ATOMIC_SEQ_CST);
		int next = __atomic_load_n(&shared->next, __ATOMIC_SEQ_CST);

		if (next < __atomic_load_n(&shared->limit, __ATOMIC_SEQ_CST)) {
			if (shared->step[next].actor == me) {
				take_turn(me, &shared->step[next]);
				continue;
			}
		} else if (__atomic_load_n(&shared->is_over, __ATOMIC_SEQ_CST)) {
			call(__NR_exit_group, 0);
		}
		call(__NR_futex, &shared->bell, FUTEX_WAIT, bell, 0);
	}
}

static void attach(const char *segment)
{
	for (size_t i = 0; segment[i] && i < sizeof(segment_text) - 1; i++)
		segment_text[i] = segment[i];
	shared = (struct segment *)call(__NR_shmat, scan_number(segment), 0, 0);
}

/* Children go by themselves when SIGCHLD is ignored, and wait4 then waits for all of them. */
static void ignore(int number)
{
	static struct {
		long handler, flags, restorer, mask;
	} action = {1, 0, 0, 0};

	call(__NR_rt_sigaction, number, &action, 0, 8);
}

static void launch(char **segment)
{
	enum { CHILD_SUBREAPER = 36, SIGPIPE_ = 13, SIGCHLD_ = 17 };

	ignore(SIGPIPE_);
	ignore(SIGCHLD_);
	call(__NR_prctl, CHILD_SUBREAPER, 1, 0, 0, 0);
	for (; *segment; segment++) {
		if (call(__NR_fork, 0) == 0) {
			attach(*segment);
			call(__NR_chdir, shared->text);
			begin_actor(0);
		}
	}
	call(__NR_wait4, -1, 0, 0, 0);
	call(__NR_exit_group, 0);
}

__attribute__((used)) static void begin(long *from)
{
	char **argv = (char **)(from + 1);

	if (from[0] < 3)
		call(__NR_exit_group, 2);
	if (argv[1][0] == 'l')
		launch(argv + 2);
	attach(argv[2]);
	int me = (int)scan_number(argv[3]);

	shared->tid[me] = (int32_t)call(__NR_gettid, 0);
	shared->step[shared->next].result = 0;
	advance();
	act(me);
}

__asm__(".globl _start\n"
	"_start:\n\t"
	"xor %ebp, %ebp\n\t"
	"mov %rsp, %rdi\n\t"
	"and $-16, %rsp\n\t"
	"call begin\n\t"
	"ud2\n");
