/* collect_fault: counts failed calls while events arrive, and ranks them at the end. */
#include "collect_fault.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <iotrace/errname.h>
#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

void collect_faults_init(struct collect_faults *faults, const struct trace *trace)
{
	*faults = (struct collect_faults){.trace = trace};
	cold_area_init(&faults->area, trace_cold(trace));
}

void collect_faults_release(struct collect_faults *faults)
{
	cold_area_release(&faults->area, faults->named);
	free(faults->fault);
	map_release(&faults->fault_of);
	map_release(&faults->named_of);
}

/* Calls that often fail harmlessly, because programs use them to find out what exists. */
static bool is_of_name(const struct trace_region *region)
{
	return region->has_path || region->group == GROUP_NET;
}

static bool is_readlink(const struct trace_region *region)
{
	return region->traits & CALL_OF_LINK;
}

static bool is_attribute(const struct trace_region *region)
{
	return region->traits & CALL_OF_ATTRIBUTE;
}

static bool is_seek(const struct trace_region *region)
{
	return region->kind == CALL_SEEK || region->traits & CALL_GIVES_ADVICE;
}

static bool is_data(const struct trace_region *region)
{
	return region->group == GROUP_DATA || region->group == GROUP_NET;
}

static bool is_mkdir(const struct trace_region *region)
{
	return region->traits & CALL_MAKES_DIRECTORY;
}

/* rm -r first tries each name as that of a file. */
static bool is_delete(const struct trace_region *region)
{
	return region->kind == CALL_DELETE;
}

/* Some programs close all possible descriptors. */
static bool is_of_descriptor(const struct trace_region *region)
{
	return region->kind == CALL_CLOSE || region->kind == CALL_FCNTL;
}

static const struct {
	int error;
	bool (*is_of)(const struct trace_region *region);
	enum collect_fault_kind kind;
} harmless[] = {
	{ENOENT, is_of_name, FAULT_LOOKUP},      {ENOTDIR, is_of_name, FAULT_LOOKUP},
	{EINVAL, is_readlink, FAULT_USUAL},      {ENODATA, is_attribute, FAULT_USUAL},
	{EOPNOTSUPP, is_attribute, FAULT_USUAL}, {ESPIPE, is_seek, FAULT_USUAL},
	{EAGAIN, is_data, FAULT_USUAL},          {EEXIST, is_mkdir, FAULT_USUAL},
	{EBADF, is_of_descriptor, FAULT_USUAL},  {EISDIR, is_delete, FAULT_USUAL},
};

static const struct trace_region *region_of(const struct collect_faults *faults,
					    const struct collect_fault *fault)
{
	return trace_region(faults->trace, fault->region);
}

static enum collect_fault_kind kind_of(const struct collect_faults *faults,
				       const struct collect_fault *fault)
{
	const struct trace_region *region = region_of(faults, fault);

	if (errname_is_interrupted(fault->error))
		return FAULT_INTERRUPTED;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (harmless[i].error == fault->error && harmless[i].is_of(region))
			return harmless[i].kind;
	return FAULT_FAILED;
}

static uint64_t kind_key(const struct collect_fault *fault)
{
	return map_key((uint32_t)fault->error, fault->region);
}

void collect_faults_add(struct collect_faults *faults, const struct collect_named_fault *one)
{
	uint32_t index = map_get(&faults->fault_of, kind_key(&one->fault));
	uint64_t key;

	if (index == MAP_NONE) {
		index = faults->faults++;
		MEM_GROW(faults->fault, faults->faults_cap, faults->faults);
		faults->fault[index] = one->fault;
		faults->fault[index].count = 0;
		faults->fault[index].kind = kind_of(faults, &one->fault);
		map_set(&faults->fault_of, kind_key(&one->fault), index);
	}
	faults->fault[index].count++;
	if (!one->name)
		return;
	key = map_key(index, one->name);
	index = map_get(&faults->named_of, key);
	if (index == MAP_NONE) {
		index = faults->nameds++;
		COLD_GROW(&faults->area, faults->named, faults->nameds_cap, faults->nameds);
		faults->named[index] = *one;
		faults->named[index].fault.count = 0;
		map_set(&faults->named_of, key, index);
	}
	faults->named[index].fault.count++;
	faults->named[index].last = one->last;
}

const char *collect_fault_name(enum collect_fault_kind kind)
{
	static const char *const name[FAULT_KINDS] = {
		[FAULT_FAILED] = "failure", [FAULT_LOOKUP] = "lookup",
		[FAULT_USUAL] = "lookup", /* readers of JSON get one word for both kinds */
		[FAULT_PROBE] = "probe",    [FAULT_INTERRUPTED] = "interruption",
	};

	return name[kind];
}

/* Files that the loader and the C library search in many directories. */
static bool is_of_library(const char *path)
{
	static const char *const glob[] = {"/etc/ld.so.*",     "*.so",       "*.so.*",
					   "*/glibc-hwcaps/*", "*/locale/*", "*/locale-langpack/*"};

	for (size_t i = 0; i < sizeof(glob) / sizeof(*glob); i++)
		if (!fnmatch(glob[i], path, 0))
			return true;
	return false;
}

