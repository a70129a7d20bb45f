#include "mapping.h"

#include "fd/fdtable.h"
#include "file/name_filter.h"
#include "task/task.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPINGS_MAX = 1 << 16 }; /* the kernel's own default limit (vm.max_map_count) */

static uint64_t end_of(uint64_t start, uint64_t size)
{
	return start + size < start ? UINT64_MAX : start + size;
}

/* Returns the index of the first mapping that ends after start. */
static uint32_t first_after(const struct process *p, uint64_t start)
{
	uint32_t low = 0, high = p->mappings;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->mapping[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count(struct model *m, uint32_t process, file_id file)
{
	if (file == ID_NONE)
		return;
	COLD_GROW(&m->area[AREA_MAPPED], m->mapped_file, m->mapped_file_cap, file + 1);
	m->mapped_file[file].mappings++;
	m->mapped_file[file].was_mapped = true;
	m->mapped_file[file].process = process;
}

/* Drops the mapping's open and its counts. */
static void end(struct model *m, const struct mapping *mapping)
{
	if (mapping->written != ID_NONE)
		m->mapped_file[mapping->written].mappings--;
	open_drop(m, mapping->open);
}

static void insert(struct model *m, uint32_t process, uint32_t at, struct mapping mapping)
{
	struct process *p = &m->process[process];

	if (p->mappings >= MAPPINGS_MAX)
		return;
	MEM_GROW(p->mapping, p->mappings_cap, p->mappings + 1);
	memmove(&p->mapping[at + 1], &p->mapping[at], (p->mappings - at) * sizeof(*p->mapping));
	p->mapping[at] = mapping;
	p->mappings++;
	open_hold(m, mapping.open);
	count(m, process, mapping.written);
}

static void erase(struct model *m, struct process *p, uint32_t at)
{
	struct mapping old = p->mapping[at];

	p->mappings--;
	memmove(&p->mapping[at], &p->mapping[at + 1], (p->mappings - at) * sizeof(*p->mapping));
	end(m, &old);
}

/* Removes [start, end) from the mapping at the index. Returns the index of the first mapping after it. */
static uint32_t carve(struct model *m, uint32_t process, uint32_t at, uint64_t start, uint64_t end)
{
	struct process *p = &m->process[process];
	struct mapping old = p->mapping[at], rest = old;

	rest.start = end;

	if (old.start < start) {
		p->mapping[at].end = start;
		at++;
		if (old.end > end)
			insert(m, process, at, rest);
		return at;
	}
	if (old.end > end)
		p->mapping[at].start = end;
	else
		erase(m, p, at);
	return at;
}

void mapping_unset(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint64_t time)
{
	struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);
	uint32_t at = first_after(p, start);

	while (at < p->mappings && p->mapping[at].start < end) {
		uint64_t was = p->mapping[at].end;

		at = p->mapping[at].since <= time ? carve(m, process, at, start, end) : at + 1;
		if (was > end)
			break;
	}
}

void mapping_set(struct model *m, uint32_t process, uint64_t start, uint64_t size,
		 struct mapped mapped)
{
	const struct process *p = &m->process[process];
	struct mapping mapping = {.start = start,
				  .end = end_of(start, size),
				  .since = m->now,
				  .open = mapped.open,
				  .tid = mapped.tid,
				  .written = ID_NONE};

	mapping_unset(m, process, start, size, UINT64_MAX);
	if (mapped.open == ID_NONE || start >= mapping.end)
		return;
	if (mapped.is_written)
		mapping.written = open_description(m, mapped.open)->file;
	insert(m, process, first_after(p, start), mapping);
}

uint32_t mapping_find(const struct model *m, uint32_t process, uint64_t start, uint64_t size,
		      uint64_t time)
{
	const struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);

	for (uint32_t at = first_after(p, start); at < p->mappings && p->mapping[at].start < end;
	     at++)
		if (p->mapping[at].since <= time)
			return p->mapping[at].open;
	return ID_NONE;
}

static const struct mapping *find_written(const struct model *m, uint32_t process, file_id file)
{
	const struct process *p = &m->process[process];

	for (uint32_t i = p->mappings; i--;)
		if (p->mapping[i].written == file)
			return &p->mapping[i];
	return NULL;
}

