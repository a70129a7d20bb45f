/*
 * bpf_source: libbpf's part. Everything that can be refused is refused by bpf_source_open().
 */
#include "bpf_source.h"

#include "bpf_calls.h"
#include "bpf_comm.h"
#include "bpf_enum.h"
#include "bpf_log.h"
#include "bpf_missed.h"
#include "bpf_optional.h"
#include "bpf_plain.h"
#include "bpf_rings.h"
#include "rights.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace.skel.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/syscall.h>
#include <iotrace_plain.skel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BTF_PATH "/sys/kernel/btf/vmlinux"

enum {
	LINKS = 3,
	MARK_PASSES = 2, /* a task that was made during the first one may have been stepped over */
};

struct bpf_source {
	struct iotrace_bpf *programs;
	struct bpf_link *link[LINKS];
	struct bpf_rings rings;
	struct bpf_books *books; /* of all possible CPUs, mapped */
	size_t books_size;
	bool has_loop, has_dynptr, is_plain;
	uint32_t optional; /* groups of programs that can be done without, and are loaded */
	struct bpf_missed missed;
	struct bpf_cipher cipher;
	struct bpf_users users;
	int in_flight_fd; /* opened early: what it takes to open may be gone at the end */
};

bool bpf_source_is_built(void)
{
	return true;
}

static int explain(struct error *err, int code, const char *what)
{
	if (code != EPERM && code != EACCES)
		return error_set(err, code, "%s", what);
	error_say(err, code, "BPF takes CAP_BPF and CAP_PERFMON (%s: %s)", what, strerror(code));
	rights_hint_setcap(err);
	return -code;
}

static int check(const struct bpf_options *options, struct error *err)
{
	if (options->uids > BPF_USERS)
		return error_say(err, E2BIG, "BPF programs filter by at most %d users", BPF_USERS);
	if (access(BTF_PATH, R_OK))
		return error_say(err, ENOENT,
				 "this kernel does not describe itself: no " BTF_PATH
				 " (CONFIG_DEBUG_INFO_BTF)");
	if (!rights_sees_all_tasks()) /* perf's records say other numbers than the programs */
		return error_say(err, ENOTSUP,
				 "in a container with process ids of its own BPF cannot be used");
	if (options->cgroups > BPF_CGROUPS)
		return error_say(err, E2BIG, "BPF programs know %d control groups at most",
				 BPF_CGROUPS);
	return 0;
}

/* Linux 7.0 lets programs at tracepoints be preempted. What they do then is tried nowhere else. */
static bool lets_preempt(void)
{
	struct utsname name;

	return !uname(&name) && strtoul(name.release, NULL, 10) >= 7;
}

/* DCACHE_MOUNTED. It has a place in the kernel's types since Linux 6.15, and moved then. */
static const struct bpf_enumerator MOUNTED = {"DCACHE_MOUNTED", {"dentry_flags"}};
enum { MOUNTED_OLD = 0x10000 };

static struct iotrace_bpf *open_plain(void)
{
	struct iotrace_bpf *programs = calloc(1, sizeof(*programs));
	size_t size;
	const void *elf = iotrace_plain_bpf__elf_bytes(&size);

	_Static_assert(sizeof(*programs->rodata) == sizeof(struct iotrace_plain_bpf__rodata) &&
			       sizeof(*programs->bss) == sizeof(struct iotrace_plain_bpf__bss),
		       "their constants have the same places");
	if (programs && !iotrace_bpf__create_skeleton(programs) &&
	    !bpf_plain_open(programs->skeleton, elf, size))
		return programs;
	iotrace_bpf__destroy(programs);
	return NULL; /* NOLINT(clang-analyzer-unix.Malloc): it is destroyed */
}

