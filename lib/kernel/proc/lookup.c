/*
 * lookup: collects descriptors while the rings are read, and looks them up afterwards.
 *
 * The newest is looked up first: in a burst of opens, older descriptors are probably closed already, and the look-up of a reused
 * number is useless. Records that cannot be parsed are skipped here; the reader of the stream counts them.
 */
#include "lookup.h"

#include "clock.h"
#include "rank.h"
#include "remote.h"
#include "rights/priority.h"

#include <fcntl.h>
#include <iotrace/mem.h>
#include <iotrace/syscall.h>
#include <linux/perf_event.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const uint64_t search_pause = 1000000000; /* ns between two searches after loss */

void lookup_base_init(struct lookup_base *base, const struct procfs *proc)
{
	memset(base, 0, sizeof(*base));
	base->links.proc = proc;
	priority_init_mutex(&base->mutex);
}

void lookup_base_release(struct lookup_base *base)
{
	if (!base->links.proc)
		return;
	map_release(&base->events);
	map_release(&base->processes);
	map_release(&base->execs);
	free(base->detached);
	links_release(&base->links);
	pthread_mutex_destroy(&base->mutex);
	memset(base, 0, sizeof(*base));
}

void lookup_add_event(struct lookup_base *base, uint64_t id, enum perf_role role)
{
	if (role == ROLE_OPENER || role == ROLE_PATH)
		map_set(&base->events, id, role);
}

void lookup_add_process(struct lookup_base *base, uint32_t pid)
{
	pthread_mutex_lock(&base->mutex);
	map_set(&base->processes, pid, 0);
	pthread_mutex_unlock(&base->mutex);
}

static void remove_process(struct lookup_base *base, uint32_t pid)
{
	pthread_mutex_lock(&base->mutex);
	map_remove(&base->processes, pid);
	pthread_mutex_unlock(&base->mutex);
}

/* Sets has_lost, and returns its old value. */
static bool set_lost(struct lookup_base *base, bool has_lost)
{
	bool before;

	pthread_mutex_lock(&base->mutex);
	before = base->has_lost;
	base->has_lost = has_lost;
	pthread_mutex_unlock(&base->mutex);
	return before;
}

void lookup_doubt(struct lookup_base *base)
{
	set_lost(base, true);
}

void lookup_init(struct lookup *lookup, struct lookup_base *base, struct facts *facts)
{
	*lookup = (struct lookup){.base = base, .facts = facts};
}

void lookup_release(struct lookup *lookup)
{
	map_release(&lookup->index);
	mounts_release(&lookup->mounts);
	free(lookup->item);
	*lookup = (struct lookup){0};
}

static void keep(struct lookup *lookup, const struct lookup_item *item)
{
	uint64_t key = map_key(item->subject == SUBJECT_PATH ? item->tid : item->pid,
			       item->subject == SUBJECT_FD ? item->fd : UINT32_MAX - item->subject);
	uint32_t old = map_get(&lookup->index, key);

	if (old != MAP_NONE) { /* a later look-up of the same descriptor replaces it */
		lookup->item[old].pid = 0;
		lookup->gone += item->subject == SUBJECT_FD;
	}
	MEM_GROW(lookup->item, lookup->item_cap, lookup->items + 1);
	lookup->item[lookup->items] = *item;
	map_set(&lookup->index, key, lookup->items++);
}

static int64_t long_at(const uint8_t *raw, uint32_t offset)
{
	long value;

	memcpy(&value, raw + offset, sizeof(value));
	return value;
}

/* Returns an argument of a call that begins, or `none` if the record does not have it. */
static int64_t argument_at(const struct lookup_base *base, const struct sample *sample,
			   int8_t index, int64_t none)
{
	uint32_t at = base->enter.value + (uint32_t)(index > 0 ? index : 0) * sizeof(long);

	return index >= 0 && at + sizeof(long) <= sample->raw_size ? long_at(sample->raw, at)
								   : none;
}

/* Collects the paths of a call that begins: where they are in the memory of its process. */
static void see_enter(struct lookup *lookup, const struct sample *sample, long number)
{
	call_id id = call_by_number(number);
	struct lookup_item item = {.subject = SUBJECT_PATH,
				   .pid = sample->pid,
				   .tid = sample->tid,
				   .fd = (uint32_t)number};

	if (id == CALL_ID_NONE)
		return;
	const struct call_row *row = call_row(id);
	const int8_t path[] = {row->path, row->path2}, dir[] = {row->fd, row->fd2};

	for (int i = 0; i < 2; i++) {
		item.path[i] = (uint64_t)argument_at(lookup->base, sample, path[i], 0);
		item.dir[i] = (int32_t)argument_at(lookup->base, sample, dir[i], AT_FDCWD);
	}
	keep(lookup, &item);
}

