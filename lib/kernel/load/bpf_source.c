/* bpf_source: uses libbpf. Everything that can fail is in bpf_source_open(). */
#include "bpf_source.h"

#include "bpf_calls.h"
#include "bpf_load.h"
#include "bpf_rings.h"
#include "feature/bpf_bind.h"
#include "feature/bpf_iterator.h"
#include "feature/bpf_missed.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace.skel.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/recording.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LINKS = 3,
	MARK_PASSES = 2, /* the first pass may have missed a task that was created meanwhile */
};

struct bpf_source {
	struct iotrace_bpf *programs;
	struct bpf_link *link[LINKS];
	struct bpf_rings rings;
	struct bpf_books *books; /* of all possible CPUs, mapped */
	size_t books_size;
	struct bpf_loaded loaded;
	struct bpf_missed missed;
	bool is_without_calls;
	struct bpf_link *in_flight; /* another iterator can be made from it */
	int in_flight_fd;           /* the first one; -1: it has been read */
};

bool bpf_source_is_built(void)
{
	return true;
}

static int choose_cgroups(struct bpf_source *source, const struct bpf_options *options,
			  struct error *err)
{
	int fd = bpf_map__fd(source->programs->maps.chosen_cgroups);

	for (uint32_t i = 0; i < options->cgroups; i++)
		if (bpf_map_update_elem(fd, &i, &options->cgroup[i], BPF_ANY))
			return error_set(err, errno,
					 "cannot choose a control group for BPF programs");
	return 0;
}

static int map_books(struct bpf_source *source, struct error *err)
{
	const struct bpf_map *map = source->programs->maps.books;
	void *books;

	source->books_size = bpf_map__max_entries(map) * sizeof(*source->books);
	books = mmap(NULL, source->books_size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map),
		     0);
	if (books == MAP_FAILED)
		return error_set(err, errno, "cannot map the counters of the BPF programs");
	source->books = books;
	for (size_t i = 0; i < source->books_size / sizeof(*source->books); i++)
		source->books[i].wake_at = UINT64_MAX;
	return 0;
}

static struct bpf_source *new_source(const struct bpf_options *options)
{
	const struct number_list *uids = &options->recording->users.ids;
	struct bpf_source *source = mem_zero(sizeof(*source));

	source->in_flight_fd = -1;
	source->is_without_calls = options->recording->is_without_calls;
	bpf_rings_init(&source->rings, options);
	source->loaded.users.count = uids->count;
	for (uint32_t i = 0; i < uids->count && i < BPF_USERS; i++)
		source->loaded.users.id[i] = uids->item[i];
	return source;
}

/* The key is made for this recording, and stored nowhere else. */
static int make_key(struct bpf_source *source, struct error *err)
{
	uint32_t key[BPF_CIPHER_KEY];

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return error_set(err, errno, "getrandom");
	bpf_cipher_init(&source->loaded.cipher, key);
	explicit_bzero(key, sizeof(key));
	return 0;
}

/* Stores what the programs keep of a task, or removes it. Returns 0 or -errno. */
static int store(const struct bpf_source *source, pid_t pid, bool is_followed)
{
	struct bpf_call none = {0};
	int calls = bpf_map__fd(source->programs->maps.calls);
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), code = fd < 0 ? -errno : 0;

	if (!code && (is_followed ? bpf_map_update_elem(calls, &fd, &none, BPF_NOEXIST)
				  : bpf_map_delete_elem(calls, &fd)))
		code = -errno;
	if (fd >= 0)
		close(fd);
	return code;
}

/* For this process, whose calls are not recorded yet. */
static int check_storage(const struct bpf_source *source, struct error *err)
{
	int code = store(source, getpid(), true);

	if (code)
		return error_set(
			err, -code,
			"the kernel gives BPF programs no memory for tasks; since Linux 6.18, "
			"this needs a processor that can exchange 16 bytes at once");
	store(source, getpid(), false);
	return 0;
}

struct bpf_source *bpf_source_open(const struct bpf_options *options, struct error *err)
{
	struct bpf_source *source = new_source(options);
	int code;

	code = make_key(source, err);
	if (!code)
		code = bpf_load(&source->loaded, options, err);
	source->programs = source->loaded.programs;
	if (!code)
		code = check_storage(source, err);
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
	/* Early and while they are disabled, because perf events replace features that cannot be attached. */
	bpf_choice_attach(&source->loaded.choice, source->programs->obj);
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
	bpf_link__destroy(source->in_flight);
	if (source->books)
		munmap(source->books, source->books_size);
	bpf_unload(&source->loaded);
	bpf_rings_release(&source->rings);
	free(source);
}