static int open_programs(struct bpf_source *source, const struct bpf_options *options,
			 bool is_plain, struct error *err)
{
	int cpus = libbpf_num_possible_cpus();
	struct iotrace_bpf *programs = is_plain ? open_plain() : iotrace_bpf__open();

	source->programs = programs;
	if (!programs || cpus < 1)
		return explain(err, programs ? -cpus : errno, "BPF programs: open");
	source->has_loop = libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop,
						   NULL) == 1;
	source->has_dynptr = libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT,
						     (enum bpf_func_id)BPF_HELPER_RESERVE_DYNPTR,
						     NULL) == 1;
	bpf_program__set_autoload(programs->progs.call_begins, source->has_loop);
	bpf_program__set_autoload(programs->progs.call_begins_plainly, !source->has_loop);
	bpf_program__set_autoload(programs->progs.call_ends, source->has_loop);
	bpf_program__set_autoload(programs->progs.call_ends_plainly, !source->has_loop);
	bpf_map__set_max_entries(programs->maps.rings, (uint32_t)cpus);
	bpf_map__set_max_entries(programs->maps.books, (uint32_t)cpus);
	bpf_map__set_max_entries(programs->maps.scratches, (uint32_t)cpus);
	programs->rodata->sample_id = options->id;
	programs->rodata->hides_addresses = options->hides_addresses;
	memcpy((void *)(uintptr_t)&programs->rodata->cipher, &source->cipher,
	       sizeof(source->cipher));
	programs->rodata->is_system = options->is_system;
	programs->rodata->own_tgid = getpid();
	programs->rodata->cgroups = options->cgroups;
	programs->rodata->mounted_flag = bpf_enum_number(&MOUNTED, MOUNTED_OLD);
	programs->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)getpagesize());
	bpf_calls_fill((struct bpf_call_role *)(uintptr_t)programs->rodata->roles, options->groups);
	source->books_size = (size_t)cpus * sizeof(*source->books);
	memcpy((void *)(uintptr_t)&programs->rodata->users, &source->users, sizeof(source->users));
	return bpf_comm_fill((struct bpf_comm *)(uintptr_t)&programs->rodata->comm, options->comm,
			     options->comms, err);
}

/* What is asked of the kernel. */
struct attempt {
	bool is_plain;
	uint32_t groups; /* of the programs that can be done without */
};

static int load(struct bpf_source *source, const struct bpf_options *options,
		const struct attempt *attempt, struct error *err)
{
	int code = open_programs(source, options, attempt->is_plain, err);

	if (code)
		return code;
	source->is_plain = attempt->is_plain;
	source->programs->rodata->has_dynptr = source->has_dynptr;
	source->programs->rodata->is_preemptible = lets_preempt();
	source->optional = bpf_optional_choose(source->programs, attempt->groups);
	code = iotrace_bpf__load(source->programs);
	return code ? explain(err, -code, "BPF programs: load") : 0;
}

/* The fastest first. What is the least settled of the kernel is no reason to do without BPF. */
static int load_most(struct bpf_source *source, const struct bpf_options *options,
		     struct error *err)
{
	const struct attempt attempt[] = {{false, options->groups},
					  {true, options->groups},
					  {true, 0}};
	const size_t last = sizeof(attempt) / sizeof(attempt[0]) - 1;
	struct error refusal = {0};

	for (size_t i = 0; i < last; i++) {
		if (!load(source, options, &attempt[i], &refusal))
			return 0;
		log_debug("BPF is tried with less: %s", refusal.text);
		iotrace_bpf__destroy(source->programs);
		source->programs = NULL;
	}
	return load(source, options, &attempt[last], err);
}

static int choose_cgroups(struct bpf_source *source, const struct bpf_options *options,
			  struct error *err)
{
	int fd = bpf_map__fd(source->programs->maps.chosen_cgroups);

	for (uint32_t i = 0; i < options->cgroups; i++)
		if (bpf_map_update_elem(fd, &i, &options->cgroup[i], BPF_ANY))
			return error_set(err, errno, "BPF programs: control group");
	return 0;
}

