/*
 * live: a recording as its caller sees it: open, start, follow, wait, close.
 *
 * The child is forked first, so it has the caller's signals, limits and descriptors. Everything that is opened later is
 * close-on-exec. live_close() accepts a recording that failed at any step.
 */
#include "state/live_state.h"

#include "command/notify.h"
#include "live_guest.h"
#include "live_setup.h"
#include "load/bpf_source.h"
#include "round/live_control.h"
#include "round/live_facts.h"
#include "round/live_members.h"
#include "round/live_request.h"
#include "round/live_round.h"
#include "source/live_perf.h"
#include "source/live_reopen.h"
#include "source/live_span.h"
#include "state/live_lookup_threads.h"
#include "state/live_put.h"
#include "state/live_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS_LEAST = 12 };

/* Returns a descriptor of the process; -1 if the kernel has none (before Linux 5.3); or another -errno with a message. */
static int open_pid(pid_t pid, struct error *err)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0); /* it is close-on-exec */
	int code = errno;

	if (fd >= 0)
		return fd;
	if (code == EINVAL)
		error_say(err, code, "%d is a thread; give the id of its process", (int)pid);
	else if (code == ESRCH || (kill(pid, 0) && errno == ESRCH))
		error_say(err, ESRCH, "no process %d", (int)pid);
	else if (code == EMFILE)
		error_set(err, code, "process %d: pidfd_open", (int)pid);
	return -1;
}

static int open_pids(struct live *live, struct error *err)
{
	const struct number_list *pids = &live->recording->pids;

	live->pid_fd = mem_array(pids->count, sizeof(*live->pid_fd));
	for (uint32_t i = 0; i < pids->count; i++) {
		int fd = open_pid((pid_t)pids->item[i], err);

		if (err->code)
			return -err->code;
		live->pid_fd[live->pid_fds++] = fd;
	}
	return 0;
}

/* Raises limits for iotrace only: the command was forked before. */
static void raise_limits(void)
{
	static const enum __rlimit_resource limits[] = {RLIMIT_NOFILE, RLIMIT_MEMLOCK};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit;

		if (getrlimit(limits[i], &limit) || limit.rlim_cur == limit.rlim_max)
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(limits[i], &limit);
	}
}

static struct live *live_new(const struct live_options *options)
{
	struct live *live = mem_zero(sizeof(*live));
	pthread_condattr_t monotonic;

	live->options = options;
	live->recording = options->recording;
	live->is_confined = options->is_confined;
	live->block = options->recording->blocks.choice;
	live->round_ms = LIVE_ROUND_MS;
	live->proc.root = live->sys.root = live->tracefs.dir = live->signal_fd = live->wake_fd =
		live->stop_fd = -1;
	live->hotplug_fd = live->spool_fd = -1;
	live->takes_snapshots = options->takes_snapshots;
	live->end = LIVE_RUNNING;
	live->scratch = mem_alloc(PERF_RECORD_BYTES);
	command_init(&live->command);
	command_init(&live->placeholder);
	live_guest_init(&live->guest);
	live->host = options->host;
	ring_sources_init(&live->sources);
	uprobes_init(&live->uprobes);
	perf_set_init(&live->set);
	ring_sources_add(&live->sources, &live_perf_ops, live);
	opener_init(&live->reopen.opener);
	control_server_init(&live->control_server);
	marks_init(&live->marks);
	capture_info_init(&live->info);
	priority_init_mutex(&live->mutex);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&live->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return live;
}

/* All threads of iotrace inherit this name, so the kernel can exclude their events with one comparison. */
static void take_name(struct live *live)
{
	pthread_getname_np(pthread_self(), live->old_name, sizeof(live->old_name));
	snprintf(live->own_name, sizeof(live->own_name), "iotrace:%d", (int)getpid());
	pthread_setname_np(pthread_self(), live->own_name);
}

/* The archive and look-ups in /proc need descriptors later, so a limit that is too low is refused now. */
static int check_descriptors(const struct live *live, struct error *err)
{
	int fd[DESCRIPTORS_LEAST], opened = 0, code = 0;

	while (!code && opened < DESCRIPTORS_LEAST) {
		fd[opened] = fcntl(live->sys.root, F_DUPFD_CLOEXEC, 0);
		code = fd[opened] < 0 ? errno : 0;
		opened += !code;
	}
	while (opened)
		close(fd[--opened]);
	return code ? error_set(err, code, "files of the archive") : 0;
}

/* Everything that needs raised rights. It opens no file that the user has named. */
static int setup_events(struct live *live, struct error *err)
{
	int code;

	confine_raise();
	code = live_setup_events(live, err);
	if (!code)
		code = live_setup_capture(live, err);
	if (!code)
		live_reopen_start(live);
	if (!code && live->options->is_confined)
		confine_drop(live->host);
	confine_lower();
	return code;
}

