/*
 * bpf_span: uses libbpf. bpf_span_open() does everything that the kernel may refuse.
 *
 * The numbers are in mapped memory, and so is a list of the open spans, which an iterator fills that is opened early. bpf() may not
 * be allowed at the end, and while it looks into a map, the kernel runs no program on that CPU.
 */
#include "bpf_span_private.h"

#include "bpf_span_async.h"
#include "bpf_span_fault.h"
#include "bpf_span_flight.h"
#include "bpf_span_format.h"
#include "bpf_span_request.h"
#include "feature/bpf_iterator.h"
#include "feature/bpf_log.h"
#include "feature/bpf_part.h"
#include "feature/bpf_plain.h"
#include "load/bpf_source.h"
#include "perf/tracefs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/counted_about.h>
#include <iotrace/counted_owner.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#ifdef IOTRACE_HAS_SECCOMP
#include <seccomp.h>
#endif
#include <span_plain.skel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CELLS_OF_GROUPS = 1 << 17,
	FLIGHTS = 1 << 15,
	KEPT_CALLS = 1 << 16,
	ENDING_THREADS = 1 << 14,
	ORIGINS = 1 << 14, /* enough, because a bio becomes a request soon after it was queued */
	THREADS = 1 << 22, /* no thread has a higher number */
};

/*
 * Few slots stay in the first caches of a processor, which is worth more than many. All of them are in use before the hash is full.
 */
enum { SLOTS_MOST = 512, ROOM_FOR_SLOT = 16 };

/* The tracepoints of all calls have only one program, for one event of each side. */
static bool has_point_at(const struct bpf_span_spec *spec, uint32_t what)
{
	for (int point = 0; point < BPF_SPAN_SIDES; point++)
		if (spec->point[point].call == what)
			return true;
	return false;
}

static int number_of_call(const char *event)
{
#ifdef IOTRACE_HAS_SECCOMP
	const char *name = strstr(event, "sys_e"), *end = name ? strchr(name + 4, '_') : NULL;
	int number = end ? seccomp_syscall_resolve_name(end + 1) : -1;

	return number < 0 ? -1 : number;
#else
	(void)event;
	return -1;
#endif
}

static void use_calls(struct bpf_span *span, const struct bpf_span_options *options)
{
	static const int second[BPF_SPAN_SIDES] = {BPF_SPAN_BEGIN_2, BPF_SPAN_END_2,
						   BPF_SPAN_CANCEL_2};

	for (int i = 0; i < BPF_SPAN_SIDES; i++) {
		const char *event = options->span->point[i].event;

		if (event && !options->span->point[second[i]].event)
			bpf_span_use_calls(&span->plan, i, event, number_of_call(event));
	}
}

static bool keeps_fields(const struct bpf_span *span)
{
	for (int point = 0; point < BPF_SPAN_POINTS; point++)
		if (span->plan.probes.entry[point].fields)
			return true;
	return false;
}

/* Whether the numbers of threads say whether they are followed: see bpf/span/followed.h. */
static bool finds_followed(const struct bpf_span_spec *spec)
{
	return spec->is_owner_in_key && !spec->is_system;
}

static uint32_t slots_for(uint32_t room)
{
	uint32_t slots = 1;

	while (slots < SLOTS_MOST && slots * 2 * ROOM_FOR_SLOT <= room)
		slots *= 2;
	return slots * ROOM_FOR_SLOT <= room ? slots : 0;
}

