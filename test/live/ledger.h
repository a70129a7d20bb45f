/*
 * ledger: what a workload did, by its own account.
 *
 * Every call of interest goes through CALL(), which makes it by number and notes its name and
 * errno. What the call meant for a file is noted by an on_…() around it; the workload says which
 * file and which offset, so nothing here repeats what a tracer has to find out. ledger_close()
 * appends one JSON line to the file named by $LEDGER.
 *
 * A call that nothing else uses, the mark, stands before the first and behind the last noted call:
 * a reader of the archive compares what lies between, and so need not know what the C library did
 * before and after. A new process is between its parent's marks from the beginning; so one with an
 * odd number of marks began there.
 */
#ifndef LEDGER_H
#define LEDGER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "old_calls.h"

enum { LEDGER_CALLS = 512, LEDGER_FILES = 128, LEDGER_MERGES = 8, LEDGER_FLAGS = 16 };

/* Offsets that are no number: not expected in the archive, and not to be compared for this file. */
enum { NO_OFFSET = -1, ANY_OFFSET = -2 };

/*
 * Names of what is no file of the workload: anything without a path of its own, and sync()'s "every
 * file".
 */
#define OTHER "other"
#define EVERY "*"

enum ledger_sum {
	SUM_OPENS,
	SUM_DUPS,
	SUM_CLOSES,
	SUM_READS,
	SUM_READ_BYTES,
	SUM_READS_UNSIZED,
	SUM_WRITES,
	SUM_WRITTEN_BYTES,
	SUM_WRITES_UNSIZED,
	SUM_FLUSHES,
	SUM_SEEKS,
	SUM_FLAG_CHANGES,
	SUM_LOCKS,
	SUM_UNLOCKS,
	SUM_LOCKS_TRIED,
	SUM_TOUCHES,
	SUM_OFFSETS,
	SUM_OFFSET_TOTAL,
	SUM_ANY_OFFSET,
	SUM_DELETES,
	SUMS
};

struct ledger_call {
	const char *name;
	int error;
	uint64_t count;
};

struct ledger_file {
	const char *path;
	int64_t sum[SUMS];
	int flags[LEDGER_FLAGS]; /* with which it was opened, time after time */
};

static struct {
	volatile char lock;
	int fd;
	int calls, files, merges;
	struct ledger_call call[LEDGER_CALLS];
	struct ledger_file file[LEDGER_FILES];
	const char *merge[LEDGER_MERGES];
} ledger;

static inline void ledger_lock(void)
{
	while (__atomic_test_and_set(&ledger.lock, __ATOMIC_ACQUIRE))
		continue;
}

static inline void ledger_unlock(void)
{
	__atomic_clear(&ledger.lock, __ATOMIC_RELEASE);
}

static inline void ledger_die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static inline void ledger_note(const char *name, int error)
{
	int i;

	ledger_lock();
	for (i = 0; i < ledger.calls; i++)
		if (ledger.call[i].error == error && !strcmp(ledger.call[i].name, name))
			break;
	if (i == LEDGER_CALLS)
		ledger_die("too many kinds of calls");
	if (i == ledger.calls)
		ledger.call[ledger.calls++] = (struct ledger_call){name, error, 0};
	ledger.call[i].count++;
	ledger_unlock();
}

/* With the lock held. */
static inline struct ledger_file *ledger_file(const char *path)
{
	int i;

	for (i = 0; i < ledger.files; i++)
		if (!strcmp(ledger.file[i].path, path))
			break;
	if (i == LEDGER_FILES)
		ledger_die("too many files");
	if (i == ledger.files)
		ledger.file[ledger.files++] = (struct ledger_file){.path = path};
	return &ledger.file[i];
}

static inline void ledger_add(const char *path, enum ledger_sum sum, int64_t value)
{
	ledger_lock();
	ledger_file(path)->sum[sum] += value;
	ledger_unlock();
}

/* Makes the call and notes it. Returns the result, or -1 with errno. */
static inline long ledger_call(const char *name, long number, long a, long b, long c, long d,
			       long e, long f)
{
	long arg[] = {a, b, c, d, e, f}, result;
	int error;

	name = old_call(name, &number, arg);
	result = syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	error = result == -1 ? errno : 0;
	ledger_note(name, error);
	errno = error;
	return result;
}

