#include "bpf_load.h"

#include "bpf_calls.h"
#include "bpf_comm.h"
#include "bpf_source.h"
#include "feature/bpf_log.h"
#include "feature/bpf_part.h"
#include "feature/bpf_plain.h"
#include "feature/bpf_preempt.h"
#include "feature/bpf_types.h"
#include "rights/rights.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace.skel.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/recording.h>
#include <iotrace_plain.skel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BTF_PATH "/sys/kernel/btf/vmlinux"

static int check(const struct bpf_options *options, struct error *err)
{
	if (options->recording->users.ids.count > BPF_USERS)
		return error_say(err, E2BIG, "BPF programs filter by at most %d users", BPF_USERS);
	if (access(BTF_PATH, R_OK))
		return error_say(err, ENOENT,
				 "this kernel has no BTF type information: no " BTF_PATH
				 " (CONFIG_DEBUG_INFO_BTF)");
	/* Perf's records have other process numbers than the programs. */
	if (!rights_sees_all_tasks())
		return error_say(err, ENOTSUP,
				 "BPF cannot be used in a container with its own process ids");
	if (options->cgroups > BPF_CGROUPS)
		return error_say(err, E2BIG, "BPF programs filter by at most %d control groups",
				 BPF_CGROUPS);
	return 0;
}

static bool has_helper(int helper)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, (enum bpf_func_id)helper,
				       NULL) == 1;
}

/* DCACHE_MOUNTED. Its value changed in Linux 6.15, and since then the kernel's types contain it. */
static const struct bpf_enumerator MOUNTED = {"DCACHE_MOUNTED", {"dentry_flags"}};
enum { MOUNTED_OLD = 0x10000 };

/* Linux 6.0 renamed the enumeration. */
static const struct bpf_enumerator ZONE_APPEND = {"REQ_OP_ZONE_APPEND", {"req_op", "req_opf"}};

static struct iotrace_bpf *open_plain(const struct bpf_object_open_opts *options)
{
	struct iotrace_bpf *programs = calloc(1, sizeof(*programs));
	size_t size;
	const void *elf = iotrace_plain_bpf__elf_bytes(&size);

	_Static_assert(sizeof(*programs->rodata) == sizeof(struct iotrace_plain_bpf__rodata) &&
			       sizeof(*programs->bss) == sizeof(struct iotrace_plain_bpf__bss),
		       "their constants have the same places");
	if (programs && !iotrace_bpf__create_skeleton(programs) &&
	    !bpf_plain_open(programs->skeleton, elf, size, options))
		return programs;
	iotrace_bpf__destroy(programs);
	return NULL; /* NOLINT(clang-analyzer-unix.Malloc): it is destroyed */
}

/* What all attempts have in common. */
struct plan {
	const struct bpf_options *options;
	struct bpf_part part;
	uint32_t mounted_flag;
	int cpus;
};

/* Changes the type of a program so that the kernel refuses it. For tests. */
static void make_unloadable(struct bpf_object *object, const char *program)
{
	struct bpf_program *unloadable = program ? bpf_object__find_program_by_name(object, program)
						 : NULL;

	if (unloadable)
		bpf_program__set_type(unloadable, BPF_PROG_TYPE_SOCKET_FILTER);
}

static int fill(const struct bpf_loaded *loaded, const struct plan *plan, struct error *err)
{
	const struct bpf_options *options = plan->options;
	const struct text_list *comms = &options->recording->selection.comms;
	struct iotrace_bpf *programs = loaded->programs;

	bpf_map__set_max_entries(programs->maps.rings, (uint32_t)plan->cpus);
	bpf_map__set_max_entries(programs->maps.books, (uint32_t)plan->cpus);
	bpf_map__set_max_entries(programs->maps.scratches, (uint32_t)plan->cpus);
	programs->rodata->sample_id = options->id;
	programs->rodata->hides_addresses = options->hides_addresses;
	memcpy((void *)(uintptr_t)&programs->rodata->cipher, &loaded->cipher,
	       sizeof(loaded->cipher));
	memcpy((void *)(uintptr_t)&programs->rodata->users, &loaded->users, sizeof(loaded->users));
	programs->rodata->is_system = options->is_system;
	programs->rodata->is_without_calls = options->recording->is_without_calls;
	programs->rodata->own_tgid = getpid();
	programs->rodata->cgroups = options->cgroups;
	programs->rodata->mounted_flag = plan->mounted_flag;
	programs->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)getpagesize());
	programs->rodata->has_dynptr = loaded->has_dynptr;
	programs->rodata->is_preemptible = bpf_preempt_is_possible();
	bpf_calls_fill(programs->bss->roles, options->recording->selection.groups);
	bpf_choice_apply(&loaded->choice, programs->obj);
	make_unloadable(programs->obj, options->recording->refused);
	return bpf_comm_fill((struct bpf_comm *)(uintptr_t)&programs->rodata->comm, comms->item,
			     comms->count, err);
}