const struct mapping *mapping_of_file(const struct model *m, file_id file, uint32_t *process)
{
	const struct mapping *mapping;

	if (file >= m->mapped_file_cap || !m->mapped_file[file].mappings)
		return NULL;
	*process = m->mapped_file[file].process;
	mapping = find_written(m, *process, file);
	for (uint32_t i = 0; !mapping && i < m->processes.count; i++) {
		mapping = find_written(m, i, file);
		*process = i;
	}
	return mapping;
}

void mapping_copy(struct model *m, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < m->process[from].mappings; i++)
		insert(m, to, i, m->process[from].mapping[i]);
}

void mapping_clear(struct model *m, uint32_t process)
{
	struct process *p = &m->process[process];

	for (uint32_t i = 0; i < p->mappings; i++)
		end(m, &p->mapping[i]);
	free(p->mapping);
	p->mapping = NULL;
	p->mappings = p->mappings_cap = 0;
}

void mapping_written(struct model *m, file_id file)
{
	if (file < m->mapped_file_cap)
		m->mapped_file[file].is_written_back |= m->mapped_file[file].was_mapped;
}

void mapping_written_at(struct model *m, uint32_t process, uint64_t start, uint64_t size,
			uint64_t time)
{
	const struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);

	for (uint32_t at = first_after(p, start); at < p->mappings && p->mapping[at].start < end;
	     at++)
		if (p->mapping[at].since <= time)
			mapping_written(m, p->mapping[at].written);
}

void mapping_unrecorded(struct model *m, const struct event *event)
{
	uint32_t task = task_find(m, event->tid), open;

	if (task == MAP_NONE || !process_is_recorded(m, m->task[task].process))
		return;
	open = table_at(m, task_table(m, task), (uint64_t)event->mapped, m->now);
	if (open == ID_NONE || !open_description(m, open)->is_file)
		return;
	file_id file = open_description(m, open)->file;

	if (file == ID_NONE || m->trace.file[file].kind != FILE_REGULAR)
		return;
	COLD_GROW(&m->area[AREA_MAPPED], m->mapped_file, m->mapped_file_cap, file + 1);
	m->mapped_file[file].is_stored |= event->kind == EVENT_STORES;
	m->mapped_file[file].is_loaded |= event->kind == EVENT_LOADS;
	m->mapped_file[file].is_code |= event->kind == EVENT_CODE;
}

/* Files that the loader and the C library map in every program. */
static bool is_of_c_library(const char *name)
{
	static const char *const own[] = {"*/ld.so.cache", "*/locale/*",
					  "*/gconv/gconv-modules.cache", "/etc/localtime",
					  "*/zoneinfo/*"};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!fnmatch(own[i], name, 0))
			return true;
	return false;
}

/* A file in memory is never written back. */
static bool is_on_a_disk(const struct model *m, file_id file)
{
	static const char *const in_memory[] = {"tmpfs", "ramfs", "hugetlbfs", "devtmpfs"};
	const struct trace_file *f = &m->trace.file[file];
	const char *type = f->mount == ID_NONE
				   ? ""
				   : strtab_text(m->trace.strings, m->trace.mount[f->mount].type);

	for (size_t i = 0; i < sizeof(in_memory) / sizeof(*in_memory); i++)
		if (!strcmp(type, in_memory[i]))
			return false;
	return f->kind == FILE_REGULAR;
}

/* Only BPF records writeback. */
static void count_file(struct model *m, file_id file)
{
	const struct mapped_file *mapped = &m->mapped_file[file];
	bool is_written = mapped->was_mapped && is_on_a_disk(m, file);
	bool is_watched = m->trace.host.source == TRACE_SOURCE_BPF;
	bool is_stored = mapped->is_stored || (is_written && !is_watched);

	tally_add(m->tally, files_stored, is_stored);
	tally_add(m->tally, files_pending, is_written && is_watched && !mapped->is_written_back);
	tally_add(m->tally, files_loaded,
		  mapped->is_loaded && !is_stored && !mapped->is_code &&
			  !is_of_c_library(trace_text(&m->trace, m->trace.file[file].path)));
}

void mapping_end(struct model *m)
{
	/* Either table may be the larger one, because they grow in different steps. */
	for (file_id file = 0; file < m->mapped_file_cap && file < m->trace.files; file++)
		if (name_is_wanted_by_any(m, m->trace.file[file].path))
			count_file(m, file);
}
