/*
 * fact_in: applies facts to the model.
 *
 * A fact about a descriptor or a directory is a look-up between t0 and the fact's time. The model believes it only if nothing
 * in the stream could have changed the object meanwhile; otherwise it drops and counts it. So a name is right or absent.
 */
#include "fact_in.h"

#include "block/cgroup.h"
#include "block/device.h"
#include "block/device_sample.h"
#include "call/op.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "fd/identity.h"
#include "fd/position.h"
#include "file/file.h"
#include "file/name_filter.h"
#include "life/life.h"
#include "out/outbox.h"
#include "recording_fact.h"
#include "state/filters.h"
#include "state/refused.h"
#include "task/choice.h"
#include "task/foreign.h"
#include "task/program.h"
#include "task/task.h"

#include <fcntl.h>
#include <iotrace/pause.h>
#include <string.h>

/* Why a descriptor was looked up. */
enum { REASON_START, REASON_OPEN, REASON_SCAN, REASON_LOSS };

struct fd_fact {
	uint32_t pid, tid;
	uint64_t fd, t0, error, position, reason;
	struct identity seen;
};

static struct fd_fact fd_fact_of(const struct fact *fact)
{
	const uint64_t *n = fact->number;

	return (struct fd_fact){
		.pid = (uint32_t)n[FACT_FD_pid],
		.tid = (uint32_t)n[FACT_FD_tid],
		.fd = n[FACT_FD_fd],
		.t0 = n[FACT_FD_t0],
		.error = n[FACT_FD_error],
		.position = n[FACT_FD_pos],
		.reason = n[FACT_FD_reason],
		.seen = {.target = fact->string[FACT_FD_target].at,
			 .length = fact->string[FACT_FD_target].length,
			 .flags = (uint32_t)n[FACT_FD_flags],
			 .dev = n[FACT_FD_dev],
			 .ino = n[FACT_FD_ino],
			 .mode = n[FACT_FD_mode],
			 .mnt_id = n[FACT_FD_mnt_id],
			 .is_deleted = n[FACT_FD_is_deleted] ||
				       (n[FACT_FD_mode] && !n[FACT_FD_nlink])},
	};
}

static struct event_string string_of(const struct event *event, uint32_t index)
{
	return (struct event_string){event->fact.string[index].at,
				     event->fact.string[index].length};
}

/* Creates an open for a descriptor whose opening was not seen. */
static void found(struct model *m, uint32_t table, const struct fd_fact *f)
{
	uint32_t flags = f->seen.flags;
	uint32_t description = description_new(m, flags);
	struct description *d = &m->description[description];

	d->position = f->position == UINT64_MAX ? IO_OFFSET_UNKNOWN : f->position;
	d->is_file = identity_is_path(&f->seen);
	position_share(m, d);
	uint32_t open = open_new(m, description, ID_NONE);

	m->open[open].is_found = true;
	table_set(m, table, f->fd, open, cloexec_of(flags));
	identity_apply(m, description, &f->seen);
	open_drop(m, open);
}

static bool same_name(struct model *m, const struct description *d, const struct fd_fact *f)
{
	if (name_is_stand_in(m, d->name))
		return name_add(m, f->seen.target, f->seen.length) == d->name;
	return d->name && strtab_length(m->trace.strings, d->name) == f->seen.length &&
	       !memcmp(strtab_text(m->trace.strings, d->name), f->seen.target, f->seen.length);
}

/* The descriptor leads to the same file as before, but perhaps through another description with another position. */
static void confirm_same(struct model *m, struct slot *slot, const struct fd_fact *f)
{
	struct description *d = open_description(m, slot->open);

	bool is_still = f->position != UINT64_MAX && !d->active && d->moved < f->t0;

	if (f->error || !same_name(m, d, f))
		return;
	slot->doubt = DOUBT_NONE;
	d->position = is_still ? f->position : IO_OFFSET_UNKNOWN;
	d->moved = m->now;
}