/* Returns 0; -errno with a message if trying again would not help; or -errno with the refused program and the reason. */
static int try(struct bpf_loaded *loaded, const struct plan *plan, bool is_plain,
	       struct bpf_refusal *refusal, struct error *err)
{
	const struct bpf_object_open_opts options = {.sz = sizeof(options),
						     .btf_custom_path = bpf_part_path(&plan->part)};
	int code;

	bpf_log_keep(refusal);
	loaded->is_plain = is_plain;
	loaded->programs = is_plain ? open_plain(&options) : iotrace_bpf__open_opts(&options);
	code = loaded->programs ? fill(loaded, plan, err) : error_set(err, errno, "BPF programs");
	if (!code)
		code = bpf_part_fill(&plan->part, bpf_object__btf(loaded->programs->obj));
	if (!code)
		code = iotrace_bpf__load(loaded->programs);
	bpf_log_keep(NULL);
	if (!code)
		return 0;
	log_debug("BPF programs%s are refused: %s: %s", is_plain ? " (plain)" : "",
		  *refusal->program ? refusal->program : "all", refusal->why);
	bpf_unload(loaded);
	return code;
}

/* If descriptors run out, libbpf assumes an old kernel, and names features that it lacks. */
static bool lacks_descriptors(void)
{
	enum { ENOUGH = 64 }; /* enough for all maps and programs */
	int fd[ENOUGH], count = 0;

	while (count < ENOUGH && (fd[count] = open("/", O_PATH | O_CLOEXEC)) >= 0)
		count++;
	for (int i = 0; i < count; i++)
		close(fd[i]);
	return count < ENOUGH;
}

/* Explains why nothing can be recorded through BPF. */
static int explain(const struct bpf_refusal *refusal, int code, struct error *err)
{
	if (*err->text)
		return code;
	if (lacks_descriptors())
		return error_set(err, EMFILE, "cannot load BPF programs");
	if (code == -EPERM)
		return rights_explain_bpf(err, EPERM);
	if (!has_helper(BPF_FUNC_for_each_map_elem))
		return error_say(err, ENOTSUP, "BPF needs Linux 5.15 or later");
	if (!*refusal->program && !*refusal->why)
		return error_set(err, -code, "cannot load BPF programs");
	return error_say(err, -code, "the kernel refuses BPF programs: %s%s%s (%s)",
			 refusal->program, *refusal->program ? ": " : "", refusal->why,
			 strerror(-code));
}

/* Each attempt has one feature less, so the loop ends. */
static int load_most(struct bpf_loaded *loaded, const struct plan *plan, struct error *err)
{
	struct bpf_refusal refusal;
	bool may_be_fast = true;
	char why[sizeof(refusal.why) + 40];

	for (;;) {
		int code;

		if (may_be_fast && !try(loaded, plan, false, &refusal, err))
			return 0;
		/* If the kernel lacks a function, loading fails before any program is checked. */
		may_be_fast = may_be_fast && *refusal.program;
		code = try(loaded, plan, true, &refusal, err);
		if (!code)
			return 0;
		snprintf(why, sizeof(why), "%s%s(%s)", refusal.why, *refusal.why ? " " : "",
			 strerror(-code));
		if (*err->text || !bpf_choice_refuse(&loaded->choice, refusal.program, why))
			return explain(&refusal, code, err);
	}
}

int bpf_load(struct bpf_loaded *loaded, const struct bpf_options *options, struct error *err)
{
	struct plan plan = {.options = options, .cpus = libbpf_num_possible_cpus()};
	int code = check(options, err);

	libbpf_set_print(bpf_log);
	if (code)
		return code;
	if (plan.cpus < 1)
		return error_set(err, -plan.cpus, "cannot get the number of CPUs");
	bpf_part_open(&plan.part);
	plan.mounted_flag = bpf_types_number(&plan.part.types, &MOUNTED, MOUNTED_OLD);
	loaded->zone_append = bpf_types_number(&plan.part.types, &ZONE_APPEND, UINT32_MAX);
	/* What is counted is not recorded. */
	bpf_choice_init(&loaded->choice,
			options->more_groups | (options->recording->are_all_counted
							? CALL_GROUPS_ALWAYS
							: options->recording->selection.groups),
			&plan.part.types);
	loaded->has_dynptr = has_helper(BPF_HELPER_RESERVE_DYNPTR);
	code = load_most(loaded, &plan, err);
	bpf_part_close(&plan.part);
	return code;
}

void bpf_unload(struct bpf_loaded *loaded)
{
	iotrace_bpf__destroy(loaded->programs);
	loaded->programs = NULL;
}