/* Tables have the size that the span needs. */
static void set_sizes(struct bpf_span *span, const struct counted_span *counted)
{
	struct span_bpf *programs = span->programs;
	const struct bpf_span_spec *spec = &span->plan.spec;
	uint32_t flights = spec->flights ? spec->flights : 1;

	bpf_map__set_key_size(programs->maps.open_spans, (uint32_t)(spec->keys * sizeof(uint64_t)));
	bpf_map__set_max_entries(programs->maps.open_spans, counted->room - spec->slots);
	bpf_map__set_max_entries(programs->maps.slots, spec->slots ? spec->slots : 1);
	bpf_map__set_max_entries(programs->maps.open_list,
				 spec->has_async_operations ? 2 * counted->room : counted->room);
	bpf_map__set_max_entries(programs->maps.open_async,
				 spec->has_async_operations ? counted->room : 1);
	bpf_map__set_max_entries(programs->maps.cells, bpf_span_sets(spec) * spec->cells);
	bpf_map__set_max_entries(programs->maps.cell_index,
				 spec->has_group ? spec->cells - spec->first : 1);
	bpf_map__set_max_entries(programs->maps.span_books, span->cpus);
	bpf_map__set_max_entries(programs->maps.recent, span->cpus);
	bpf_map__set_max_entries(programs->maps.kept, keeps_fields(span) ? KEPT_CALLS : 1);
	bpf_map__set_max_entries(programs->maps.texts, spec->texts + 1);
	bpf_map__set_value_size(programs->maps.texts, spec->text_size);
	bpf_map__set_max_entries(programs->maps.text_index, spec->texts ? spec->texts : 1);
	bpf_map__set_key_size(programs->maps.text_index, spec->text_size);
	bpf_map__set_max_entries(programs->maps.text_spaces, spec->texts ? span->cpus : 1);
	bpf_map__set_max_entries(programs->maps.recent_texts, spec->texts ? span->cpus : 1);
	bpf_map__set_max_entries(programs->maps.last_ends, spec->has_ends ? ENDING_THREADS : 1);
	bpf_map__set_max_entries(programs->maps.names, spec->chunks ? spec->chunks : 1);
	bpf_map__set_max_entries(programs->maps.name_index, spec->chunks ? BPF_SPAN_NAMES : 1);
	bpf_map__set_max_entries(programs->maps.file_index, spec->chunks ? BPF_SPAN_FILES : 1);
	bpf_map__set_max_entries(programs->maps.recent_files, spec->chunks ? span->cpus : 1);
	bpf_map__set_max_entries(programs->maps.scratches, spec->chunks ? span->cpus : 1);
	bpf_map__set_max_entries(programs->maps.followed, finds_followed(spec) ? THREADS / 64 : 1);
	bpf_map__set_max_entries(programs->maps.origins, spec->has_origin ? ORIGINS : 1);
	bpf_map__set_max_entries(programs->maps.changed, spec->has_origin ? ORIGINS : 1);
	bpf_map__set_max_entries(programs->maps.flights, flights);
	bpf_map__set_max_entries(programs->maps.flight_index, flights);
}

static void prepare_followed(struct bpf_span *span)
{
	struct span_bpf *programs = span->programs;
	bool is_wanted = finds_followed(&span->plan.spec);

	bpf_program__set_autoload(programs->progs.thread_begins, is_wanted);
	bpf_program__set_autoload(programs->progs.find_followed, is_wanted);
}

static void prepare_calls(struct bpf_span *span)
{
	const struct bpf_span_spec *spec = &span->plan.spec;
	struct span_bpf *programs = span->programs;
	bool at_call = has_point_at(spec, BPF_SPAN_AT_CALL);
	bool at_return = has_point_at(spec, BPF_SPAN_AT_RETURN);
	bool is_of_operations = spec->owner == BPF_SPAN_OF_OPERATION;

	bpf_program__set_autoload(programs->progs.span_at_call, at_call && !is_of_operations);
	bpf_program__set_autoload(programs->progs.span_at_return, at_return && !is_of_operations);
	bpf_program__set_autoload(programs->progs.file_at_call, at_call && is_of_operations);
	bpf_program__set_autoload(programs->progs.file_at_return, at_return && is_of_operations);
}

static void prepare_points(struct bpf_span *span, const struct counted_span *counted)
{
	for (int i = 0; i < BPF_SPAN_POINTS * BPF_SPAN_KINDS; i++) {
		int point = i / BPF_SPAN_KINDS, kind = i % BPF_SPAN_KINDS;
		struct bpf_program *program = bpf_span_program(span->programs, point, kind);

		bpf_program__set_autoload(program, bpf_span_uses(span, counted, point, kind));
		bpf_span_patch((struct bpf_insn *)(uintptr_t)bpf_program__insns(program),
			       bpf_program__insn_cnt(program), &span->plan.offsets[point]);
	}
}

/* The tasks that a recording wants are those whose spans count. */
static void choose(struct bpf_span *span, const struct bpf_common *common)
{
	struct span_bpf *programs = span->programs;

	span->plan.spec.has_choice = common->users.count || common->comm->first || common->cgroups;
	memcpy((void *)(uintptr_t)&programs->rodata->users, &common->users, sizeof(common->users));
	memcpy((void *)(uintptr_t)&programs->rodata->comm, common->comm, sizeof(*common->comm));
	programs->rodata->cgroups = common->cgroups;
}