/* Handles a descriptor with a known open: sets its name, or, if it is in doubt, checks whether it is still the same. */
static void confirm(struct model *m, struct slot *slot, const struct fd_fact *f)
{
	uint32_t description = m->open[slot->open].description;
	struct description *d = &m->description[description];

	if (slot->doubt) {
		confirm_same(m, slot, f);
		return;
	}
	if (slot->cloexec == CLOEXEC_UNKNOWN && !f->error)
		slot->cloexec = cloexec_of(f->seen.flags);
	if (f->error) {
		d->state = d->state == NAME_AWAITED ? NAME_NEVER : d->state;
		m->is_unblocked = true;
		/* Its handle may also be used for others without a name. */
	} else if (d->state != NAME_SURE && d->state != NAME_NEVER)
		identity_apply(m, description, &f->seen);
}

static void fact_fd(struct model *m, const struct event *event)
{
	struct fd_fact f = fd_fact_of(&event->fact);
	/* In a recording of the whole machine, all tasks are known before: an unknown one has ended since. */
	bool is_new = f.reason == REASON_START && !m->trace.host.is_system;
	uint32_t process = is_new ? process_get(m, f.pid) : process_find(m, f.pid);

	if (process == MAP_NONE || m->process[process].is_excluded)
		return;
	uint32_t task = f.tid ? task_find(m, f.tid) : MAP_NONE;
	bool is_of_task = task != MAP_NONE && m->task[task].process == process;
	uint32_t table = is_of_task ? task_table(m, task) : process_table(m, process);
	struct slot *slot = table_slot(m, table, f.fd);
	bool is_taken = slot && slot->open != ID_NONE;

	/* A chroot() changes the names of files that are already open. */
	if ((f.tid && f.tid != f.pid && !is_of_task) || m->process[process].closing ||
	    (is_taken && !fs_keeps_root(m, process, slot->changed)) ||
	    !table_is_quiet(m, table, f.fd, f.t0)) {
		tally_add(m->tally, lookups_refused, 1);
		return;
	}
	m->table[table].is_hidden = false;
	if (is_taken)
		confirm(m, slot, &f);
	else if (!f.error && f.reason != REASON_OPEN && !m->process[process].opening)
		found(m, table, &f);
}

/* The numbers has_rank, rank and ranks follow each other. */
static struct trace_rank rank_of(const struct event *event, uint32_t first)
{
	const uint64_t *n = event->fact.number + first;

	return (struct trace_rank){n[0] != 0, (uint32_t)n[1], (uint32_t)n[2]};
}

static void fact_exe(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, (uint32_t)event->fact.number[FACT_EXE_pid]);

	if (process == MAP_NONE || event->fact.number[FACT_EXE_error])
		return;
	foreign_set(m, process, event->fact.number[FACT_EXE_is_foreign]);
	life_exclude(m, process, event->fact.number[FACT_EXE_is_excluded]);
	struct trace_rank rank = rank_of(event, FACT_EXE_has_rank);

	program_set_rank(m, process, event->fact.number[FACT_EXE_t0], &rank);
	program_found(m, process, event->fact.number[FACT_EXE_t0],
		      &(struct words){event->fact.string[FACT_EXE_argv].at,
				      event->fact.string[FACT_EXE_argv].length,
				      event->fact.number[FACT_EXE_is_cut]});
}

static void fact_root(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t process = process_find(m, (uint32_t)n[FACT_ROOT_pid]);

	if (process == MAP_NONE || n[FACT_ROOT_error])
		return;
	if (!fs_keeps_root(m, process, n[FACT_ROOT_t0]) ||
	    (m->lost_until && m->lost_until >= n[FACT_ROOT_t0]))
		tally_add(m->tally, lookups_refused, 1);
	else
		fs_set_root(m, process,
			    &(struct fs_root){string_of(event, FACT_ROOT_path),
					      n[FACT_ROOT_mount_namespace]});
}

