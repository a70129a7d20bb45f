/*
 * perf_event: opens the events of a recording. It first requests the features of new kernels, and gives up one after the other if
 * the kernel refuses it. This happens before the first event is open, so that all events are alike.
 */
#include "perf_event.h"

#include "opener/opener.h"
#include "rights/priority.h"
#include "rights/rights.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT_LOST = 1 << 4, CPUS_MAX = 1 << 14, FDS_MAX = 1 << 22 };

void perf_set_init(struct perf_set *set)
{
	memset(set, 0, sizeof(*set));
	set->has_lost = true;
	priority_init_mutex(&set->mutex);
}

/* Siblings are closed before their leaders, and the owners of the rings last. */
void perf_set_release(struct perf_set *set)
{
	for (uint32_t i = 0; i < set->cpus && set->ring; i++)
		perf_ring_unmap(&set->ring[i]);
	for (uint32_t i = set->fds; i-- > 0;)
		if (set->fd[i] >= 0)
			close(set->fd[i]);
	for (uint32_t i = 0; i < set->specs; i++) {
		free(set->spec[i].name);
		free(set->spec[i].filter);
	}
	free(set->cpu);
	free(set->fd);
	free(set->id);
	free(set->ring);
	for (uint32_t i = 0; i < set->cpus && set->owner; i++)
		if (set->owner[i] >= 0)
			close(set->owner[i]);
	free(set->owner);
	free(set->poll_thread);
	pthread_mutex_destroy(&set->mutex);
	perf_set_init(set);
}

static bool has_cpu(const struct perf_set *set, uint32_t cpus, unsigned long number)
{
	for (uint32_t i = 0; i < cpus; i++)
		if (set->cpu[i] == number)
			return true;
	return false;
}

/* Appends the CPUs of the list that are not yet known. Returns false if the text is not a list. */
static bool add_cpus(struct perf_set *set, const char *text)
{
	uint32_t known = set->cpus, cap = known;

	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (last < first || last >= CPUS_MAX)
			return false;
		for (; first <= last; first++) {
			if (has_cpu(set, known, first))
				continue;
			MEM_GROW(set->cpu, cap, set->cpus + 1);
			set->cpu[set->cpus++] = (uint32_t)first;
		}
		text = *end == ',' ? end + 1 : end;
	}
	return *text == '\n' || !*text;
}

int perf_set_cpus(struct perf_set *set, const char *text)
{
	bool is_list;

	set->cpus = 0;
	is_list = add_cpus(set, text);
	set->online = set->cpus;
	return is_list && set->cpus ? 0 : -EBADMSG;
}

int perf_set_spares(struct perf_set *set, const char *text)
{
	if (add_cpus(set, text))
		return 0;
	set->cpus = set->online;
	return -EBADMSG;
}

bool perf_set_follows(const struct perf_set *set, uint32_t number)
{
	for (uint32_t i = 0; i < set->cpus; i++)
		if (set->cpu[i] == number)
			return set->ring && set->ring[i].page;
	return false;
}

void perf_attr_init(struct perf_event_attr *attr, uint32_t type, uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	attr->read_format = PERF_FORMAT_ID;
	attr->disabled = 1;
	attr->inherit = 1;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
}

/* Only events of a task can be opened for a CPU that is offline. */
static bool is_of_task(const struct perf_set *set, const struct perf_spec *spec)
{
	return set->target == TARGET_THREAD && spec->role != ROLE_BLOCK;
}

int perf_set_add(struct perf_set *set, enum perf_role role, const struct perf_event_attr *attr,
		 const char *name, char *filter, int leader)
{
	struct perf_spec *spec = &set->spec[set->specs];

	if (set->specs == PERF_SPECS_MAX) {
		free(filter);
		return -E2BIG;
	}
	*spec = (struct perf_spec){.role = role,
				   .attr = *attr,
				   .name = mem_strdup(name),
				   .filter = filter,
				   .leader = leader};
	spec->attr.read_format |= FORMAT_LOST;
	spec->attr.inherit = is_of_task(set, spec);
	return (int)set->specs++;
}