static bool is_of_word(char letter)
{
	return isalnum((unsigned char)letter) || (letter && strchr("-_.+", letter));
}

/* Whether the text contains `word` as a whole word. */
static bool has_word(const char *text, size_t length, const char *word)
{
	size_t size = strlen(word);
	const char *end = text + length, *at = text;

	for (; (at = memmem(at, (size_t)(end - at), word, size)); at++)
		if ((at == text || !is_of_word(at[-1])) &&
		    (at + size == end || !is_of_word(at[size])))
			return true;
	return false;
}

static const char *last_component(const struct collect_faults *faults, str_id path)
{
	const char *text = trace_text(faults->trace, path), *slash = strrchr(text, '/');

	return slash ? slash + 1 : text;
}

/* Returns whether an argument of the command has the last component of the path. */
static bool is_in_command(const struct collect_faults *faults, str_id path)
{
	const struct trace *trace = faults->trace;
	str_id words = trace_host(trace)->argv;
	const char *text = trace_text(trace, words), *last = last_component(faults, path);
	size_t length = strtab_length(trace_strings(trace), words), first = strlen(text);

	return *last && first < length && has_word(text + first, length - first, last);
}

static bool is_lookup(const struct collect_named_fault *named)
{
	return named->kind == FAULT_LOOKUP || named->kind == FAULT_USUAL;
}

/* Decides what a failure means, from its name and its call. */
static void judge(const struct collect_faults *faults, struct collect_named_fault *named)
{
	const struct trace_region *region = region_of(faults, &named->fault);

	named->kind = kind_of(faults, &named->fault);
	named->is_in_command = is_lookup(named) && region->has_path &&
			       is_in_command(faults, named->name);
	if (is_lookup(named) && !named->is_in_command &&
	    (!region->has_path || region->traits & CALL_ASKS ||
	     is_of_library(trace_text(faults->trace, named->name))))
		named->kind = FAULT_PROBE;
}

static uint64_t hash_of_last(const struct collect_faults *faults, str_id path)
{
	const char *last = last_component(faults, path);

	return hash_bytes(hash_key_of_process(), last, strlen(last));
}

/* Returns a map from the hash of the last component of each look-up to 1 if a file has that name, otherwise 0. */
static struct map find_elsewhere(const struct collect_faults *faults)
{
	const struct trace *trace = faults->trace;
	struct map found = {0};

	for (uint32_t id = 0; id < faults->nameds; id++)
		if (is_lookup(&faults->named[id]))
			map_set(&found, hash_of_last(faults, faults->named[id].name), 0);
	for (file_id file = 0; found.count && file < trace_files(trace); file++) {
		uint64_t hash = hash_of_last(faults, trace_file(trace, file)->path);

		cold_pass(trace_cold(trace), file);
		if (map_get(&found, hash) != MAP_NONE)
			map_set(&found, hash, 1);
	}
	return found;
}

void collect_faults_judge(struct collect_faults *faults)
{
	struct map found;

	for (uint32_t id = 0; id < faults->nameds; id++) {
		cold_pass(trace_cold(faults->trace), id);
		judge(faults, &faults->named[id]);
	}
	found = find_elsewhere(faults);
	for (uint32_t id = 0; id < faults->nameds; id++) {
		struct collect_named_fault *named = &faults->named[id];

		if (is_lookup(named) &&
		    (!named->is_in_command ||
		     region_of(faults, &named->fault)->traits & CALL_ASKS) &&
		    map_get(&found, hash_of_last(faults, named->name)) == 1)
			named->kind = FAULT_PROBE;
	}
	map_release(&found);
}

static bool fault_is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct collect_faults *faults = context;
	const struct collect_fault *x = &faults->fault[a], *y = &faults->fault[b];

	if (x->kind != y->kind)
		return x->kind < y->kind;
	if (x->count != y->count)
		return x->count > y->count;
	return a < b;
}

struct top collect_top_faults(const struct collect_faults *faults, uint32_t kinds, uint32_t size)
{
	struct top top;

	top_init(&top, size, fault_is_before, faults);
	for (uint32_t id = 0; id < faults->faults; id++)
		if (kinds >> faults->fault[id].kind & 1)
			top_offer(&top, id);
	top_sort(&top);
	return top;
}

static bool named_is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct collect_faults *faults = context;
	const struct collect_named_fault *x = &faults->named[a], *y = &faults->named[b];

	if (x->kind != y->kind)
		return x->kind < y->kind;
	if (x->is_in_command != y->is_in_command)
		return x->is_in_command;
	if (x->fault.count != y->fault.count)
		return x->fault.count > y->fault.count;
	return x->last != y->last ? x->last > y->last : a < b;
}

struct top collect_top_named_faults(const struct collect_faults *faults, uint32_t kinds,
				    uint32_t size)
{
	struct top top;

	top_init(&top, size, named_is_before, faults);
	for (uint32_t id = 0; id < faults->nameds; id++) {
		cold_pass(trace_cold(faults->trace), id);
		if (kinds >> faults->named[id].kind & 1)
			top_offer(&top, id);
	}
	top_sort(&top);
	return top;
}