static void fact_host(struct model *m, const struct event *event)
{
	m->trace.host.cpus = (uint32_t)event->fact.number[FACT_HOST_cpus];
	m->trace.host.realtime_offset = (int64_t)event->fact.number[FACT_HOST_realtime_offset];
	m->trace.host.hostname = fact_text(m, event, FACT_HOST_hostname);
	m->trace.host.release = fact_text(m, event, FACT_HOST_release);
	m->trace.host.machine = fact_text(m, event, FACT_HOST_machine);
	m->trace.host.is_system = event->fact.number[FACT_HOST_mode] != 0;
	m->trace.host.is_joined = event->fact.number[FACT_HOST_is_joined] != 0;
	m->trace.host.block = event->fact.number[FACT_HOST_block] <= BLOCK_ALL
				      ? (enum block_choice)event->fact.number[FACT_HOST_block]
				      : BLOCK_ALL;
	if (event->fact.number[FACT_HOST_block_mode])
		m->trace.host.block_mode = (uint32_t)event->fact.number[FACT_HOST_block_mode];
	m->trace.host.sample_interval = event->fact.number[FACT_HOST_sample_interval];
}

/* Without a command, the time before the first I/O is part of the recording, too. */
static void fact_begin(struct model *m, const struct event *event)
{
	m->trace.host.cpu_some = event->fact.number[FACT_BEGIN_cpu_some_us];
	if (m->trace.host.is_system || !(m->trace.host.argv || m->trace.host.is_joined))
		m->trace.host.first_time = event->time;
}

static void fact_command(struct model *m, const struct event *event)
{
	uint32_t pid = (uint32_t)event->fact.number[FACT_COMMAND_pid];
	life_notice_thread(m, pid, pid);
	uint32_t task = task_get(m, pid, pid);
	struct process *p = &m->process[m->task[task].process];

	p->is_prelude = true;
	p->argv = fact_text(m, event, FACT_COMMAND_argv);
	p->is_argv_cut = event->fact.number[FACT_COMMAND_is_cut];
	p->is_argv_typed = true;
	p->rank = rank_of(event, FACT_COMMAND_has_rank);
	if (event->fact.number[FACT_COMMAND_selection] < m->selections)
		p->selection = (uint32_t)event->fact.number[FACT_COMMAND_selection];
	program_add_command(m, p);
	if (m->trace.host.commands++ && m->trace.host.is_joined)
		return;
	if (!m->trace.host.is_joined)
		m->command_pid = pid;
	m->trace.host.argv = p->argv;
	m->trace.host.is_argv_cut = p->is_argv_cut;
	m->trace.host.cwd = fact_text(m, event, FACT_COMMAND_cwd);
}

static void note_attached(struct model *m, uint32_t pid, str_id name)
{
	struct trace_host *host = &m->trace.host;

	if (host->is_system || host->argv || host->is_joined)
		return;
	if (host->attached < TRACE_ATTACHED) {
		host->attached_pid[host->attached] = pid;
		host->attached_name[host->attached] = name;
	}
	host->attached++;
}

static void fact_task(struct model *m, const struct event *event)
{
	uint32_t tid = (uint32_t)event->fact.number[FACT_TASK_tid],
		 pid = (uint32_t)event->fact.number[FACT_TASK_pid];
	life_notice_thread(m, pid, tid);
	uint32_t task = task_get(m, pid, tid);

	task_rename(m, task, fact_text(m, event, FACT_TASK_comm));
	if (tid != pid)
		return;
	struct trace_rank rank = rank_of(event, FACT_TASK_has_rank);

	program_set_rank(m, m->task[task].process, event->time, &rank);
	note_attached(m, pid, fact_text(m, event, FACT_TASK_comm));
	foreign_found(m, m->task[task].process, event->fact.number[FACT_TASK_is_foreign]);
	if (!m->process[m->task[task].process].is_argv_typed)
		program_set(m, m->task[task].process,
			    &(struct words){event->fact.string[FACT_TASK_argv].at,
					    event->fact.string[FACT_TASK_argv].length,
					    event->fact.number[FACT_TASK_is_cut]});
	life_exclude(m, m->task[task].process, event->fact.number[FACT_TASK_is_excluded]);
}

