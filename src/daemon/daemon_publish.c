/* daemon_publish: see daemon_publish.h. */
#include "daemon_publish.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/exposition.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/publisher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DIRECTORY_MODE = 0755,
	OTHERS_WRITE = 022,
	FILE_MODE = 0644,
	LOCK_MODE = 0600,
	LOCK_TRIES = 5,
	NS_TO_TRY = 20000000,
	PID_MOST = 24,
	BOOT_ID = 40
};

static const uint64_t retry_ns = 10000000000;

/* Whoever may write there could show readers other numbers. */
static int check_owner(const char *path, int fd, struct error *err)
{
	struct stat status;

	if (fstat(fd, &status))
		return error_set(err, errno, "%s", path);
	if (status.st_uid != geteuid() || status.st_mode & OTHERS_WRITE) {
		error_say(err, EPERM,
			  "%s: other users may write there, or it belongs to another one", path);
		error_hint(err, "Choose a directory of this user with --directory.");
		return -EPERM;
	}
	return 0;
}

/* A reader that asks whether the file is locked holds the lock for a moment. */
static bool try_lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		probe_sleep_until(probe_now() + NS_TO_TRY);
	}
	return false;
}

/* Whoever may open the file could hold the lock, and so keep a daemon from starting. */
static int lock_directory(int dir, const char *path, struct error *err)
{
	char text[PID_MOST] = "";
	int fd = openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, LOCK_MODE);

	if (fd < 0)
		return error_set(err, errno, "%s/lock", path);
	if (try_lock(fd)) {
		if (fchmod(fd, LOCK_MODE) || ftruncate(fd, 0) ||
		    dprintf(fd, "%d\n", (int)getpid()) < 0)
			log_info("%s/lock: it does not say who holds it: %s", path,
				 strerror(errno));
		return fd;
	}
	if (read(fd, text, sizeof(text) - 1) > 0)
		text[strspn(text, "0123456789")] = '\0';
	close(fd);
	error_say(err, EBUSY, "another iotrace daemon (process %s) publishes in %s",
		  *text ? text : "unknown", path);
	error_hint(err, "Stop it, or choose another directory with --directory.");
	return -EBUSY;
}

static int open_directory(struct daemon_publish *publish, struct error *err)
{
	const char *path = publish->options->directory;
	int dir, code;

	if (mkdir(path, DIRECTORY_MODE) && errno != EEXIST)
		return error_set(err, errno, "cannot create %s", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_set(err, errno, "%s", path);
	code = check_owner(path, dir, err);
	publish->lock = code ? code : lock_directory(dir, path, err);
	close(dir);
	return publish->lock < 0 ? publish->lock : 0;
}

static void open_files(struct daemon_publish *publish)
{
	const struct daemon_options *options = publish->options;
	char boot_id[BOOT_ID];
	const struct publisher_options now = {.directory = options->directory,
					      .name = "stat",
					      .magic = PUBLICATION_MAGIC,
					      .boot_id = boot_id,
					      .slots = PUBLICATION_SLOTS,
					      .rows = PUBLICATION_ROWS,
					      .row_size = sizeof(struct publication_row),
					      .interval = options->interval,
					      .start = publish->start};
	struct publisher_options past = now;
	struct error err = {0};
	bool is_again = publish->retry;

	probe_boot_id(boot_id, sizeof(boot_id));
	past.name = "history";
	past.magic = HISTORY_MAGIC;
	past.slots = HISTORY_SLOTS;
	past.rows = HISTORY_ROWS;
	past.row_size = sizeof(struct history_row);
	past.interval = options->interval * HISTORY_STEP;
	if (!publish->now)
		publish->now = publisher_open(&now, &err);
	if (publish->now && !publish->past)
		publish->past = publisher_open(&past, &err);
	publish->retry = probe_now() + retry_ns;
	if (err.code && !is_again)
		log_warn("%s; it is tried again every 10 s", err.text);
	else if (!err.code && is_again)
		log_warn("%s is published again", options->directory);
}

int daemon_publish_open(struct daemon_publish *publish, const struct daemon_options *options,
			const struct totals *totals, struct error *err)
{
	int code;

	*publish = (struct daemon_publish){.options = options,
					   .totals = totals,
					   .start = probe_realtime(),
					   .lock = -1};
	code = open_directory(publish, err);
	if (code)
		return code;
	publish->steps = steps_new();
	open_files(publish);
	return 0;
}

static int write_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	int code = fd < 0 ? -errno : place_write_all(fd, text, size);

	if (fd >= 0 && close(fd) && !code)
		code = -errno;
	return code;
}

/* A reader never sees half a file. */
static void write_metrics(struct daemon_publish *publish)
{
	const char *path = publish->options->metrics_file;
	char *text = NULL, *beside = mem_format("%s.new", path);
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = out ? 0 : -errno;

	if (out) {
		exposition_print(publish->totals, probe_now(), true, out);
		fclose(out);
		code = write_file(beside, text, size);
	}
	if (!code && rename(beside, path))
		code = -errno;
	if (code && !publish->has_failed)
		log_warn("cannot write the metrics into %s: %s", path, strerror(-code));
	publish->has_failed = code;
	free(beside);
	free(text);
}

void daemon_publish_uncounted(struct daemon_publish *publish)
{
	publish->uncounted_since = totals_slot(publish->totals)->monotonic;
	if (publish->now)
		publisher_uncounted(publish->now, publish->uncounted_since, publish->uncounted);
}

static void see_counted(struct daemon_publish *publish)
{
	uint64_t from = totals_slot(publish->totals)->from;

	if (!publish->uncounted_since)
		return;
	if (from > publish->uncounted_since)
		publish->uncounted += from - publish->uncounted_since;
	publish->uncounted_since = 0;
	if (publish->now)
		publisher_uncounted(publish->now, 0, publish->uncounted);
}

void daemon_publish_put(struct daemon_publish *publish)
{
	bool is_step = steps_add(publish->steps, publish->totals);

	if ((!publish->now || !publish->past) && probe_now() >= publish->retry)
		open_files(publish);
	see_counted(publish);
	if (publish->now)
		totals_publish(publish->totals, publish->now);
	if (publish->past && is_step)
		steps_publish(publish->steps, publish->past);
	if (publish->options->metrics_file)
		write_metrics(publish);
}

void daemon_publish_close(struct daemon_publish *publish)
{
	publisher_close(publish->now);
	publisher_close(publish->past);
	steps_free(publish->steps);
	if (publish->lock >= 0)
		close(publish->lock);
	*publish = (struct daemon_publish){.lock = -1};
}