static int map_books(struct bpf_source *source, struct error *err)
{
	int fd = bpf_map__fd(source->programs->maps.books);
	void *books = mmap(NULL, source->books_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (books == MAP_FAILED)
		return error_set(err, errno, "BPF map of counts: mmap");
	source->books = books;
	for (size_t i = 0; i < source->books_size / sizeof(*source->books); i++)
		source->books[i].wake_at = UINT64_MAX;
	return 0;
}

static struct bpf_source *new_source(const struct bpf_options *options)
{
	struct bpf_source *source = mem_zero(sizeof(*source));

	source->in_flight_fd = -1;
	bpf_rings_init(&source->rings, options);
	source->users.count = options->uids;
	for (uint32_t i = 0; i < options->uids && i < BPF_USERS; i++)
		source->users.id[i] = options->uid[i];
	return source;
}

/* Early, while they are silent: what they cannot tell is then asked of perf. */
static void attach_optional(struct bpf_source *source)
{
	uint32_t refused = bpf_optional_attach(source->programs, source->optional);

	if (refused)
		log_debug("BPF programs do not fit this kernel: of groups 0x%x of calls", refused);
	source->optional &= ~refused;
}

/* Of this recording alone: it is kept nowhere else. */
static int make_key(struct bpf_source *source, struct error *err)
{
	uint32_t key[BPF_CIPHER_KEY];

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return error_set(err, errno, "getrandom");
	bpf_cipher_init(&source->cipher, key);
	explicit_bzero(key, sizeof(key));
	return 0;
}

struct bpf_source *bpf_source_open(const struct bpf_options *options, struct error *err)
{
	struct bpf_source *source = new_source(options);
	int code;

	libbpf_set_print(bpf_log);
	code = check(options, err);
	if (!code)
		code = make_key(source, err);
	if (!code)
		code = load_most(source, options, err);
	if (!code)
		code = choose_cgroups(source, options, err);
	if (!code)
		code = map_books(source, err);
	if (!code)
		code = bpf_rings_make(&source->rings, bpf_map__fd(source->programs->maps.rings),
				      options, err);
	if (code) {
		bpf_source_close(source);
		return NULL;
	}
	attach_optional(source);
	bpf_missed_open(&source->missed, source->programs->obj);
	return source;
}

void bpf_source_close(struct bpf_source *source)
{
	if (!source)
		return;
	bpf_source_detach(source);
	bpf_missed_close(&source->missed);
	if (source->in_flight_fd >= 0)
		close(source->in_flight_fd);
	if (source->books)
		munmap(source->books, source->books_size);
	iotrace_bpf__destroy(source->programs);
	bpf_rings_release(&source->rings);
	free(source);
}

/* Returns a descriptor that runs the iterator when it is read, or -errno. */
static int open_iterator(const struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	fd = fd < 0 ? -errno : fd;
	bpf_link__destroy(link);
	return fd;
}

int bpf_source_attach(struct bpf_source *source, struct error *err)
{
	struct iotrace_bpf *programs = source->programs;
	/* Ends first: nobody is marked yet, but with all tasks a begin would wait for its end. */
	struct bpf_program *const program[LINKS] = {
		source->has_loop ? programs->progs.call_ends : programs->progs.call_ends_plainly,
		source->has_loop ? programs->progs.call_begins
				 : programs->progs.call_begins_plainly,
		programs->progs.task_forks,
	};

	for (int i = 0; i < LINKS; i++) {
		source->link[i] = bpf_program__attach(program[i]);
		if (!source->link[i])
			return error_set(err, errno, "BPF program %s: attach",
					 bpf_program__name(program[i]));
	}
	source->in_flight_fd = open_iterator(programs->progs.calls_in_flight);
	if (source->in_flight_fd < 0)
		return error_set(err, -source->in_flight_fd, "BPF iterator of tasks");
	return 0;
}

bool bpf_source_tells(const struct bpf_source *source, enum call_group group)
{
	return source->optional >> group & 1;
}

void bpf_source_leave_out(struct bpf_source *source, pid_t pid)
{
	source->programs->bss->own_helper = pid;
}

void bpf_source_enable(struct bpf_source *source, bool is_on)
{
	__atomic_store_n(&source->programs->bss->is_on, is_on, __ATOMIC_RELEASE);
}

bool bpf_source_has_met_init(const struct bpf_source *source)
{
	return source->programs->bss->has_met_init;
}

uint64_t bpf_source_strays(const struct bpf_source *source)
{
	uint64_t strays = 0;

	for (size_t i = 0; i < source->books_size / sizeof(*source->books); i++)
		strays += source->books[i].dropped;
	for (uint32_t i = 0; i < source->rings.cpus; i++)
		strays -= source->books[source->rings.cpu[i]].dropped;
	return strays;
}

uint32_t bpf_source_untraced(const struct bpf_source *source)
{
	return (uint32_t)__atomic_load_n(&source->programs->bss->untraced, __ATOMIC_RELAXED);
}

uint32_t bpf_source_unstored(const struct bpf_source *source)
{
	return (uint32_t)__atomic_load_n(&source->programs->bss->unstored, __ATOMIC_RELAXED);
}

uint64_t bpf_source_missed(const struct bpf_source *source)
{
	return bpf_missed_read(&source->missed);
}

bool bpf_source_has_detached(const struct bpf_source *source)
{
	return __atomic_load_n(&source->programs->bss->detached, __ATOMIC_RELAXED) > 0;
}

void bpf_source_detach(struct bpf_source *source)
{
	for (int i = LINKS; i-- > 0;) {
		bpf_link__destroy(source->link[i]);
		source->link[i] = NULL;
	}
	if (source->programs)
		bpf_optional_detach(source->programs);
}

int bpf_source_add_child(struct bpf_source *source, pid_t pid, struct error *err)
{
	struct bpf_call none = {0};
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int code = 0;

	if (fd < 0)
		return error_set(err, errno, "process %d: pidfd_open", (int)pid);
	if (bpf_map_update_elem(bpf_map__fd(source->programs->maps.calls), &fd, &none, BPF_NOEXIST))
		code = error_set(err, errno, "process %d: BPF task storage", (int)pid);
	close(fd);
	return code;
}

int bpf_source_add_process(struct bpf_source *source, pid_t pid, struct error *err)
{
	char none;

	source->programs->bss->wanted_tgid = pid;
	for (int pass = 0; pass < MARK_PASSES; pass++) {
		int fd = open_iterator(source->programs->progs.mark_tasks);

		if (fd < 0)
			return error_set(err, -fd, "process %d: BPF iterator of tasks", (int)pid);
		while (read(fd, &none, sizeof(none)) > 0)
			;
		close(fd);
	}
	return 0;
}

int bpf_source_in_flight(struct bpf_source *source,
			 void (*found)(void *context, const struct bpf_in_flight *call),
			 void *context)
{
	struct bpf_in_flight call[64];
	ssize_t n;

	while ((n = read(source->in_flight_fd, call, sizeof(call))) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof(call[0]); i++)
			found(context, &call[i]);
	return n < 0 ? -errno : 0;
}

uint32_t bpf_source_cpus(const struct bpf_source *source)
{
	return source->rings.cpus;
}

struct bpf_ring *bpf_source_ring(struct bpf_source *source, uint32_t cpu)
{
	return &source->rings.ring[cpu];
}

struct bpf_books *bpf_source_books(struct bpf_source *source, uint32_t cpu)
{
	return &source->books[source->rings.cpu[cpu]];
}

struct bpf_common bpf_source_common(const struct bpf_source *source)
{
	return (struct bpf_common){.rings_fd = bpf_map__fd(source->programs->maps.rings),
				   .books_fd = bpf_map__fd(source->programs->maps.books),
				   .is_plain = source->is_plain,
				   .hides_addresses = source->programs->rodata->hides_addresses,
				   .cipher = source->cipher,
				   .users = source->users};
}

int bpf_source_ring_fd(const struct bpf_source *source, uint32_t cpu)
{
	return source->rings.fd[cpu];
}