static void prepare(struct bpf_span *span, const struct bpf_span_options *options)
{
	const struct bpf_common common = bpf_source_common(options->source);
	struct span_bpf *programs = span->programs;
	struct bpf_span_spec *spec = &span->plan.spec;
	const struct counted_flights *flights = &options->span->flights;
	uint32_t cells = options->span->cells ? options->span->cells : CELLS_OF_GROUPS;

	spec->first = span->cpus * BPF_SPAN_CELLS;
	spec->cells = spec->first + (spec->has_group ? cells : 0);
	spec->has_sets = options->span->is_taken_in_parts;
	spec->flights = !flights->is_wanted ? 0 : cells < FLIGHTS ? cells : FLIGHTS;
	spec->slots = spec->is_of_requests ? 0 : slots_for(options->span->room);
	spec->own_tgid = getpid();
	spec->is_system = options->is_system;
	choose(span, &common);
	spec->is_interleaved |= common.is_preemptible &&
				(spec->is_of_requests || spec->has_async ||
				 spec->has_async_operations || spec->has_faults);
	spec->has_origin = spec->is_of_requests && (!spec->is_system || spec->has_choice);
	memcpy((void *)(uintptr_t)&programs->rodata->spec, spec, sizeof(*spec));
	memcpy((void *)(uintptr_t)&programs->rodata->probes, &span->plan.probes,
	       sizeof(span->plan.probes));
	memcpy((void *)(uintptr_t)programs->rodata->match, span->plan.match,
	       sizeof(span->plan.match));
	memcpy((void *)(uintptr_t)programs->rodata->patterns, span->plan.pattern,
	       sizeof(span->plan.pattern));
	set_sizes(span, options->span);
	if (options->span->about)
		memcpy((void *)(uintptr_t)programs->rodata->about, options->span->about,
		       sizeof(programs->rodata->about));
	if (options->span->fd)
		memcpy((void *)(uintptr_t)programs->rodata->fd_of, options->span->fd,
		       sizeof(programs->rodata->fd_of));
	if (options->span->fd2)
		memcpy((void *)(uintptr_t)programs->rodata->fd2_of, options->span->fd2,
		       sizeof(programs->rodata->fd2_of));
	programs->rodata->is_preemptible = common.is_preemptible;
	programs->rodata->mounted_flag = common.mounted_flag;
	programs->rodata->zone_append = common.zone_append;
	bpf_span_prepare_requests(programs, spec);
	bpf_program__set_autoload(programs->progs.thread_ends,
				  spec->is_of_thread || spec->is_of_process || spec->has_ends);
	bpf_program__set_autoload(programs->progs.thread_executes, spec->is_of_thread);
	prepare_calls(span);
	prepare_followed(span);
	bpf_span_prepare_async(programs, spec, &common);
	bpf_span_prepare_faults(programs, spec);
	prepare_points(span, options->span);
}

/* See bpf_plain.h. */
static struct span_bpf *open_plain(const struct bpf_object_open_opts *options)
{
	struct span_bpf *programs = calloc(1, sizeof(*programs));
	size_t size;
	const void *elf = span_plain_bpf__elf_bytes(&size);

	_Static_assert(sizeof(*programs->rodata) == sizeof(struct span_plain_bpf__rodata) &&
			       sizeof(*programs->bss) == sizeof(struct span_plain_bpf__bss),
		       "their constants have the same places");
	if (programs && !span_bpf__create_skeleton(programs) &&
	    !bpf_plain_open(programs->skeleton, elf, size, options))
		return programs;
	span_bpf__destroy(programs);
	return NULL; /* NOLINT(clang-analyzer-unix.Malloc): it is destroyed */
}

