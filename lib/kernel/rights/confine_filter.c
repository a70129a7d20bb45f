/*
 * confine_filter: the system calls that iotrace may make, and their allowed arguments.
 *
 * Other calls return ENOSYS, as in a kernel that lacks them: a C library that is newer than this table then falls back, and a
 * batch job is not killed for a call that nobody foresaw. These are left out on purpose: creating processes or threads, running
 * programs, opening events, BPF, changing ids, mounting, and the network (OTF2 asks for the host's number, for which the C
 * library would ask a name server). With -vv the kernel logs what it refuses.
 */
#include <iotrace/confine.h>

#include <iotrace/log.h>

#include <errno.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_SANITIZER 1
#endif

#ifdef IOTRACE_HAS_SECCOMP
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Calls whose name this architecture or an older libseccomp does not know are skipped. */
static const char calls[] =
	/* files: the archive, the spool, /proc, /sys */
	"read write pread64 pwrite64 readv writev preadv pwritev lseek _llseek open openat close stat stat64 lstat "
	"lstat64 fstat fstat64 newfstatat fstatat64 statx statfs statfs64 fstatfs fstatfs64 access faccessat "
	"faccessat2 readlink readlinkat getdents getdents64 getcwd mkdir mkdirat rename renameat renameat2 unlink "
	"unlinkat rmdir fchmod fchmodat fchmodat2 ftruncate ftruncate64 fallocate fsync fdatasync sync_file_range fadvise64 fcntl fcntl64 dup "
	"umask flock "
	/* memory */
	"mmap mmap2 munmap mremap mprotect madvise brk process_vm_readv "
	/* the existing threads */
	"futex futex_time64 set_robust_list rseq sched_yield sched_getaffinity sched_setaffinity sched_getattr "
	"sched_setattr sched_getparam sched_getscheduler getpriority membarrier gettid getcpu exit exit_group "
	/* waiting, and the time */
	"poll ppoll ppoll_time64 select _newselect pselect6 epoll_wait epoll_pwait epoll_pwait2 timerfd_settime "
	"timerfd_gettime nanosleep clock_nanosleep clock_gettime clock_gettime64 clock_getres gettimeofday time "
	"restart_syscall "
	/* signals, and the end of the command */
	"rt_sigaction rt_sigprocmask rt_sigreturn sigreturn rt_sigpending rt_sigtimedwait sigaltstack wait4 waitid "
	/* information about this process */
	"getpid getppid getuid geteuid getgid getegid uname sysinfo getrlimit ugetrlimit prlimit64 getrusage times "
	"getrandom capget capset "
	/* messages to and from the opener */
	"sendmsg recvmsg epoll_ctl "
	/* commands that join */
	"accept4 getsockopt pidfd_open "
#ifdef HAS_SANITIZER
	/* LeakSanitizer stops all threads from another process */
	"clone ptrace prctl kill tgkill personality pipe pipe2 "
#endif
	;

/* The calls of the opener. */
static const char helper_calls[] =
	"perf_event_open pidfd_open sendmsg recvmsg read close poll ppoll exit exit_group "
	"rt_sigreturn restart_syscall newfstatat fstatat64 getuid "
#ifdef HAS_SANITIZER
	"mmap munmap madvise mprotect write sigaltstack futex gettid getpid "
#endif
	;

/* BPF_MAP_UPDATE_ELEM and BPF_ITER_CREATE of <linux/bpf.h> */
enum { NAME_SIZE = 32, BPF_MAP_UPDATE = 2, BPF_ITERATOR = 33 };

/* These calls are allowed only with an argument whose masked bits have this value. */
static const struct limited {
	const char *call;
	unsigned argument;
	uint64_t mask, value;
} limited[] = {
	{"ioctl", 1, 0xff00, '$' << 8}, /* ioctls of perf events */
#ifdef __powerpc__
	/* TCGETS of a terminal, whose type only the kernel's headers define. */
	{"ioctl", 1, 0xffff, 't' << 8 | 19},
#else
	{"ioctl", 1, 0xffffffff, TCGETS}, /* terminals; the next one is TCGETS2 */
	{"ioctl", 1, 0xffff, 'T' << 8 | 0x2a},
#endif
	{"ioctl", 1, 0xffffffff, TIOCGWINSZ},
	{"kill", 1, 0xffffffff, 0}, /* signal 0: does the process exist? */
	{"prctl", 0, 0xffffffff, PR_SET_NAME},
	{"bpf", 0, 0xffffffff, BPF_MAP_UPDATE}, /* updates of our maps */
	{"bpf", 0, 0xffffffff, BPF_ITERATOR},   /* iterators of links that we have */
#ifdef PR_SET_VMA
	{"prctl", 0, 0xffffffff, PR_SET_VMA}, /* malloc() names its memory */
#endif
};

/* Returns 0 or -errno. */
static int allow(scmp_filter_ctx filter, const char *name, const struct scmp_arg_cmp *argument)
{
	int nr = seccomp_syscall_resolve_name(name);

	return nr == __NR_SCMP_ERROR ? 0
				     : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, nr,
							      argument != NULL, argument);
}

static int allow_if(scmp_filter_ctx filter, const struct limited *row)
{
	struct scmp_arg_cmp argument = SCMP_CMP(row->argument, SCMP_CMP_MASKED_EQ, row->mask,
						row->value);

	return allow(filter, row->call, &argument);
}

static int allow_all(scmp_filter_ctx filter, const char *calls_of)
{
	int code = 0;

	for (const char *at = calls_of; *at && !code; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		char name[NAME_SIZE];

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		code = allow(filter, name, NULL);
		at += length;
	}
	return code;
}

static int fill(scmp_filter_ctx filter, pid_t command)
{
	const struct limited own = {"tgkill", 0, 0xffffffff, (uint32_t)getpid()}; /* abort() */
	const struct limited other = {"kill", 0, 0xffffffff, (uint32_t)command};
	int code = allow_all(filter, calls);

	for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]) && !code; i++)
		code = allow_if(filter, &limited[i]);
	if (!code)
		code = allow_if(filter, &own);
	if (!code && command > 0)
		code = allow_if(filter, &other);
	return code;
}

/* If an older libseccomp or kernel lacks one of these attributes, the filter is still installed. It must cover all threads. */
static int prepare(scmp_filter_ctx filter)
{
	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_LOG, log_level() >= LOG_DEBUG);
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB,
			 1); /* on kernels before 5.16, this mitigation would slow iotrace down */
	return seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
}

/* The opener reads /proc. */
static int fill_of_helper(scmp_filter_ctx filter)
{
	const struct limited look = {"openat", 2, O_ACCMODE | O_CREAT, O_RDONLY};
	int code = allow_all(filter, helper_calls);

	return code ? code : allow_if(filter, &look);
}

enum { HELPER = -1 };

static int load(pid_t command)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int code;

	if (!filter)
		return -ENOMEM;
	code = prepare(filter);
	if (!code)
		code = command == HELPER ? fill_of_helper(filter) : fill(filter, command);
	if (!code)
		code = seccomp_load(filter);
	seccomp_release(filter);
	return code;
}

int confine_filter(pid_t command)
{
	return load(command > 0 ? command : 0);
}

int confine_filter_helper(void)
{
	return load(HELPER);
}

bool confine_has_filter(void)
{
	return true;
}

#else

int confine_filter(pid_t command)
{
	(void)command;
	return -ENOSYS;
}

int confine_filter_helper(void)
{
	return -ENOSYS;
}

bool confine_has_filter(void)
{
	return false;
}

#endif