static int open_event(const struct perf_set *set, const struct perf_spec *spec, pid_t tid,
		      uint32_t cpu, int group)
{
	bool is_of_all = spec->role == ROLE_BLOCK;
	unsigned long cgroup = set->target == TARGET_CGROUP && !is_of_all ? PERF_FLAG_PID_CGROUP
									  : 0;
	struct perf_event_attr attr = spec->attr;
	int fd;

	if (set->opener)
		return opener_open(set->opener, (uint32_t)(spec - set->spec), tid, set->cpu[cpu]);
	if (cpu >= set->online && spec == set->spec)
		attr.wakeup_watermark = (uint32_t)(set->spare_bytes / 4);
	fd = (int)syscall(SYS_perf_event_open, &attr, is_of_all ? PERF_EVERYBODY : tid,
			  (int)set->cpu[cpu], group, PERF_FLAG_FD_CLOEXEC | cgroup);
	return fd < 0 ? -errno : fd;
}

/* Kernels before 6.0 do not count what they lose for each event. */
static void give_up_lost(struct perf_set *set)
{
	set->has_lost = false;
	for (uint32_t i = 0; i < set->specs; i++)
		set->spec[i].attr.read_format &= ~(uint64_t)FORMAT_LOST;
}

/* Returns the event that owns the ring of the CPU. */
static int owner_of(const struct perf_set *set, uint32_t cpu)
{
	return set->owner[cpu] >= 0 ? set->owner[cpu] : set->fd[cpu];
}

/* Opens one event. Also returns 0 if the kernel refuses an optional one. */
static int open_one(struct perf_set *set, uint32_t thread, uint32_t index, uint32_t cpu, pid_t tid)
{
	struct perf_spec *spec = &set->spec[index];
	uint32_t slot = perf_set_slot(set, thread, index, cpu);
	int group = spec->leader < 0
			    ? -1
			    : set->fd[perf_set_slot(set, thread, (uint32_t)spec->leader, cpu)];
	int fd = open_event(set, spec, tid, cpu, group);

	if (fd == -EINVAL && set->has_lost && !slot) {
		give_up_lost(set);
		fd = open_event(set, spec, tid, cpu, group);
	}
	if (fd < 0 && spec->role == ROLE_OPTIONAL &&
	    (fd == -EACCES || fd == -EPERM || fd == -ENOENT)) {
		spec->is_absent = true;
		return 0;
	}
	if (fd < 0)
		return fd;
	set->fd[slot] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &set->id[slot]))
		return -errno;
	if (spec->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, spec->filter))
		return -errno;
	if (slot >= set->cpus && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_of(set, cpu)))
		return -errno;
	return 0;
}

static void forget_from(struct perf_set *set, uint32_t first)
{
	for (uint32_t i = set->fds; i-- > first;)
		if (set->fd[i] >= 0)
			close(set->fd[i]);
	set->fds = first;
}

/* Makes room for the descriptors of one more thread. */
static int add_slots(struct perf_set *set)
{
	uint32_t first = set->fds, more = set->specs * set->cpus;

	if (more > FDS_MAX - first)
		return -EMFILE;
	pthread_mutex_lock(&set->mutex);
	MEM_GROW(set->fd, set->fd_cap, first + more);
	pthread_mutex_unlock(&set->mutex);
	MEM_GROW(set->id, set->id_cap, first + more);
	for (uint32_t i = first; i < first + more; i++)
		set->fd[i] = -1;
	set->fds += more;
	return 0;
}

static int explain(const struct perf_set *set, const struct perf_spec *spec, int code, pid_t tid,
		   struct error *err)
{
	if (code == EINVAL && (spec->attr.sample_type & PERF_SAMPLE_READ)) {
		error_say(err, code,
			  "counters of the threads that a program makes need Linux 6.12 or newer");
		error_hint(err, "record without -E");
		return -code;
	}
	if (set->target != TARGET_THREAD || spec->role == ROLE_BLOCK)
		tid = RIGHTS_MACHINE;
	return rights_explain(err, code, spec->name, tid,
			      (unsigned long)set->specs * set->cpus * (set->threads + 1) + 64);
}

