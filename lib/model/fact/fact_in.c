/*
 * fact_in: what facts change in the model.
 *
 * A fact about a descriptor or a directory is a look-up that took place between t0 and the fact's time. It is
 * believed only if nothing in the stream could have changed what was looked up meanwhile; otherwise it
 * is dropped and counted. So a name is right or absent.
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
#include "state/filters.h"
#include "state/refused.h"
#include "task/choice.h"
#include "task/foreign.h"
#include "task/program.h"
#include "task/task.h"

#include <fcntl.h>
#include <string.h>

enum { /* why a descriptor was looked up */
       REASON_START,
       REASON_OPEN,
       REASON_SCAN,
       REASON_LOSS,
};

struct fd_fact {
	uint32_t pid, tid;
	uint64_t fd, t0, error, position, reason;
	struct identity seen;
};

static struct fd_fact fd_fact_of(const struct fact *fact)
{
	const uint64_t *n = fact->number;

	/* The order is that of the row FD in fact.def; a test compares the two. */
	return (struct fd_fact){
		.pid = (uint32_t)n[0],
		.tid = (uint32_t)n[12],
		.fd = n[1],
		.t0 = n[2],
		.error = n[3],
		.position = n[5],
		.reason = n[11],
		.seen = {.target = fact->string[0].at,
			 .length = fact->string[0].length,
			 .flags = n[4] == UINT64_MAX ? UINT32_MAX : (uint32_t)n[4],
			 .dev = n[6],
			 .ino = n[7],
			 .mode = n[8],
			 .mnt_id = n[10],
			 .is_deleted = n[13] || (n[8] && !n[9])},
	};
}

static str_id fact_text(struct model *m, const struct event *event, uint32_t index)
{
	return model_string(m, event->fact.string[index].at, event->fact.string[index].length);
}

static struct event_string string_of(const struct event *event, uint32_t index)
{
	return (struct event_string){event->fact.string[index].at,
				     event->fact.string[index].length};
}

/* Makes an open for a descriptor that nobody saw being opened. */
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
	return d->name && strtab_length(m->strings, d->name) == f->seen.length &&
	       !memcmp(strtab_text(m->strings, d->name), f->seen.target, f->seen.length);
}

/* It leads to the same file as before: perhaps through another description, which stands elsewhere. */
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

/* A descriptor whose slot is taken: its name, or where that is in doubt whether it is still the same. */
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
	} else if (d->state != NAME_SURE &&
		   d->state != NAME_NEVER) /* its handle may stand for others without a name */
		identity_apply(m, description, &f->seen);
}

static void fact_fd(struct model *m, const struct event *event)
{
	struct fd_fact f = fd_fact_of(&event->fact);
	/* With the whole machine, tasks are told before: one that is not known has ended since. */
	bool is_new = f.reason == REASON_START && !m->host.is_system;
	uint32_t process = is_new ? process_get(m, f.pid) : process_find(m, f.pid);

	if (process == MAP_NONE || m->process[process].is_left_out)
		return;
	uint32_t task = f.tid ? task_find(m, f.tid) : MAP_NONE;
	bool is_of_task = task != MAP_NONE && m->task[task].process == process;
	uint32_t table = is_of_task ? task_table(m, task) : process_table(m, process);
	struct slot *slot = table_slot(m, table, f.fd);
	bool is_taken = slot && slot->open != ID_NONE;

	if ((f.tid && f.tid != f.pid && !is_of_task) || !table_is_quiet(m, table, f.fd, f.t0)) {
		tally_add(m->tally, lookups_refused, 1);
		return;
	}
	if (is_taken)
		confirm(m, slot, &f);
	else if (!f.error && f.reason != REASON_OPEN && !m->process[process].opening)
		found(m, table, &f);
}

static void fact_exe(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, (uint32_t)event->fact.number[0]);

	if (process == MAP_NONE || event->fact.number[2])
		return;
	foreign_set(m, process, event->fact.number[3]);
	life_leave_out(m, process, event->fact.number[4]);
	program_found(m, process, event->fact.number[1],
		      &(struct words){event->fact.string[1].at, event->fact.string[1].length,
				      event->fact.number[5]});
}