#define CALL_6(name, a, b, c, d, e, f, ...)                                                        \
	ledger_call(#name, SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),      \
		    (long)(f))
#define CALL(name, ...) CALL_6(name, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* The call must fail with this error; a workload that does not do what it says is worth nothing. */
static inline void fails(long result, int error, const char *what)
{
	if (result != -1 || errno != error) {
		fprintf(stderr, "workload: %s: result %ld, %s instead of %s\n", what, result,
			strerror(errno), strerror(error));
		_exit(98);
	}
}
#define FAILS(error, result) fails(result, error, #result)

static inline long works(long result, const char *what)
{
	if (result == -1)
		ledger_die(what);
	return result;
}
#define WORKS(result) works(result, #result)

static inline void gives(long result, long expected, const char *what)
{
	if (result != expected) {
		fprintf(stderr, "workload: %s: %ld instead of %ld (%s)\n", what, result, expected,
			strerror(errno));
		_exit(97);
	}
}
#define GIVES(expected, result) gives(result, expected, #result)

static inline void ledger_offset(const char *path, int64_t offset)
{
	if (offset >= 0) {
		ledger_add(path, SUM_OFFSETS, 1);
		ledger_add(path, SUM_OFFSET_TOTAL, offset);
	} else if (offset == ANY_OFFSET) {
		ledger_add(path, SUM_ANY_OFFSET, 1);
	}
}

/* What only a recorder sees that looks at the file itself: where an O_APPEND write began. */
static inline int64_t in_the_kernel(int64_t offset)
{
	const char *source = getenv("IOTRACE_SOURCE");

	return source && !strcmp(source, "bpf") ? offset : NO_OFFSET;
}

static inline long on_read(const char *path, int64_t offset, long result)
{
	int error = errno;

	ledger_add(path, SUM_READS, 1);
	ledger_add(path, result < 0 ? SUM_READS_UNSIZED : SUM_READ_BYTES, result < 0 ? 1 : result);
	ledger_offset(path, offset);
	errno = error;
	return result;
}

static inline long on_write(const char *path, int64_t offset, long result)
{
	int error = errno;

	ledger_add(path, SUM_WRITES, 1);
	ledger_add(path, result < 0 ? SUM_WRITES_UNSIZED : SUM_WRITTEN_BYTES,
		   result < 0 ? 1 : result);
	ledger_offset(path, offset);
	errno = error;
	return result;
}

/* A call that reads from one and writes to the other. */
static inline long on_copy(const char *from, int64_t from_offset, const char *to, int64_t to_offset,
			   long result)
{
	on_read(from, from_offset, result);
	return on_write(to, to_offset, result);
}

/* A transfer that does not tell how many bytes it moved. */
static inline long on_unsized(const char *path, bool is_read, long result)
{
	ledger_add(path, is_read ? SUM_READS : SUM_WRITES, 1);
	ledger_add(path, is_read ? SUM_READS_UNSIZED : SUM_WRITES_UNSIZED, 1);
	return result;
}

static inline long on_flush(const char *path, long result)
{
	int error = errno;

	ledger_add(path, SUM_FLUSHES, 1);
	errno = error;
	return result;
}

/* The rest happens only if the call works. */
static inline long on_success(const char *path, enum ledger_sum sum, long result)
{
	if (result != -1)
		ledger_add(path, sum, 1);
	return result;
}

static inline long on_open(const char *path, int flags, long result)
{
	if (result == -1)
		return result;
	ledger_lock();
	struct ledger_file *file = ledger_file(path);

	if (file->sum[SUM_OPENS] < LEDGER_FLAGS)
		file->flags[file->sum[SUM_OPENS]] = flags;
	file->sum[SUM_OPENS]++;
	ledger_unlock();
	return result;
}

#define on_dup(path, result)   on_success(path, SUM_DUPS, result)
#define on_close(path, result) on_success(path, SUM_CLOSES, result)
#define on_seek(path, result)  on_success(path, SUM_SEEKS, result)
#define on_lock(path, result)  on_success(path, SUM_LOCKS, result)
/* Its name goes: told by the archive if the path could be read, which is tried but not promised. */
#define on_delete(path, result) on_success(path, SUM_DELETES, result)
#define on_unlock(path, result) on_success(path, SUM_UNLOCKS, result)