/* Whether the spec is opened on the CPU. A CPU that may come online gets a ring first, or no events at all. */
static bool is_wanted(const struct perf_set *set, const struct perf_spec *spec, uint32_t cpu)
{
	if (cpu < set->online)
		return !spec->is_absent;
	return !spec->is_absent && is_of_task(set, spec) &&
	       (!set->is_mapped || set->ring[cpu].page);
}

/* Opens a spec on all CPUs where it is not open yet. A spec of the whole machine is opened with the first thread only. */
static int open_spec(struct perf_set *set, uint32_t index, pid_t tid, struct error *err)
{
	if (set->spec[index].is_skipped || (set->spec[index].role == ROLE_BLOCK && set->threads))
		return 0;
	for (uint32_t cpu = 0; cpu < set->cpus; cpu++) {
		int code = 0;

		if (is_wanted(set, &set->spec[index], cpu) &&
		    set->fd[perf_set_slot(set, set->threads, index, cpu)] < 0)
			code = open_one(set, set->threads, index, cpu, tid);
		/* The CPUs from here on have no rings. */
		if (code && cpu >= set->online && !set->is_mapped)
			break;
		if (code == -ESRCH)
			return code;
		if (code)
			return explain(set, &set->spec[index], -code, tid, err);
	}
	return 0;
}

int perf_set_open(struct perf_set *set, pid_t tid, struct error *err)
{
	uint32_t first = perf_set_slot(set, set->threads, 0, 0);
	int code = set->fds == first ? add_slots(set) : 0;

	if (code)
		return rights_explain(err, -code, set->spec[0].name, tid, (unsigned long)first * 2);
	for (uint32_t i = 0; i < set->specs && !code; i++)
		code = open_spec(set, i, tid, err);
	if (code) {
		forget_from(set, first);
		return code;
	}
	pthread_mutex_lock(&set->mutex);
	set->threads++;
	pthread_mutex_unlock(&set->mutex);
	return 0;
}

int perf_set_open_cpu(struct perf_set *set, uint32_t cpu, int who, struct error *err)
{
	uint32_t first = perf_set_slot(set, set->threads, 0, 0);
	int code = add_slots(set);

	for (uint32_t i = 0; i < set->specs && !code; i++) {
		if (set->spec[i].is_absent || is_of_task(set, &set->spec[i]))
			continue;
		code = open_one(set, set->threads, i, cpu, who);
		if (code)
			explain(set, &set->spec[i], -code, RIGHTS_MACHINE, err);
	}
	if (code) {
		forget_from(set, first);
		return code;
	}
	pthread_mutex_lock(&set->mutex);
	set->poll_thread[cpu] = set->threads++;
	pthread_mutex_unlock(&set->mutex);
	return 0;
}

static void unmap_all(struct perf_set *set)
{
	for (uint32_t cpu = 0; cpu < set->cpus; cpu++)
		perf_ring_unmap(&set->ring[cpu]);
}

static int map_all(struct perf_set *set, uint64_t size)
{
	int code = 0;

	for (uint32_t cpu = 0; cpu < set->online && !code; cpu++)
		code = perf_ring_map(&set->ring[cpu], set->fd[cpu], size);
	if (code)
		unmap_all(set);
	return code;
}

/* Finds the largest size that the kernel allows. Returns 0 or -errno. */
static int map_largest(struct perf_set *set, uint64_t *size, uint64_t least)
{
	int code;

	while ((code = map_all(set, *size)) == -EPERM || code == -ENOMEM) {
		if (*size / 2 < least)
			break;
		*size /= 2;
	}
	return code;
}