/* Collects the look-ups that the end of a call makes necessary. */
static void see_exit(struct lookup *lookup, const struct sample *sample, long number,
		     int64_t result)
{
	call_id id = call_by_number(number);
	struct lookup_item item = {.pid = sample->pid, .tid = sample->tid, .fd = (uint32_t)result};
	const struct call_row *row;

	if (id == CALL_ID_NONE || result < 0 || result > INT32_MAX)
		return;
	row = call_row(id);
	switch (row->kind) {
	case CALL_OPEN:
		/* The arguments of openat2 do not contain the flags, which are in memory. */
		item.with_info = row->flags == CALL_NO_ARG;
		item.subject = SUBJECT_FD;
		break;
	case CALL_CREATE_FD:
		item.subject = SUBJECT_FD;
		break;
	case CALL_CREATE_PAIR:
		item.subject = SUBJECT_PAIR;
		break;
	case CALL_CHROOT:
	case CALL_UNSHARE: /* of the mount namespace, or of the root that threads shared */
		item.subject = SUBJECT_ROOT;
		break;
	default:
		return;
	}
	keep(lookup, &item);
}

static void see_sample(struct lookup *lookup, const struct perf_event_header *record)
{
	const struct lookup_base *base = lookup->base;
	struct sample sample;
	uint32_t role;
	uint64_t id;

	if (record->size < sizeof(*record) + sizeof(id))
		return;
	memcpy(&id, record + 1, sizeof(id));
	role = map_get(&base->events, id);
	if (role == MAP_NONE)
		return;
	const bool is_enter = role == ROLE_PATH;
	const struct lookup_offsets *offsets = is_enter ? &base->enter : &base->exit;

	if (sample_parse(&sample, base->layout, record) ||
	    offsets->call + sizeof(long) > sample.raw_size ||
	    offsets->value + sizeof(long) > sample.raw_size)
		return;
	if (is_enter)
		see_enter(lookup, &sample, (long)long_at(sample.raw, offsets->call));
	else
		see_exit(lookup, &sample, (long)long_at(sample.raw, offsets->call),
			 long_at(sample.raw, offsets->value));
}

/* A process begins with its first thread, and ends with it. */
static void see_life(struct lookup *lookup, const struct perf_event_header *record)
{
	struct perf_task task;

	if (!perf_record_task(record, &task))
		return;
	if (record->type == PERF_RECORD_FORK && task.pid != task.ppid)
		lookup_add_process(lookup->base, task.pid);
	else if (record->type == PERF_RECORD_EXIT && task.pid == task.tid)
		remove_process(lookup->base, task.pid);
}

/* COMM and MMAP begin with pid and tid, EXIT with pid and ppid. */
static void see_task(struct lookup *lookup, const struct perf_event_header *record)
{
	uint32_t word[6] = {0};
	size_t size = record->size - sizeof(*record);

	if (size < 4 * sizeof(*word))
		return;
	memcpy(word, record + 1, size < sizeof(word) ? size : sizeof(word));
	if (record->type != PERF_RECORD_FORK &&
	    (record->type != PERF_RECORD_COMM || record->misc & PERF_RECORD_MISC_COMM_EXEC))
		lookup_see_exec(lookup, record, word);
	see_life(lookup, record);
	if (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC)
		keep(lookup, &(struct lookup_item){.subject = SUBJECT_PROGRAM,
						   .pid = word[0],
						   .tid = word[1]});
}

void lookup_see(struct lookup *lookup, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		see_sample(lookup, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
		see_task(lookup, record);
		break;
	case PERF_RECORD_LOST:
		set_lost(lookup->base, true);
		break;
	default:
		break;
	}
}

/* Numbers of the file that are unknown stay 0. */
static void add_status(struct fact *fact, const struct link_target *found)
{
	const struct statx *status = &found->status;

	fact->number[FACT_FD_is_deleted] = found->is_deleted;
	if (!found->has_status)
		return;
	fact->number[FACT_FD_dev] = makedev(status->stx_dev_major, status->stx_dev_minor);
	fact->number[FACT_FD_ino] = status->stx_ino;
	fact->number[FACT_FD_mode] = status->stx_mode;
	fact->number[FACT_FD_nlink] = status->stx_nlink;
	if (status->stx_mask & STATX_MNT_ID)
		fact->number[FACT_FD_mnt_id] = status->stx_mnt_id;
}

/* What is asked about a descriptor: its target; also its flags and position; or only a target that is not a file. */
enum fd_details { FD_TARGET, FD_INFO, FD_UNNAMED };