int live_keep_ready_fd(int fd, struct error *err)
{
	return notify_keep(fd, err) ? error_wrap(err, "--ready-fd") : 0;
}

/* The caller frees it. */
static char *absolute(const char *path)
{
	char *directory = path[0] == '/' ? NULL : realpath(".", NULL);
	char *whole = directory ? mem_format("%s/%s", directory, path) : mem_strdup(path);

	free(directory);
	return whole;
}

/* This process waits like a command before its release, and ends with iotrace. */
static int start_placeholder(struct live *live, struct error *err)
{
	static char name[] = "iotrace";
	char *const argv[] = {name, NULL};

	return command_fork(&live->placeholder, argv, &live->signals, err);
}

static int fork_command(struct live *live, char *const argv[], struct error *err)
{
	int code = live->recording->has_marks ? marks_open(&live->marks, err) : 0;

	live->command.mark_fd = live->marks.writer;
	if (!code)
		code = command_fork(&live->command, argv, &live->signals, err);
	marks_give(&live->marks);
	return code;
}

static int setup(struct live *live, struct error *err)
{
	char *const *argv = live->recording->argv;
	int code = live_take_signals(live, err);

	if (!code)
		code = argv ? fork_command(live, argv, err) : open_pids(live, err);
	if (!code && live->options->host_socket)
		return live_guest_join(live, live->options->host_socket,
				       live->options->join_options, err);
	if (!code && live->host)
		code = start_placeholder(live, err);
	if (code)
		return code;
	live->capture = absolute(live->options->spool_path);
	raise_limits();
	if (live->recording->is_system) {
		take_name(live);
		/* Until the threads are created: the conversion is not urgent. */
		priority_lower_nice(&live->nice);
	}
	code = procfs_open(&live->proc, "/proc", err);
	if (!code)
		code = procfs_open(&live->sys, "/sys", err);
	if (!code)
		code = live_setup_cgroups(live, err);
	if (!code)
		code = setup_events(live, err);
	if (!code)
		code = live_setup_spool(live, err);
	return code ? code : check_descriptors(live, err);
}

struct live *live_open(const struct live_options *options, struct error *err)
{
	struct live *live = live_new(options);
	struct error why = {0};

	if (!setup(live, &why)) {
		live->options = NULL;
		return live;
	}
	live_close(live, NULL);
	if (err)
		*err = why;
	return NULL;
}

/* The control thread waits until all earlier records are in the spool. */
static int start_control(struct live *live, struct error *err)
{
	int code = pthread_create(&live->control, NULL, live_control, live);

	if (code)
		return error_set(err, code, "cannot create the thread that drains the rings");
	live->has_control = true;
	return 0;
}

static void log_source(const struct live *live)
{
	uint64_t size = live->bpf.source ? bpf_source_ring(live->bpf.source, 0)->size
					 : live->set.ring[0].size;

	log_info("recording through %s, with rings of %llu KiB on %u CPUs",
		 live->bpf.source ? "BPF" : "perf", (unsigned long long)size >> 10,
		 live->set.online);
}

/*
 * A command cannot open anything before its release; running processes are looked up while events flow. The threads of iotrace
 * are created before the events are enabled, so their begin is not recorded.
 */
static int start(struct live *live, struct error *err)
{
	int code;

	live_facts_begin(live);
	live_requests_open(live);
	live_put_facts(live);
	code = live->bpf.source ? 0 : live_start_lookup_threads(live, err);
	if (!code)
		code = start_control(live, err);
	if (!code)
		code = ring_sources_open(&live->sources, err);
	if (code)
		return code;
	live_requests_begin(live);
	live_facts_on(live);
	live_facts_state(live);
	live_round(live);
	live->round_ms = LIVE_ROUND_MS; /* so that the first round is not taken for an idle one */
	if (live->command.pid)          /* the command begins now */
		live_requests_begin(live);
	log_source(live); /* before the rings may be closed: the recording may end at once */
	live_let_go(live);
	return 0;
}

/* The recording works without the seccomp filter, and many machines lack it, so there is no warning. */
static void confine(const struct live *live)
{
	int code;

	if (!live->is_confined)
		return;
	confine_forget(CAP_SYS_NICE); /* all threads have their priority now */
	code = confine_filter(live->command.pid);
	if (code)
		log_info("system calls are not confined: %s", strerror(-code));
}

/* If the reader has gone, the recording continues. */
static void notify_ready(const struct live *live)
{
	static const char word[] = "ready\n";
	int fd = live->recording->ready_fd, code;

	if (!fd)
		return;
	code = notify(fd, word, sizeof(word) - 1);
	if (code)
		log_info("--ready-fd %d: %s", fd, strerror(-code));
	close(fd);
}