static int load_with(struct bpf_span *span, const struct bpf_span_options *options,
		     const struct bpf_part *part)
{
	const struct bpf_object_open_opts open = {.sz = sizeof(open),
						  .btf_custom_path = bpf_part_path(part)};
	const struct bpf_common common = bpf_source_common(options->source);
	int code;

	span->programs = common.is_plain ? open_plain(&open) : span_bpf__open_opts(&open);
	if (!span->programs)
		return -errno;
	prepare(span, options);
	code = bpf_map__reuse_fd(span->programs->maps.calls, common.calls_fd);
	if (!code)
		code = bpf_map__reuse_fd(span->programs->maps.chosen_cgroups, common.cgroups_fd);
	if (!code)
		code = bpf_part_fill(part, bpf_object__btf(span->programs->obj));
	return code ? code : span_bpf__load(span->programs);
}

static int load(struct bpf_span *span, const struct bpf_span_options *options, struct error *err)
{
	struct bpf_refusal refusal;
	struct bpf_part part;
	int code;

	bpf_part_open(&part);
	bpf_log_keep(&refusal);
	code = load_with(span, options, &part);
	bpf_log_keep(NULL);
	bpf_part_close(&part);
	if (code)
		return error_say(err, -code,
				 "cannot load the BPF programs that count spans: %s%s%s (%s)",
				 refusal.program, *refusal.program ? ": " : "", refusal.why,
				 strerror(-code));
	return 0;
}

static void *map_memory(const struct bpf_map *map, int rights, size_t entry, size_t *size,
			struct error *err)
{
	void *memory;

	*size = bpf_map__max_entries(map) * entry;
	memory = mmap(NULL, *size, rights, MAP_SHARED, bpf_map__fd(map), 0);
	if (memory != MAP_FAILED)
		return memory;
	error_set(err, errno, "cannot map the counted spans of the BPF programs");
	return NULL;
}

static int open_iterators(struct bpf_span *span, struct error *err)
{
	_Static_assert((int)COUNTED_VALUES == (int)BPF_SPAN_VALUES &&
			       (int)COUNTED_READS == (int)BPF_SPAN_READS &&
			       (int)COUNTED_WRITES == (int)BPF_SPAN_WRITES &&
			       (int)COUNTED_UNWANTED == (int)BPF_SPAN_UNWANTED &&
			       (int)COUNTED_CLASS_SHIFT == (int)BPF_SPAN_CLASS_SHIFT &&
			       (int)COUNTED_CLASSES == (int)BPF_SPAN_CLASS + 1 &&
			       (int)COUNTED_REAPS == (int)BPF_SPAN_REAPS &&
			       (int)COUNTED_FD_NONE == (int)BPF_SPAN_FD_NONE &&
			       (int)COUNTED_FD_RESULT == (int)BPF_SPAN_FD_RESULT &&
			       (int)COUNTED_ERRNOS == (int)BPF_SPAN_ERRNOS,
		       "they are the same");
	struct bpf_link *link;

	span->left_fd = bpf_iterator_open(span->programs->progs.spans_left, &span->iterator);
	if (span->left_fd < 0)
		return error_set(err, -span->left_fd, "cannot read which spans are open");
	if (!finds_followed(&span->plan.spec))
		return 0;
	span->followed_fd = bpf_iterator_open(span->programs->progs.find_followed, &link);
	bpf_link__destroy(link);
	return span->followed_fd < 0 ? error_set(err, -span->followed_fd,
						 "cannot find the threads that are followed")
				     : 0;
}

static int plan(struct bpf_span *span, const struct bpf_span_options *options,
		const struct bpf_span_source *from, struct error *err)
{
	const struct counted_span *counted = options->span;
	struct bpf_span_spec *spec = &span->plan.spec;
	int code = counted->requests       ? bpf_span_plan_requests(spec, options, err)
		   : counted->is_of_faults ? bpf_span_plan_faults(spec, counted)
					   : bpf_span_plan(&span->plan, counted, from, err);

	if (!code)
		use_calls(span, options);
	if (!code && counted->has_faults)
		code = bpf_span_add_faults(spec, options->source, err);
	if (!code)
		code = bpf_span_check_async(spec, options->source, err);
	return code;
}

static int open_all(struct bpf_span *span, const struct bpf_span_options *options,
		    struct bpf_span_source *from, struct error *err)
{
	int cpus = libbpf_num_possible_cpus();
	int code = bpf_span_read_formats(options, from->format, err);