int bpf_source_attach(struct bpf_source *source, struct error *err)
{
	struct iotrace_bpf *programs = source->programs;
	/* Programs for ends come first: in a system recording, a begin waits for its end. */
	struct bpf_program *const program[LINKS] = {
		programs->progs.call_ends,
		programs->progs.call_begins,
		programs->progs.task_forks,
	};

	/* Tasks are always followed. */
	for (int i = source->is_without_calls ? LINKS - 1 : 0; i < LINKS; i++) {
		source->link[i] = bpf_bind_attach(program[i]);
		if (!source->link[i])
			return error_set(err, errno, "cannot attach BPF program %s",
					 bpf_program__name(program[i]));
	}
	source->in_flight_fd = bpf_iterator_open(programs->progs.calls_in_flight,
						 &source->in_flight);
	if (source->in_flight_fd < 0)
		return error_set(err, -source->in_flight_fd,
				 "cannot create a BPF iterator of tasks");
	return 0;
}

const struct bpf_feature_state *bpf_source_feature(const struct bpf_source *source,
						   enum bpf_feature feature)
{
	return &source->loaded.choice.state[feature];
}

void bpf_source_exclude(struct bpf_source *source, enum bpf_own_helper helper, pid_t pid)
{
	source->programs->bss->own_helper[helper] = pid;
}

void bpf_source_enable(struct bpf_source *source, bool is_on)
{
	__atomic_store_n(&source->programs->bss->is_on, is_on, __ATOMIC_RELEASE);
}

bool bpf_source_has_met_init(const struct bpf_source *source)
{
	return source->programs->bss->has_met_init;
}

uint64_t bpf_source_dropped_without_ring(const struct bpf_source *source)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < source->books_size / sizeof(*source->books); i++)
		dropped += source->books[i].dropped;
	for (uint32_t i = 0; i < source->rings.cpus; i++)
		dropped -= source->books[source->rings.cpu[i]].dropped;
	return dropped;
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
	bpf_choice_detach(&source->loaded.choice);
}

void bpf_source_widen(struct bpf_source *source, uint32_t groups, bool takes_all_names)
{
	bpf_calls_add(source->programs->bss->roles, groups);
	if (takes_all_names)
		__atomic_store_n(&source->programs->bss->takes_all_names, true, __ATOMIC_RELEASE);
}

int bpf_source_add_child(struct bpf_source *source, pid_t pid, struct error *err)
{
	int code = store(source, pid, true);

	return code ? error_set(err, -code, "cannot follow process %d", (int)pid) : 0;
}

int bpf_source_add_process(struct bpf_source *source, pid_t pid, struct error *err)
{
	char none;

	source->programs->bss->wanted_tgid = pid;
	for (int pass = 0; pass < MARK_PASSES; pass++) {
		struct bpf_link *link;
		int fd = bpf_iterator_open(source->programs->progs.mark_tasks, &link);

		bpf_link__destroy(link);
		if (fd < 0)
			return error_set(err, -fd, "cannot find the threads of process %d",
					 (int)pid);
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

	if (source->in_flight_fd < 0)
		source->in_flight_fd = bpf_iter_create(bpf_link__fd(source->in_flight));
	while ((n = read(source->in_flight_fd, call, sizeof(call))) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof(call[0]); i++)
			found(context, &call[i]);
	n = n < 0 ? -errno : 0;
	if (source->in_flight_fd >= 0)
		close(source->in_flight_fd);
	source->in_flight_fd = -1;
	return (int)n;
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
				   .calls_fd = bpf_map__fd(source->programs->maps.calls),
				   .is_plain = source->loaded.is_plain,
				   .is_preemptible = source->programs->rodata->is_preemptible,
				   .hides_addresses = source->programs->rodata->hides_addresses,
				   .mounted_flag = source->programs->rodata->mounted_flag,
				   .zone_append = source->loaded.zone_append,
				   .cipher = source->loaded.cipher,
				   .users = source->loaded.users,
				   .comm = &source->programs->rodata->comm,
				   .cgroups = source->programs->rodata->cgroups,
				   .cgroups_fd = bpf_map__fd(source->programs->maps.chosen_cgroups),
				   .uring_begin = bpf_choice_uring_begin(&source->loaded.choice),
				   .has_faults = bpf_choice_has_faults(&source->loaded.choice),
				   .uring_end = bpf_choice_uring_end(&source->loaded.choice)};
}

int bpf_source_ring_fd(const struct bpf_source *source, uint32_t cpu)
{
	return source->rings.fd[cpu];
}
