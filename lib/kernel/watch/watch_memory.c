/* watch_memory: see watch_memory.h. A job belongs to its thread until that has answered. */
#include "watch_memory.h"

#include "clock.h"

#include <fcntl.h>
#include <iotrace/mem.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	JOBS = 64,
	FEW = 4,
	PATH_SIZE = 64,
	PATIENCE_MS = 200,
	NS_PER_MS = 1000000,
	NS_PER_S = 1000000000
};

static const uint64_t is_in_memory = UINT64_C(1) << 63; /* in an entry of /proc/PID/pagemap */

struct job {
	struct watch_memory *of;
	bool is_used, is_done, is_left;
	uint32_t pid, tid;
	struct watch_paths paths;
};

struct watch_memory {
	pthread_mutex_t mutex;
	pthread_cond_t done;
	struct job job[JOBS];
};

static int open_of(const struct job *job, const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", job->pid, job->tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool is_present(int pagemap, uint64_t page)
{
	uint64_t entry;

	return pread(pagemap, &entry, sizeof(entry), (off_t)(page * sizeof(entry))) ==
		       sizeof(entry) &&
	       entry & is_in_memory;
}

/* Returns whether the text ends within WATCH_FILE bytes, as every path does. */
static bool read_text(int pagemap, int memory, uint64_t address, char *text)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t length = 0, part;

	for (; length < WATCH_FILE; length += part) {
		uint64_t at = address + length;

		part = page - at % page;
		if (part > WATCH_FILE - length)
			part = WATCH_FILE - length;
		if (!is_present(pagemap, at / page) ||
		    pread(memory, text + length, part, (off_t)at) != (ssize_t)part)
			return false;
		if (memchr(text + length, '\0', part))
			return true;
	}
	return false;
}

static void read_all(struct job *job)
{
	struct watch_paths *paths = &job->paths;
	int pagemap = open_of(job, "pagemap"), memory = open_of(job, "mem");

	for (int i = 0; i < WATCH_PATHS; i++)
		if (paths->address[i])
			paths->is_known[i] = read_text(pagemap, memory, paths->address[i],
						       paths->text[i]);
	if (pagemap >= 0)
		close(pagemap);
	if (memory >= 0)
		close(memory);
}

static void *reader(void *context)
{
	struct job *job = context;
	struct watch_memory *memory = job->of;

	read_all(job);
	pthread_mutex_lock(&memory->mutex);
	job->is_done = true;
	if (job->is_left)
		job->is_used = false;
	pthread_cond_signal(&memory->done);
	pthread_mutex_unlock(&memory->mutex);
	return NULL;
}

static bool start(struct job *job)
{
	pthread_attr_t detached;
	pthread_t thread;
	bool is_started;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	is_started = !pthread_create(&thread, &detached, reader, job);
	pthread_attr_destroy(&detached);
	return is_started;
}

/* Needs the mutex. Returns NULL if all are in use, or if one waits for this process. Counts those in use. */
static struct job *free_job(struct watch_memory *memory, uint32_t pid, unsigned *used)
{
	struct job *found = NULL;

	*used = 0;
	for (int i = 0; i < JOBS; i++) {
		struct job *job = &memory->job[i];

		if (job->is_used && job->pid == pid)
			return NULL;
		*used += job->is_used;
		if (!job->is_used)
			found = job;
	}
	return found;
}

/* The more threads were left behind, the shorter: even if all are, that takes no longer than three seconds. */
static struct timespec end_of_patience(unsigned left_behind)
{
	uint64_t patience = (uint64_t)PATIENCE_MS * NS_PER_MS / (1 + left_behind / FEW);
	uint64_t at = clock_now() + patience;

	return (struct timespec){(time_t)(at / NS_PER_S), (long)(at % NS_PER_S)};
}

/* Needs the mutex, which the thread of the job gets meanwhile. */
static void await(struct job *job, const struct timespec *until, struct watch_paths *paths)
{
	while (!job->is_done && !pthread_cond_timedwait(&job->of->done, &job->of->mutex, until))
		;
	if (job->is_done)
		*paths = job->paths;
	job->is_left = !job->is_done;
	job->is_used = job->is_left;
}

struct watch_memory *watch_memory_new(void)
{
	struct watch_memory *memory = mem_zero(sizeof(*memory));
	pthread_condattr_t monotonic;

	pthread_mutex_init(&memory->mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&memory->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return memory;
}

void watch_memory_read(struct watch_memory *memory, const struct watch_task *task,
		       struct watch_paths *paths)
{
	struct timespec until;
	unsigned left_behind;
	struct job *job;

	for (int i = 0; i < WATCH_PATHS; i++)
		paths->is_known[i] = !paths->address[i];
	pthread_mutex_lock(&memory->mutex);
	job = free_job(memory, task->pid, &left_behind);
	if (job) {
		*job = (struct job){memory, true, .pid = task->pid, .tid = task->tid,
				    .paths = *paths};
		until = end_of_patience(left_behind);
		if (start(job))
			await(job, &until, paths);
		else
			job->is_used = false;
	}
	pthread_mutex_unlock(&memory->mutex);
}
