/*
 * confine: capabilities. They belong to a thread and not to the process: these functions change those of the calling thread, and
 * threads that it creates later inherit them.
 */
#include <iotrace/confine.h>

#include <errno.h>
#include <iotrace/error.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CAPABILITIES = 64, PERFMON = 38, BPF = 39 }; /* constants that older headers lack */

struct capabilities {
	uint64_t effective, permitted, inheritable;
};

/* The capabilities that are needed after the events are open, and why. */
static const uint8_t kept[] = {
	CAP_SYS_PTRACE,      /* descriptors of processes of other users, or with more rights */
	CAP_DAC_OVERRIDE,    /* root writes the archive into a directory of another user */
	CAP_DAC_READ_SEARCH, /* /proc/PID/fd of other users */
	CAP_KILL,            /* a signal for a command that changed its user */
	CAP_SYS_NICE,        /* for threads that are created later: priority.c */
};

static uint64_t bit(unsigned capability)
{
	return UINT64_C(1) << capability;
}

static bool get(struct capabilities *own)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct half[2] = {{0}};

	memset(own, 0, sizeof(*own));
	if (syscall(SYS_capget, &header, half))
		return false;
	own->effective = half[0].effective | (uint64_t)half[1].effective << 32;
	own->permitted = half[0].permitted | (uint64_t)half[1].permitted << 32;
	own->inheritable = half[0].inheritable | (uint64_t)half[1].inheritable << 32;
	return true;
}

/* Giving up capabilities never fails. */
static void set(const struct capabilities *own)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct half[2] = {
		{(uint32_t)own->effective, (uint32_t)own->permitted, (uint32_t)own->inheritable},
		{(uint32_t)(own->effective >> 32), (uint32_t)(own->permitted >> 32),
		 (uint32_t)(own->inheritable >> 32)},
	};

	syscall(SYS_capset, &header, half);
}

/* The kernel sets AT_SECURE if the program file gave the process more rights than its user has. */
bool confine_is_lent(void)
{
	return getauxval(AT_SECURE) && getuid();
}

static void use(bool is_raised)
{
	struct capabilities own;

	if (!confine_is_lent() || !get(&own))
		return;
	own.effective = is_raised ? own.permitted : 0;
	set(&own);
}

static void give_up_lent(void)
{
	if (confine_is_lent())
		set(&(struct capabilities){0});
}

int confine_begin(bool needs_rights, struct error *err)
{
	if (getuid() != geteuid() || getgid() != getegid()) {
		error_say(
			err, EPERM,
			"iotrace is set-user-ID or set-group-ID: any command would run with that id");
		error_hint(err,
			   "give the file capabilities instead: chmod ug-s, then the command that "
			   "'iotrace check' prints");
		return -EPERM;
	}
	if (needs_rights)
		confine_lower();
	else
		give_up_lent();
	return 0;
}

void confine_take(unsigned capability)
{
	struct capabilities own;

	if (!get(&own))
		return;
	own.effective |= own.permitted & bit(capability);
	set(&own);
}

void confine_forget(unsigned capability)
{
	struct capabilities own;

	if (!get(&own))
		return;
	own.effective &= ~bit(capability);
	own.permitted &= ~bit(capability);
	set(&own);
}

void confine_raise(void)
{
	use(true);
}

void confine_lower(void)
{
	use(false);
}

bool confine_may(unsigned capability)
{
	struct capabilities own;

	return get(&own) && own.permitted & bit(capability);
}

void confine_child(void)
{
	give_up_lent();
}

void confine_show(bool is_shown)
{
	if (confine_is_lent())
		prctl(PR_SET_DUMPABLE, is_shown, 0, 0, 0);
}

/* To look into /proc/PID/fd, both are needed; reading other files of other users is more than a recording needs. */
static uint64_t to_keep(uint64_t permitted)
{
	uint64_t keep = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		keep |= bit(kept[i]);
	if (!(permitted & bit(CAP_SYS_PTRACE)))
		keep &= ~bit(CAP_DAC_READ_SEARCH);
	return keep & permitted;
}

static void keep_only(struct capabilities *own, uint64_t keep)
{
	/* As a precaution: nothing executes a program from here on. */
	for (unsigned i = 0; i < CAPABILITIES; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	own->inheritable = 0;
	own->permitted &= keep;
	own->effective &= own->permitted;
	set(own);
}

void confine_drop(bool has_joining)
{
	struct capabilities own;

	if (get(&own))
		keep_only(&own,
			  to_keep(own.permitted) | (has_joining ? own.permitted & bit(BPF) : 0));
}

/* Before Linux 5.8 there is no CAP_PERFMON, and opening events of a task also needs the right to inspect it. */
void confine_helper(bool takes_admin)
{
	struct capabilities own;
	uint64_t keep = bit(PERFMON);

	if (!get(&own))
		return;
	if (takes_admin || !(own.permitted & keep))
		keep |= bit(CAP_SYS_ADMIN) | bit(CAP_SYS_PTRACE);
	keep_only(&own, keep);
	confine_filter_helper();
}