static void fact_root(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t process = process_find(m, (uint32_t)n[0]);

	if (process == MAP_NONE || n[2])
		return;
	const struct fs *fs = &m->fs[m->process[process].fs];

	if (fs->moving || fs->moved >= n[1] || (m->lost_until && m->lost_until >= n[1]))
		tally_add(m->tally, lookups_refused, 1);
	else
		fs_set_root(m, process, &(struct fs_root){string_of(event, 0), n[3]});
}

static void fact_host(struct model *m, const struct event *event)
{
	m->host.cpus = (uint32_t)event->fact.number[2];
	m->host.realtime_offset = (int64_t)event->fact.number[3];
	m->host.hostname = fact_text(m, event, 0);
	m->host.release = fact_text(m, event, 1);
	m->host.machine = fact_text(m, event, 2);
	m->host.is_system = event->fact.number[5] != 0;
	m->host.block = event->fact.number[6] <= BLOCK_ALL
				? (enum block_choice)event->fact.number[6]
				: BLOCK_ALL;
	if (event->fact.number[7])
		m->host.block_mode = (uint32_t)event->fact.number[7];
	m->host.sample_interval = event->fact.number[8];
}

/* Without a command, time that passes before the first I/O is part of the recording as well. */
static void fact_begin(struct model *m, const struct event *event)
{
	if (m->host.is_system || !m->host.argv)
		m->host.first_time = event->time;
}

static void fact_command(struct model *m, const struct event *event)
{
	uint32_t pid = (uint32_t)event->fact.number[0];
	life_meet(m, pid, pid);
	uint32_t task = task_get(m, pid, pid);
	struct process *p = &m->process[m->task[task].process];

	p->is_prelude = true;
	p->argv = fact_text(m, event, 0);
	p->is_argv_cut = event->fact.number[1];
	p->is_argv_typed = true;
	m->command_pid = pid;
	m->host.argv = p->argv;
	m->host.is_argv_cut = p->is_argv_cut;
	m->host.cwd = fact_text(m, event, 1);
}

static void note_attached(struct model *m, uint32_t pid, str_id name)
{
	struct model_host *host = &m->host;

	if (host->is_system || host->argv)
		return;
	if (host->attached < MODEL_ATTACHED) {
		host->attached_pid[host->attached] = pid;
		host->attached_name[host->attached] = name;
	}
	host->attached++;
}

static void fact_task(struct model *m, const struct event *event)
{
	uint32_t tid = (uint32_t)event->fact.number[0], pid = (uint32_t)event->fact.number[1];
	life_meet(m, pid, tid);
	uint32_t task = task_get(m, pid, tid);

	task_rename(m, task, fact_text(m, event, 0));
	if (tid != pid)
		return;
	note_attached(m, pid, fact_text(m, event, 0));
	foreign_found(m, m->task[task].process, event->fact.number[4]);
	if (!m->process[m->task[task].process].is_argv_typed)
		program_set(m, m->task[task].process,
			    &(struct words){event->fact.string[2].at, event->fact.string[2].length,
					    event->fact.number[6]});
	life_leave_out(m, m->task[task].process, event->fact.number[5]);
}

static void fact_mount(struct model *m, const struct event *event)
{
	file_mount(m, &event->fact);
}

static void fact_count(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;

	MEM_GROW(m->count, m->counts_cap, m->counts + 1);
	m->count[m->counts++] = (struct model_count){.name = fact_text(m, event, 0),
						     .event = (uint32_t)n[0],
						     .counted = n[1],
						     .lost = n[2],
						     .has_lost = n[3] != 0};
}

static void fact_lookups(struct model *m, const struct event *event)
{
	tally_add(m->tally, lookups, event->fact.number[0]);
}

static void fact_source(struct model *m, const struct event *event)
{
	m->host.source = (uint32_t)event->fact.number[0];
	m->host.source_why = fact_text(m, event, 0);
	m->host.block_source = (uint32_t)event->fact.number[1];
	m->host.block_why = fact_text(m, event, 1);
	m->is_paired = m->host.source == MODEL_SOURCE_BPF;
}

static void fact_filter(struct model *m, const struct event *event)
{
	str_id glob = fact_text(m, event, 0);

	if (event->fact.number[0] <= FILTER_CGROUP)
		filters_add(m, (enum fact_filter)event->fact.number[0], glob);
	if (event->fact.number[0] <= FILTER_PATH_LEFT_OUT)
		name_filter_add(m, event->fact.number[0] == FILTER_PATH_LEFT_OUT, glob);
	else if (event->fact.number[0] == FILTER_COMM)
		choice_add_comm(m, glob);
	else if (event->fact.number[0] == FILTER_USER)
		m->choice.has_users = true;
}

