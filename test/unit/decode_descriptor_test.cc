/*
 * All system calls of the kernel's headers, looked at one by one: what they do to descriptors is in the table, or there is
 * a reason why not. A call of a newer kernel is in neither list: read what it does, then add it to one.
 */
#include <gtest/gtest.h>

#include <iotrace/arch.h>
#include <iotrace/ioctl.h>
#include <iotrace/syscall.h>

#include <asm/ioctls.h>
#include <cstring>
#include <linux/kvm.h>
#include <linux/nsfs.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <linux/vfio.h>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace
{

/* Names and numbers, taken from <asm/unistd.h> by the build. */
const struct {
	const char *name;
	long number;
} kernel_calls[] = {
#include "kernel_calls.h"
};

/* They make no descriptor, close none, and change no flag of one: most take none at all. */
const char harmless[] =
	"poll mprotect brk rt_sigaction rt_sigprocmask rt_sigreturn select sched_yield mremap mincore madvise shmget "
	"shmat shmctl pause nanosleep getitimer alarm setitimer getpid getsockname getpeername setsockopt exit wait4 kill "
	"uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl getcwd umask gettimeofday getrlimit getrusage sysinfo "
	"times ptrace getuid syslog getgid setuid setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid "
	"getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid setfsgid getsid capget capset "
	"rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack uselib personality ustat sysfs getpriority "
	"setpriority sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_get_priority_max "
	"sched_get_priority_min sched_rr_get_interval mlock munlock mlockall munlockall vhangup modify_ldt _sysctl prctl "
	"arch_prctl adjtimex setrlimit acct settimeofday mount umount2 swapon swapoff reboot sethostname setdomainname iopl "
	"ioperm create_module init_module delete_module get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg "
	"afs_syscall tuxcall security gettid tkill time futex sched_setaffinity sched_getaffinity set_thread_area "
	"get_thread_area lookup_dcookie epoll_ctl_old epoll_wait_old remap_file_pages set_tid_address restart_syscall "
	"semtimedop timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_settime clock_gettime "
	"clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl tgkill vserver mbind set_mempolicy get_mempolicy "
	"mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl "
	"ioprio_set ioprio_get inotify_add_watch inotify_rm_watch migrate_pages pselect6 ppoll set_robust_list "
	"get_robust_list move_pages epoll_pwait timerfd_settime timerfd_gettime rt_tgsigqueueinfo fanotify_mark prlimit64 "
	"name_to_handle_at clock_adjtime getcpu process_vm_readv process_vm_writev kcmp finit_module sched_setattr "
	"sched_getattr getrandom kexec_file_load membarrier mlock2 pkey_mprotect pkey_alloc pkey_free rseq "
	"pidfd_send_signal move_mount fsconfig process_madvise epoll_pwait2 mount_setattr quotactl_fd landlock_add_rule "
	"landlock_restrict_self process_mrelease futex_waitv set_mempolicy_home_node cachestat map_shadow_stack futex_wake "
	"futex_wait futex_requeue statmount listmount lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal uretprobe "
	"uprobe file_getattr file_setattr listns rseq_slice_yield "
	/* of other architectures */
	"riscv_hwprobe riscv_flush_icache nanosleep_time64 bdflush fstatfs64 idle ipc nice readdir "
	"s390_guarded_storage s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr s390_sthyi sigaction signal "
	"sigpending sigprocmask sigreturn sigsuspend statfs64 timerfd umount"
	" _llseek _newselect break ftime gtty lock mpx multiplexer oldfstat oldlstat oldolduname oldstat"
	" olduname pciconfig_iobase pciconfig_read pciconfig_write prof profil recv rtas send sgetmask"
	" spu_run ssetmask stime stty subpage_prot swapcontext switch_endian sys_debug_setcontext"
	" ugetrlimit ulimit vm86 waitpid";

/* They may make a descriptor that is not followed from there: it is found when it is used, without a name. */
const std::map<std::string, const char *> unfollowed = {
	{"bpf", "only some commands make one, which has no file and no data"},
	{"mq_open", "a queue is neither read nor written, and its name is no path"},
	{"socketcall",
	 "what it does is a number in an argument; C libraries use the calls instead"},
	{"spu_create", "the folder of a processor that newer machines do not have"},
	{"seccomp", "a listener has no file and no data; other flags return 0"},
	{"landlock_create_ruleset",
	 "a set of rules has no file and no data; it may return a version instead"},
	{"getsockopt", "SO_PEERPIDFD: the number is in memory, and a pidfd has no data"},
};

TEST(Descriptors, EveryCallOfTheKernelWasLookedAt)
{
	std::set<std::string> known;
	std::istringstream words(harmless);
	uint32_t calls = 0;

	for (std::string word; words >> word;)
		EXPECT_TRUE(known.insert(word).second) << word << " stands there twice";
	for (const auto &[name, why] : unfollowed)
		EXPECT_TRUE(known.insert(name).second) << name << " stands in two lists";
	for (const auto &call : kernel_calls) {
		bool is_row = call_by_number(call.number) != CALL_ID_NONE;

		calls++;
		EXPECT_NE(is_row, known.count(call.name) != 0)
			<< call.name << " (" << call.number
			<< "): does it make, close or flag a descriptor? "
			<< (is_row ? "It is in the table: strike it here."
				   : "If so, it belongs into syscalls.def.");
	}
	EXPECT_GT(calls, 250u) << "the list is not that of the headers";
}

TEST(Descriptors, EveryCallThatReturnsOneSaysWhetherAnExecClosesIt)
{
	const std::set<std::string> never = {"creat",    "dup",    "dup2",
					     "eventfd",  "pipe",   "epoll_create",
					     "signalfd", "accept", "inotify_init"};

	for (uint32_t id = 0; id < call_count(); id++) {
		const struct call_row *row = call_row(static_cast<call_id>(id));
		bool makes = row->result == RESULT_FD || row->kind == CALL_CREATE_PAIR;

		EXPECT_EQ(makes && row->cloexec == CALL_CLOEXEC_NEVER, never.count(row->name) != 0)
			<< row->name;
		if (row->cloexec != CALL_CLOEXEC_NEVER) {
			EXPECT_TRUE(makes) << row->name;
		}
		if (row->cloexec == CALL_CLOEXEC_IF) {
			EXPECT_LT(row->cloexec_arg, 6) << row->name;
			EXPECT_NE(row->cloexec_bit, 0u) << row->name;
		}
	}
}

/* The table has plain numbers, since BPF programs are made of it as well. */
TEST(Descriptors, RequestsAreThoseOfTheHeaders)
{
	const std::map<std::string, unsigned long> request = {
		{"FIOCLEX", FIOCLEX},
		{"FIONCLEX", FIONCLEX},
		{"TIOCGPTPEER", TIOCGPTPEER},
		{"USERFAULTFD_IOC_NEW", USERFAULTFD_IOC_NEW},
		{"KVM_CREATE_VM", KVM_CREATE_VM},
		{"KVM_CREATE_VCPU", KVM_CREATE_VCPU},
		{"KVM_GET_STATS_FD", KVM_GET_STATS_FD},
		{"VFIO_GROUP_GET_DEVICE_FD", VFIO_GROUP_GET_DEVICE_FD},
		{"NS_GET_USERNS", NS_GET_USERNS},
		{"NS_GET_PARENT", NS_GET_PARENT},
		{"SECCOMP_IOCTL_NOTIF_ADDFD", SECCOMP_IOCTL_NOTIF_ADDFD},
	};

	for (const auto &[name, number] : request) {
		uint64_t arg[6] = {0, number};

		arch_arguments(arch_here(), call_by_name("ioctl", strlen("ioctl")), arg);
		const struct ioctl_row *row = ioctl_row(arg[1]);

		ASSERT_NE(row, nullptr) << name;
		EXPECT_EQ(row->name, name);
	}
	EXPECT_EQ(ioctl_row(TIOCEXCL), nullptr);
	EXPECT_EQ(ioctl_row(0xffffffff00005451), ioctl_row(0x5451));
}

} // namespace