/* Opens the owner of a ring for a CPU that is offline: an event of our own thread that is never enabled. */
static int open_owner(const struct perf_set *set, uint32_t cpu)
{
	struct perf_event_attr attr = set->spec[0].attr;

	attr.wakeup_watermark = (uint32_t)(set->spare_bytes / 4);
	return (int)syscall(SYS_perf_event_open, &attr, 0, (int)set->cpu[cpu], -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* If a ring cannot be mapped, its CPU is not recorded. */
static void map_spares(struct perf_set *set)
{
	for (uint32_t cpu = set->online; cpu < set->cpus; cpu++) {
		bool is_of_cpu = !is_of_task(set, &set->spec[0]);
		int *fd = is_of_cpu ? &set->owner[cpu] : &set->fd[cpu];

		if (is_of_cpu)
			*fd = open_owner(set, cpu);
		if (*fd < 0 || !perf_ring_map(&set->ring[cpu], *fd, set->spare_bytes))
			continue;
		close(*fd);
		*fd = -1;
	}
}

static int refuse_rings(const struct perf_set *set, int code, uint64_t size, struct error *err)
{
	error_set(err, -code, "cannot map rings of %llu KiB for each of %u CPUs",
		  (unsigned long long)(size >> 10), set->online);
	error_hint(
		err,
		"allow more locked memory: ulimit -l unlimited, or sysctl kernel.perf_event_mlock_kb=2048");
	return code;
}

void perf_set_map_none(struct perf_set *set)
{
	if (set->ring)
		return;
	set->ring = mem_array(set->cpus, sizeof(*set->ring));
	set->poll_thread = mem_array(set->cpus, sizeof(*set->poll_thread));
	set->owner = mem_array(set->cpus, sizeof(*set->owner));
	for (uint32_t cpu = 0; cpu < set->cpus; cpu++)
		set->owner[cpu] = -1;
}

/* The wake-up mark of a ring is an attribute of its owner, so owners are opened again if the rings become smaller. */
int perf_set_map(struct perf_set *set, pid_t tid, uint64_t want, uint64_t least, struct error *err)
{
	uint64_t size = want, opened_for = 0;
	int code;

	set->is_mapped = false;
	perf_set_map_none(set);
	while (opened_for != size) {
		unmap_all(set);
		forget_from(set, 0);
		add_slots(set);
		set->spec[0].attr.wakeup_watermark = (uint32_t)(size / 4);
		opened_for = size;
		code = open_spec(set, 0, tid, err);
		if (!code) {
			code = map_largest(set, &size, least);
			code = code ? refuse_rings(set, code, size, err) : 0;
		}
		if (code) {
			unmap_all(set);
			forget_from(set, 0);
			return code;
		}
	}
	map_spares(set);
	set->is_mapped = true;
	return 0;
}

/* Enabling a group leader enables its group, and all events inherited from it. */
int perf_set_enable(const struct perf_set *set, bool is_on, struct error *err)
{
	unsigned long request = is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (uint32_t slot = 0; slot < set->fds; slot++) {
		const struct perf_spec *spec = &set->spec[slot / set->cpus % set->specs];

		if (set->fd[slot] < 0)
			continue;
		if (ioctl(set->fd[slot], request, PERF_IOC_FLAG_GROUP) && is_on)
			return error_set(err, errno, "cannot enable event %s", spec->name);
	}
	return 0;
}

void perf_set_enable_task(const struct perf_set *set)
{
	for (uint32_t cpu = 0; cpu < set->cpus; cpu++)
		ioctl(set->fd[perf_set_slot(set, set->threads - 1, 0, cpu)], PERF_EVENT_IOC_ENABLE,
		      0);
}

void perf_set_enable_from(const struct perf_set *set, uint32_t thread)
{
	/* Ends of calls are enabled before begins, so that every begin has its end. */
	for (uint32_t slot = set->fds; slot-- > perf_set_slot(set, thread, 0, 0);)
		if (set->fd[slot] >= 0)
			ioctl(set->fd[slot], PERF_EVENT_IOC_ENABLE, 0);
}

int perf_set_poll_fd(const struct perf_set *set, uint32_t cpu)
{
	/* The mutex may be locked although the set is const. */
	struct perf_set *shared = (struct perf_set *)(uintptr_t)set;
	uint32_t thread;
	int fd;

	pthread_mutex_lock(&shared->mutex);
	thread = set->poll_thread[cpu];
	fd = thread < set->threads ? set->fd[perf_set_slot(set, thread, 0, cpu)] : -1;
	pthread_mutex_unlock(&shared->mutex);
	return fd;
}

void perf_set_poll_next(struct perf_set *set, uint32_t cpu)
{
	pthread_mutex_lock(&set->mutex);
	if (set->poll_thread[cpu] < set->threads)
		set->poll_thread[cpu]++;
	pthread_mutex_unlock(&set->mutex);
}