static void fact_mount(struct model *m, const struct event *event)
{
	file_mount(m, &event->fact);
}

static void fact_count(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;

	MEM_GROW(m->trace.count, m->trace.counts_cap, m->trace.counts + 1);
	m->trace.count[m->trace.counts++] =
		(struct trace_count){.name = fact_text(m, event, FACT_COUNT_name),
				     .event = (uint32_t)n[FACT_COUNT_event],
				     .counted = n[FACT_COUNT_counted],
				     .lost = n[FACT_COUNT_lost],
				     .has_lost = n[FACT_COUNT_has_lost] != 0,
				     .is_inexact = n[FACT_COUNT_is_inexact] != 0};
}

static void fact_lookups(struct model *m, const struct event *event)
{
	tally_add(m->tally, lookups, event->fact.number[FACT_LOOKUPS_done]);
}

static void fact_source(struct model *m, const struct event *event)
{
	m->trace.host.source = (uint32_t)event->fact.number[FACT_SOURCE_source];
	m->trace.host.source_why = fact_text(m, event, FACT_SOURCE_why);
	m->trace.host.block_source = (uint32_t)event->fact.number[FACT_SOURCE_block_source];
	m->trace.host.block_why = fact_text(m, event, FACT_SOURCE_block_why);
	m->is_paired = m->trace.host.source == TRACE_SOURCE_BPF;
}

static void fact_filter(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	const struct trace_filter filter = {.kind = (enum fact_filter)n[FACT_FILTER_kind],
					    .text = fact_text(m, event, FACT_FILTER_glob),
					    .selection = (uint32_t)n[FACT_FILTER_selection],
					    .groups = (uint32_t)n[FACT_FILTER_groups]};

	if (n[FACT_FILTER_kind] > FILTER_GROUPS || n[FACT_FILTER_selection] >= SELECTIONS_MOST)
		return;
	filters_add(m, &filter);
	choice_reach(m, filter.selection);
	if (filter.kind <= FILTER_PATH_EXCLUDED)
		name_filter_add(m, filter.selection, filter.kind == FILTER_PATH_EXCLUDED,
				filter.text);
	else if (filter.kind == FILTER_COMM)
		choice_add_comm(m, filter.selection, filter.text);
	else if (filter.kind == FILTER_GROUPS)
		m->selection[filter.selection].groups = filter.groups;
	else if (filter.kind == FILTER_USER)
		m->choice.has_users = true;
}

/* The path was read between t0 and now. The call began before and still runs, so the path is its argument. */
static void fact_path(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t task = task_find(m, (uint32_t)n[FACT_PATH_tid]);

	if (task == MAP_NONE || n[FACT_PATH_error])
		return;
	const struct call *call = &m->task[task].call;

	if (call->id != CALL_ID_NONE && call->enter <= n[FACT_PATH_t0] &&
	    call->id == n[FACT_PATH_number])
		op_path(m, task, (uint32_t)n[FACT_PATH_index], string_of(event, FACT_PATH_path),
			string_of(event, FACT_PATH_base));
	else
		tally_add(m->tally, lookups_refused, 1);
}

static void fact_exit(struct model *m, const struct event *event)
{
	int32_t status = (int32_t)event->fact.number[FACT_EXIT_status];

	program_set_status(m, event->fact.number[FACT_EXIT_pid], status);
	if (m->trace.host.is_joined)
		return;
	m->trace.host.status = status;
	if (event->fact.number[FACT_EXIT_pid] == m->command_pid)
		program_end_command(m, m->trace.host.status);
}