/* Returns whether the descriptor exists. Adds no fact if nothing is asked about it. */
static bool look_at_fd(struct lookup *lookup, uint32_t pid, uint32_t tid, uint32_t fd,
		       enum lookup_reason reason, enum fd_details details)
{
	struct fact fact = {
		.kind = FACT_FD,
		.number = {[FACT_FD_pid] = pid, [FACT_FD_fd] = fd, [FACT_FD_t0] = clock_now()}};
	struct procfs_fdinfo info = {UINT64_MAX, UINT64_MAX, 0};
	struct link_target *found = &lookup->found;
	char link[32];

	snprintf(link, sizeof(link), "fd/%u", fd);
	int code = link_target_read(found, &lookup->mounts, &lookup->base->links, tid, link);
	if (details == FD_UNNAMED && (code || found->is_path))
		return !code;
	if (!code) {
		add_status(&fact, found);
		if (details == FD_INFO)
			procfs_fdinfo(lookup->base->links.proc, tid, fd, &info);
	}
	if (!fact.number[FACT_FD_mnt_id] && info.mnt_id != UINT64_MAX)
		fact.number[FACT_FD_mnt_id] = info.mnt_id;
	fact.number[FACT_FD_error] = (uint64_t)-code;
	fact.number[FACT_FD_flags] = info.flags;
	fact.number[FACT_FD_pos] = info.pos;
	fact.number[FACT_FD_reason] = reason;
	fact.number[FACT_FD_tid] = tid;
	fact.string[FACT_FD_target] = (struct fact_string){found->target, code ? 0 : found->length};
	lookup->done++;
	lookup->gone += code != 0;
	facts_add(lookup->facts, &fact, pid, clock_now());
	return !code;
}

/* Looks at all descriptors of a process. Of a child before its exec, only the descriptors that survive the exec count. */
static void look_at_fds(struct lookup *lookup, uint32_t pid, enum lookup_reason reason,
			bool only_kept)
{
	bool is_pair = reason == LOOKUP_SCANNED;
	uint32_t max = is_pair ? LOOKUP_PAIR_FDS + 1 : LOOKUP_FDS_MAX;
	struct number_list fds = {0};

	if (procfs_list(lookup->base->links.proc, &fds, max, "%u/fd", pid) == 0 &&
	    !(is_pair && fds.count == max)) {
		for (uint32_t i = 0; i < fds.count; i++) {
			struct procfs_fdinfo info = {0};

			if (only_kept &&
			    procfs_fdinfo(lookup->base->links.proc, pid, fds.item[i], &info) == 0 &&
			    info.flags != UINT64_MAX && info.flags & O_CLOEXEC)
				continue;
			look_at_fd(lookup, pid, pid, fds.item[i], reason,
				   is_pair ? FD_UNNAMED : FD_INFO);
		}
	}
	number_list_release(&fds);
}

static void look_at_program(struct lookup *lookup, uint32_t pid, uint32_t tid)
{
	const struct procfs *proc = lookup->base->links.proc;
	struct fact fact = {.kind = FACT_EXE,
			    .number = {[FACT_EXE_pid] = pid, [FACT_EXE_t0] = clock_now()}};
	char target[LINK_TARGET_SIZE], words[FACT_ARGUMENTS + 1];
	bool is_cut = false;
	ssize_t n = procfs_link(proc, target, sizeof(target), "%u/exe", tid);
	struct rank rank = rank_read(proc, tid);

	fact.number[FACT_EXE_error] = n < 0 ? (uint64_t)-n : 0;
	fact.number[FACT_EXE_is_foreign] = n > 0 && procfs_is_foreign(proc, tid);
	fact.number[FACT_EXE_is_excluded] = lookup_is_excluded(lookup->base, tid);
	fact.string[FACT_EXE_path] = (struct fact_string){target, n < 0 ? 0 : (uint32_t)n};
	fact.string[FACT_EXE_argv] = (struct fact_string){words,
							  procfs_arguments(proc, tid, words,
									   sizeof(words), &is_cut)};
	fact.number[FACT_EXE_is_cut] = is_cut;
	fact.number[FACT_EXE_has_rank] = rank.is_known;
	fact.number[FACT_EXE_rank] = rank.rank;
	fact.number[FACT_EXE_ranks] = rank.ranks;
	facts_add(lookup->facts, &fact, pid, clock_now());
}

static void look_at_root(struct lookup *lookup, uint32_t pid, uint32_t tid)
{
	struct fact fact = {.kind = FACT_ROOT,
			    .number = {[FACT_ROOT_pid] = pid, [FACT_ROOT_t0] = clock_now()}};
	struct link_root root;
	int code = link_root_read(&root, &lookup->mounts, lookup->base->links.proc, tid);

	fact.number[FACT_ROOT_error] = (uint64_t)-code;
	fact.number[FACT_ROOT_mount_namespace] = root.mount_namespace;
	fact.string[FACT_ROOT_path] = (struct fact_string){root.path, root.length};
	facts_add(lookup->facts, &fact, pid, clock_now());
}