/*
 * The threads that look up and drain keep the remaining rights. The calling thread drops them, because it opens files that the
 * user named.
 */
int live_start(struct live *live, struct error *err)
{
	int code;

	if (live->guest.is_one) {
		notify_ready(live);
		return command_release(&live->command, err);
	}
	confine_raise();
	code = start(live, err);
	priority_restore_nice(&live->nice);
	confine_lower();
	if (code)
		return code;
	confine(live);
	notify_ready(live);
	return live->command.pid ? command_release(&live->command, err) : 0;
}

int live_spool(const struct live *live)
{
	return live->spool_fd;
}

uint64_t live_round_end(const struct live *live)
{
	return spool_round(live->spool);
}

void live_forget(struct live *live, uint64_t offset, uint64_t read)
{
	spool_forget(live->spool, offset, read);
}

enum live_ask live_next_ask(struct live *live, uint64_t *time)
{
	for (int ask = LIVE_ASK_SIGNAL; ask <= LIVE_ASK_COMMAND; ask++) {
		*time = atomic_exchange(&live->asked[ask], 0);
		if (*time)
			return (enum live_ask)ask;
	}
	return LIVE_ASK_NONE;
}

void live_keep_spool(struct live *live)
{
	spool_keep(live->spool);
}

uint64_t live_available(void *live, uint64_t have)
{
	return spool_available(((struct live *)live)->spool, have);
}

bool live_await(struct live *live, uint64_t have, uint64_t until)
{
	return spool_await(live->spool, have, until);
}

int live_wait(struct live *live, int *exec_errno)
{
	*exec_errno = 0;
	if (!live->command.pid)
		return -1;
	if (live->has_control)
		live_wait_for_end(live);
	live_guest_wait(live);
	while (live_command_runs(live)) {
		struct pollfd signal = {.fd = live->signal_fd, .events = POLLIN};

		poll(&signal, 1, -1);
		live_read_signals(live);
	}
	*exec_errno = command_exec_error(&live->command);
	return live->command.status;
}

static void end_for(struct live *live, atomic_bool *reason)
{
	uint64_t one = 1;

	atomic_store(reason, true);
	/* If the counter is full, the descriptor is readable, which is enough. */
	if (write(live->wake_fd, &one, sizeof(one)) < 0)
		atomic_store(reason, true);
}

void live_look(struct live *live, uint64_t age)
{
	uint64_t one = 1;

	atomic_store(&live->wanted_age, age + 1);
	/* If the counter is full, the descriptor is readable, which is enough. */
	if (write(live->wake_fd, &one, sizeof(one)) < 0)
		atomic_store(&live->wanted_age, age + 1);
}

void live_end_at_limit(struct live *live)
{
	end_for(live, &live->is_limited);
}

static void stop(struct live *live)
{
	if (!live->has_control)
		return;
	live_let_go(live);
	end_for(live, &live->is_stopping);
	pthread_join(live->control, NULL);
	live->has_control = false;
}

int live_close(struct live *live, struct error *err)
{
	int code;

	if (!live)
		return 0;
	stop(live);
	code = spool_close(live->spool, err);
	command_close(&live->command);
	command_close(&live->placeholder);
	live_guest_release(&live->guest);
	live_members_release(live);
	live_span_close(live);
	ring_sources_close(&live->sources);
	uprobes_close(&live->uprobes);
	live_requests_close(live);
	marks_release(&live->marks);
	live_reopen_close(live);
	lookup_release(&live->lookup);
	lookup_base_release(&live->base);
	facts_release(&live->facts);
	capture_info_release(&live->info);
	tracefs_close(&live->tracefs);
	procfs_close(&live->proc);
	procfs_close(&live->sys);
	if (live->hotplug_fd >= 0)
		close(live->hotplug_fd);
	if (live->spool_fd >= 0)
		close(live->spool_fd);
	live_give_signals_back(live);
	for (uint32_t i = 0; i < live->pid_fds; i++)
		if (live->pid_fd[i] >= 0)
			close(live->pid_fd[i]);
	for (uint32_t i = 0; i < live->cgroups; i++)
		close(live->cgroup[i]);
	for (uint32_t i = 0; i < live->remarks; i++)
		free(live->remark[i]);
	priority_restore_nice(&live->nice);
	if (*live->own_name)
		pthread_setname_np(pthread_self(), live->old_name);
	pthread_cond_destroy(&live->changed);
	pthread_mutex_destroy(&live->mutex);
	free(live->capture);
	free(live->scratch);
	free(live->pid_fd);
	free(live->cgroup);
	free(live->device);
	free(live);
	return code;
}