static void fact_loss(struct model *m, const struct event *event)
{
	if (event->fact.number[FACT_LOSS_until] > m->lost_until)
		m->lost_until = event->fact.number[FACT_LOSS_until];
}

/* The process continues where its exec was, but its calls in between are missing. */
static void resume(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint64_t since = n[FACT_GAP_since], until = n[FACT_GAP_until];
	uint32_t task = task_find(m, (uint32_t)n[FACT_GAP_pid]);

	if (task == MAP_NONE || !m->tally->n[TALLY_detached])
		return;
	m->tally->n[TALLY_detached]--;
	m->process[m->task[task].process].is_lost = false;
	tally_add(m->tally, resumed, 1);
	tally_add(m->tally, resumed_us, until > since ? (until - since + 999) / 1000 : 0);
	table_doubt(m, task_table(m, task), DOUBT_LOSS);
}

/* The missing events may have changed any descriptor. */
static void fact_gap(struct model *m, const struct event *event)
{
	static const enum tally_counter counter[] = {
		[GAP_CPUS] = TALLY_cpus_unseen,      [GAP_UNTRACED] = TALLY_untraced,
		[GAP_UNSTORED] = TALLY_unstored,     [GAP_MISSED] = TALLY_missed,
		[GAP_INIT] = TALLY_untraceable,      [GAP_UNKEPT] = TALLY_unkept,
		[GAP_FOREIGN] = TALLY_foreign_calls,
	};
	uint64_t kind = event->fact.number[FACT_GAP_kind];

	if (kind == GAP_RESUMED)
		resume(m, event);
	if (kind == GAP_RESUMED || kind >= sizeof(counter) / sizeof(counter[0]))
		return;
	m->tally->n[counter[kind]] += event->fact.number[FACT_GAP_count];
	if (!event->fact.number[FACT_GAP_is_of_tasks])
		table_doubt_all(m, DOUBT_LOSS);
}

static void fact_pause(struct model *m, const struct event *event)
{
	trace_set_paused(&m->trace, event->time, event->fact.number[FACT_PAUSE_is_paused]);
}

static void fact_mark(struct model *m, const struct event *event)
{
	struct io_event mark = {.kind = IO_MARK, .thread = ID_NONE, .handle = ID_NONE};

	mark.time = event->time;
	mark.mark.pid = (uint32_t)event->fact.number[FACT_MARK_pid];
	mark.mark.text = fact_text(m, event, FACT_MARK_text);
	out_emit(m, &mark, ID_NONE, ID_NONE);
}

void fact_in(struct model *m, const struct event *event)
{
	static void (*const in[FACT_KINDS])(struct model * m, const struct event *event) = {
		[FACT_HOST] = fact_host,         [FACT_COMMAND] = fact_command,
		[FACT_TASK] = fact_task,         [FACT_FD] = fact_fd,
		[FACT_MOUNT] = fact_mount,       [FACT_EXE] = fact_exe,
		[FACT_COUNT] = fact_count,       [FACT_LOOKUPS] = fact_lookups,
		[FACT_EXIT] = fact_exit,         [FACT_END] = recording_fact_end,
		[FACT_PATH] = fact_path,         [FACT_BEGIN] = fact_begin,
		[FACT_DEVICE] = device_fact,     [FACT_DISKSTAT] = device_stat,
		[FACT_MEMORY] = sample_memory,   [FACT_PRESSURE] = sample_pressure,
		[FACT_FILTER] = fact_filter,     [FACT_SOURCE] = fact_source,
		[FACT_CGROUP] = cgroup_fact,     [FACT_LOSS] = fact_loss,
		[FACT_ROOT] = fact_root,         [FACT_GAP] = fact_gap,
		[FACT_REFUSED] = refused_fact,   [FACT_OPTION] = recording_fact_option,
		[FACT_JOB] = recording_fact_job, [FACT_PAUSE] = fact_pause,
		[FACT_MARK] = fact_mark,
	};

	if (in[event->fact.kind])
		in[event->fact.kind](m, event);
}