/* Returns the directory that a relative path starts at. The string is empty if that directory has no path. */
static struct fact_string base_of(struct lookup *lookup, const struct lookup_item *item, uint64_t i)
{
	struct link_target *found = &lookup->found;
	char link[32] = "cwd";

	if (item->dir[i] != AT_FDCWD)
		snprintf(link, sizeof(link), "fd/%d", item->dir[i]);
	if (link_target_read(found, &lookup->mounts, &lookup->base->links, item->tid, link) ||
	    found->is_deleted)
		return (struct fact_string){NULL, 0};
	return (struct fact_string){found->target, found->length};
}

/* The model uses the path only if the call is still in flight at the time of the fact: then the call used this path. */
static void look_at_paths(struct lookup *lookup, const struct lookup_item *item)
{
	char path[LINK_TARGET_SIZE];

	for (uint64_t i = 0; i < 2; i++) {
		struct fact fact = {.kind = FACT_PATH,
				    .number = {[FACT_PATH_pid] = item->pid,
					       [FACT_PATH_tid] = item->tid,
					       [FACT_PATH_t0] = clock_now(),
					       [FACT_PATH_error] = 0,
					       [FACT_PATH_number] = item->fd,
					       [FACT_PATH_index] = i}};
		ssize_t n;

		if (!item->path[i])
			continue;
		n = remote_string(item->pid, item->path[i], path, sizeof(path));
		fact.number[FACT_PATH_error] = n < 0 ? (uint64_t)-n : 0;
		fact.string[FACT_PATH_path] = (struct fact_string){path, n < 0 ? 0 : (uint32_t)n};
		if (n > 0 && path[0] != '/')
			fact.string[FACT_PATH_base] = base_of(lookup, item, i);
		facts_add(lookup->facts, &fact, item->pid, clock_now());
	}
}

static void look(struct lookup *lookup, const struct lookup_item *item)
{
	switch (item->subject) {
	case SUBJECT_FD:
		look_at_fd(lookup, item->pid, item->tid, item->fd, LOOKUP_OPENED,
			   item->with_info ? FD_INFO : FD_TARGET);
		break;
	case SUBJECT_PAIR:
		look_at_fds(lookup, item->pid, LOOKUP_SCANNED, false);
		break;
	case SUBJECT_ROOT:
		look_at_root(lookup, item->pid, item->tid);
		break;
	case SUBJECT_PROGRAM:
		look_at_root(lookup, item->pid, item->tid);
		look_at_program(lookup, item->pid, item->tid);
		break;
	case SUBJECT_PATH:
		look_at_paths(lookup, item);
		break;
	}
}

bool lookup_run(struct lookup *lookup)
{
	uint32_t oldest = lookup->items > LOOKUP_BATCH_MAX ? lookup->items - LOOKUP_BATCH_MAX : 0;

	if (!lookup->items)
		return false;
	lookup->gone += oldest;
	for (uint32_t i = lookup->items; i-- > oldest;)
		if (lookup->item[i].pid)
			look(lookup, &lookup->item[i]);
	lookup->items = 0;
	map_clear(&lookup->index);
	return true;
}

/* Copies the list, because the look-ups take long and the reader of records must not wait for them. */
static uint32_t copy_processes(struct lookup_base *base, uint32_t *pid)
{
	uint32_t count = 0;

	pthread_mutex_lock(&base->mutex);
	for (uint32_t i = 0; i < base->processes.capacity && count < LOOKUP_PROCESSES_MAX; i++)
		if (base->processes.entry[i].state == 1)
			pid[count++] = (uint32_t)base->processes.entry[i].key;
	pthread_mutex_unlock(&base->mutex);
	return count;
}

/* The lost records may contain opens and closes, so all open descriptors are looked up again. */
void lookup_search(struct lookup *lookup)
{
	uint32_t pid[LOOKUP_PROCESSES_MAX], count;

	if (clock_now() - lookup->base->searched_at < search_pause ||
	    !set_lost(lookup->base, false))
		return;
	count = copy_processes(lookup->base, pid);
	for (uint32_t i = 0; i < count; i++) {
		look_at_root(lookup, pid[i], pid[i]);
		look_at_fds(lookup, pid[i], LOOKUP_LOST, false);
	}
	lookup->base->searched_at = clock_now();
}

void lookup_process(struct lookup *lookup, uint32_t pid, enum lookup_reason reason,
		    bool with_program)
{
	look_at_root(lookup, pid, pid);
	if (with_program)
		look_at_program(lookup, pid, pid);
	look_at_fds(lookup, pid, reason, !with_program);
}