/* Read between t0 and now; the call began before and goes on, so the path is the one that it was given. */
static void fact_path(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t task = task_find(m, (uint32_t)n[1]);

	if (task == MAP_NONE || n[3])
		return;
	const struct call *call = &m->task[task].call;

	if (call->id != CALL_ID_NONE && call->enter <= n[2] && call->id == n[4])
		op_path(m, task, (uint32_t)n[5], string_of(event, 0), string_of(event, 1));
	else
		tally_add(m->tally, lookups_refused, 1);
}

static void fact_exit(struct model *m, const struct event *event)
{
	m->host.status = (int32_t)event->fact.number[1];
	if (event->fact.number[0] == m->command_pid)
		program_end_command(m, m->host.status);
}

static void fact_loss(struct model *m, const struct event *event)
{
	if (event->fact.number[0] > m->lost_until)
		m->lost_until = event->fact.number[0];
}

/* The process goes on where its exec left it, but for what it did meanwhile. */
static void resume(struct model *m, const struct event *event)
{
	const uint64_t *n = event->fact.number;
	uint32_t task = task_find(m, (uint32_t)n[3]);

	if (task == MAP_NONE || !m->tally->n[TALLY_detached])
		return;
	m->tally->n[TALLY_detached]--;
	tally_add(m->tally, resumed, 1);
	tally_add(m->tally, resumed_us, n[5] > n[4] ? (n[5] - n[4] + 999) / 1000 : 0);
	table_doubt(m, task_table(m, task), DOUBT_LOSS);
}

/* What was missed may have changed any descriptor. */
static void fact_gap(struct model *m, const struct event *event)
{
	static const enum tally_counter counter[] = {
		[GAP_CPUS] = TALLY_cpus_unseen,  [GAP_UNTRACED] = TALLY_untraced,
		[GAP_UNSTORED] = TALLY_unstored, [GAP_MISSED] = TALLY_missed,
		[GAP_INIT] = TALLY_untraceable,
	};
	uint64_t kind = event->fact.number[0];

	if (kind == GAP_RESUMED)
		resume(m, event);
	if (kind >= sizeof(counter) / sizeof(counter[0]))
		return;
	m->tally->n[counter[kind]] += event->fact.number[1];
	if (!event->fact.number[2])
		table_doubt_all(m, DOUBT_LOSS);
}

bool host_lasts_until_end(const struct model *m)
{
	return m->host.first_time && (m->host.is_system || !m->host.argv || m->host.status < 0);
}

static void fact_end(struct model *m, const struct event *event)
{
	m->host.end_reason = (int)event->fact.number[0];
	if (host_lasts_until_end(m) && event->time > m->host.last_time)
		m->host.last_time = event->time;
}

void fact_in(struct model *m, const struct event *event)
{
	static void (*const in[FACT_KINDS])(struct model * m, const struct event *event) = {
		[FACT_HOST] = fact_host,       [FACT_COMMAND] = fact_command,
		[FACT_TASK] = fact_task,       [FACT_FD] = fact_fd,
		[FACT_MOUNT] = fact_mount,     [FACT_EXE] = fact_exe,
		[FACT_COUNT] = fact_count,     [FACT_LOOKUPS] = fact_lookups,
		[FACT_EXIT] = fact_exit,       [FACT_END] = fact_end,
		[FACT_PATH] = fact_path,       [FACT_BEGIN] = fact_begin,
		[FACT_DEVICE] = device_fact,   [FACT_DISKSTAT] = device_stat,
		[FACT_MEMORY] = sample_memory, [FACT_PRESSURE] = sample_pressure,
		[FACT_FILTER] = fact_filter,   [FACT_SOURCE] = fact_source,
		[FACT_CGROUP] = cgroup_fact,   [FACT_LOSS] = fact_loss,
		[FACT_ROOT] = fact_root,       [FACT_GAP] = fact_gap,
		[FACT_REFUSED] = refused_fact,
	};

	if (in[event->fact.kind])
		in[event->fact.kind](m, event);
}