/* A call that names the file by a descriptor and has no record of its own: it may also fail. */
static inline long on_touch(const char *path, long result)
{
	int error = errno;

	ledger_add(path, SUM_TOUCHES, 1);
	errno = error;
	return result;
}

/*
 * The name of this file may remain unknown in this process: what is booked on OTHER counts as well.
 */
static inline void ledger_merge(const char *path)
{
	if (ledger.merges == LEDGER_MERGES)
		ledger_die("too many merges");
	ledger.merge[ledger.merges++] = path;
}

/* Returns the absolute path of a file of the workload's directory, $WORK; kept for good. */
static inline const char *in(const char *name)
{
	static char text[8192];
	static size_t used;
	char *path;

	ledger_lock();
	path = text + used;
	used += (size_t)snprintf(path, sizeof(text) - used, "%s/%s", getenv("WORK"), name) + 1;
	if (used >= sizeof(text))
		ledger_die("too many names");
	ledger_unlock();
	return path;
}

/* A name is looked up after the open: who wants to see it keeps the file open for so long. */
static inline void nap(void)
{
	struct timespec t = {0, 25000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		continue;
}

static inline void ledger_mark(void)
{
	syscall(SYS_lremovexattr, 0, 0);
}

static inline void ledger_open(void)
{
	if (!getenv("LEDGER") || !getenv("WORK") || chdir(getenv("WORK")))
		ledger_die("LEDGER or WORK is not set");
	ledger.fd = open(getenv("LEDGER"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (ledger.fd < 0)
		ledger_die(getenv("LEDGER"));
	ledger_mark();
}

/* In a new process, which has done nothing yet and is recorded from its first call. */
static inline void ledger_child(void)
{
	ledger.lock = 0;
	ledger.calls = ledger.files = ledger.merges = 0;
}

static inline void ledger_print_calls(FILE *out)
{
	for (int i = 0; i < ledger.calls; i++)
		fprintf(out, "%s[\"%s\",%d,%llu]", i ? "," : "", ledger.call[i].name,
			ledger.call[i].error, (unsigned long long)ledger.call[i].count);
}

static inline void ledger_print_files(FILE *out)
{
	static const char *const key[SUMS] = {
		"opens",         "dups",         "closes",        "reads",          "read_bytes",
		"reads_unsized", "writes",       "written_bytes", "writes_unsized", "flushes",
		"seeks",         "flag_changes", "locks",         "unlocks",        "locks_tried",
		"touches",       "offsets",      "offset_total",  "any_offset",     "deletes",
	};

	for (int i = 0; i < ledger.files; i++) {
		fprintf(out, "%s\"%s\":{", i ? "," : "", ledger.file[i].path);
		for (int sum = 0; sum < SUMS; sum++)
			fprintf(out, "%s\"%s\":%lld", sum ? "," : "", key[sum],
				(long long)ledger.file[i].sum[sum]);
		fprintf(out, ",\"flags\":[");
		for (int n = 0; n < ledger.file[i].sum[SUM_OPENS] && n < LEDGER_FLAGS; n++)
			fprintf(out, "%s%d", n ? "," : "", usual_flags(ledger.file[i].flags[n]));
		fprintf(out, "]}");
	}
}

/*
 * Ends the noted part and writes it down. In one write, so that lines of two processes do not mix.
 */
static inline void ledger_close(void)
{
	static char line[1 << 17];
	FILE *out;

	ledger_mark();
	out = fmemopen(line, sizeof(line), "w");
	if (!out)
		ledger_die("fmemopen");
	fprintf(out, "{\"pid\":%d,\"calls\":[", getpid());
	ledger_print_calls(out);
	fprintf(out, "],\"files\":{");
	ledger_print_files(out);
	fprintf(out, "},\"merge\":[");
	for (int i = 0; i < ledger.merges; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", ledger.merge[i]);
	fprintf(out, "]}\n");
	if (fclose(out))
		ledger_die("ledger: too long");
	if (write(ledger.fd, line, strlen(line)) != (ssize_t)strlen(line))
		ledger_die(getenv("LEDGER"));
}

#endif