	if (!code && cpus < 1)
		return error_set(err, -cpus, "cannot get the number of CPUs");
	span->cpus = (uint32_t)cpus;
	if (!code)
		code = plan(span, options, from, err);
	if (code)
		return code;
	code = load(span, options, err);
	if (code)
		return code;
	span->books = map_memory(span->programs->maps.span_books, PROT_READ, sizeof(*span->books),
				 &span->books_size, err);
	if (span->books)
		span->cells = map_memory(span->programs->maps.cells,
					 span->plan.spec.has_sets ? PROT_READ | PROT_WRITE
								  : PROT_READ,
					 sizeof(*span->cells), &span->cells_size, err);
	if (span->cells)
		span->open = map_memory(span->programs->maps.open_list, PROT_READ,
					sizeof(*span->open), &span->open_size, err);
	if (span->open)
		span->slots = map_memory(span->programs->maps.slots, PROT_READ,
					 sizeof(*span->slots), &span->slots_size, err);
	if (span->slots)
		span->texts = map_memory(span->programs->maps.texts, PROT_READ,
					 span->plan.spec.text_size, &span->texts_size, err);
	if (span->texts)
		span->names = map_memory(span->programs->maps.names, PROT_READ,
					 sizeof(*span->names), &span->names_size, err);
	if (!span->names)
		return -err->code;
	span->rooms = bpf_map__max_entries(span->programs->maps.open_list);
	if (span->plan.spec.flights)
		span->flights = map_memory(span->programs->maps.flights, PROT_READ,
					   sizeof(*span->flights), &span->flights_size, err);
	if (span->plan.spec.flights && !span->flights)
		return -err->code;
	code = open_iterators(span, err);
	return code ? code : bpf_span_attach(span, options, from->format, err);
}

struct bpf_span *bpf_span_open(const struct bpf_span_options *options, struct error *err)
{
	struct bpf_span *span = mem_zero(sizeof(*span));
	struct bpf_span_source from = {.probes = options->probes};
	int code;

	span->left_fd = span->followed_fd = -1;
	for (int i = 0; i < BPF_SPAN_POINTS; i++)
		span->event[i] = span->entry[i] = -1;
	code = open_all(span, options, &from, err);
	for (int i = 0; i < BPF_SPAN_POINTS; i++)
		free(from.format[i]);
	if (code) {
		bpf_span_close(span);
		return NULL;
	}
	bpf_missed_open(&span->missed, span->programs->obj);
	return span;
}

void bpf_span_close(struct bpf_span *span)
{
	if (!span)
		return;
	bpf_span_detach(span);
	bpf_missed_close(&span->missed);
	if (span->left_fd >= 0)
		close(span->left_fd);
	if (span->followed_fd >= 0)
		close(span->followed_fd);
	bpf_link__destroy(span->iterator);
	if (span->open)
		munmap((void *)(uintptr_t)span->open, span->open_size);
	if (span->slots)
		munmap((void *)(uintptr_t)span->slots, span->slots_size);
	if (span->texts)
		munmap((void *)(uintptr_t)span->texts, span->texts_size);
	if (span->names)
		munmap((void *)(uintptr_t)span->names, span->names_size);
	if (span->flights)
		munmap((void *)(uintptr_t)span->flights, span->flights_size);
	if (span->books)
		munmap((void *)(uintptr_t)span->books, span->books_size);
	if (span->cells)
		munmap((void *)(uintptr_t)span->cells, span->cells_size);
	span_bpf__destroy(span->programs);
	free(span->name);
	free(span);
}

void bpf_span_leave_out(struct bpf_span *span, const pid_t pid[BPF_SPAN_HELPERS])
{
	memcpy(span->programs->bss->own_helper, pid, sizeof(span->programs->bss->own_helper));
}

void bpf_span_enable(struct bpf_span *span, bool is_on)
{
	char none;

	while (is_on && span->followed_fd >= 0 && read(span->followed_fd, &none, 1) > 0)
		;
	__atomic_store_n(&span->programs->bss->is_on, is_on, __ATOMIC_RELEASE);
}

void bpf_span_detach(struct bpf_span *span)
{
	for (int i = 0; i < BPF_SPAN_POINTS; i++) {
		if (span->event[i] >= 0)
			close(span->event[i]);
		if (span->entry[i] >= 0)
			close(span->entry[i]);
		span->event[i] = span->entry[i] = -1;
	}
	if (span->programs)
		span_bpf__detach(span->programs);
}
