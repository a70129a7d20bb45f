/*
 * text_defs: the definitions of the trace, at the end of the text.
 *
 * There is a line for each entry of an array. It begins with a word and an id. The sections are in this order:
 *
 *	host "node7" "6.1.0" "x86_64" cpus=8 from=12000 to=99000 processes=3 threads=5 left=0
 *	process p0 100 "cat" parent=- status=0 argv "cat" "a b"
 *	process p1 sda                                  also: machine
 *	process p2 SHARED 17                             so many processes
 *	thread t0 101@100 "cat"
 *	thread t1 sda                                   also: sda/samples, machine/samples
 *	thread t2 t2 "true" SHARED 17                   so many threads, one after the other
 *	mount m0 "/" "/dev/sda1" "ext4"
 *	file f0 "/etc/passwd" REGULAR m0                and DELETED: it had no name when it was opened
 *	handle h0 p0 f0 "/etc/passwd" PRE_CREATED O_RDWR
 *	handle h1 p0 - "pipe:[17]" ALL_PROXY
 *	handle h2 p1 f1 "/dev/sda" PRE_CREATED O_RDWR BLOCK
 *	device d0 8:0 "sda" sectors=1000 ROTATIONAL model="X" scheduler="none" p1 h2
 *	                                                also: disk=d1 below="sdb sdc" backing="/file"
 *	stat d0 1 0 8 ...                               what /sys/block/sda/stat has at the begin, and
 *	stat d0 9 0 72 ...                              at the end
 *	seen d0 8 0 64 ...                              what the events add up to, in the same order
 *	series s0 "counters" OF_CALLS
 *	metric s0 "instructions" "#" ACCUMULATED        also SIGNED
 *	parameter a0 "filename"
 */
#include "text.h"

#include <inttypes.h>
#include <iotrace/escape.h>
#include <iotrace/trace.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Also escapes quotes, so that the end of the text can be found. */
static void print_quoted(FILE *out, const char *bytes, size_t length)
{
	putc('"', out);
	for (const char *end = bytes + length; bytes < end;) {
		const char *quote = memchr(bytes, '"', (size_t)(end - bytes));

		escape_print(out, bytes, (size_t)((quote ? quote : end) - bytes));
		if (quote)
			fputs("\\\"", out);
		bytes = quote ? quote + 1 : end;
	}
	putc('"', out);
}

void text_string(struct sink *sink, str_id id)
{
	const struct strtab *strings = trace_strings(sink->trace);

	putc(' ', sink->out);
	print_quoted(sink->out, strtab_text(strings, id), strtab_length(strings, id));
}

static void print_words(struct sink *sink, str_id argv)
{
	const char *at = strtab_text(trace_strings(sink->trace), argv);
	const char *end = at + strtab_length(trace_strings(sink->trace), argv);

	while (at <= end) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			stop = end;
		putc(' ', sink->out);
		print_quoted(sink->out, at, (size_t)(stop - at));
		at = stop + 1;
	}
}

/* Prints the name of a group that is no process: that of a device, or of the machine. */
static void print_group(struct sink *sink, const struct trace_process *group)
{
	str_id name = group->kind == TRACE_DEVICE ? trace_device(sink->trace, group->device)->name
						  : 0;

	putc(' ', sink->out);
	if (name)
		escape_print(sink->out, trace_text(sink->trace, name),
			     strtab_length(trace_strings(sink->trace), name));
	else
		fputs("machine", sink->out);
}

void text_location(struct sink *sink, thread_id id)
{
	const struct trace_thread *thread = trace_thread(sink->trace, id);
	const struct trace_process *group = trace_process(sink->trace, thread->process);

	if (thread->kind == LOCATION_THREAD && (thread->sharing || !thread->tid))
		text_id(sink->out, 't', id);
	else if (thread->kind == LOCATION_THREAD)
		fprintf(sink->out, " %u@%u", thread->tid, group->pid);
	if (thread->kind == LOCATION_THREAD)
		return;
	print_group(sink, group);
	if (thread->kind == LOCATION_METRIC)
		fputs("/samples", sink->out);
}

static void print_host(struct sink *sink)
{
	const struct trace_host *host = trace_host(sink->trace);

	fputs("host", sink->out);
	text_string(sink, host->hostname);
	text_string(sink, host->release);
	text_string(sink, host->machine);
	fprintf(sink->out,
		" cpus=%u from=%" PRIu64 " to=%" PRIu64 " processes=%u threads=%u left=%u\n",
		host->cpus, host->first_time, host->last_time, host->processes_seen,
		host->threads_seen, host->processes_left);
}

static void print_process(struct sink *sink, const struct trace_process *process)
{
	fprintf(sink->out, " %u", process->pid);
	text_string(sink, process->name);
	fputs(" parent=", sink->out);
	if (process->parent == ID_NONE)
		putc('-', sink->out);
	else
		fprintf(sink->out, "p%u", process->parent);
	if (process->status < 0)
		fputs(" status=?", sink->out);
	else
		fprintf(sink->out, " status=%d", process->status);
	if (process->argv) {
		fputs(" argv", sink->out);
		print_words(sink, process->argv);
		if (process->is_argv_cut)
			fputs(" ...", sink->out);
	}
	if (process->root) {
		fputs(" root", sink->out);
		text_string(sink, process->root);
	}
	if (process->mount_namespace)
		fprintf(sink->out, " mount-namespace=%" PRIu64, process->mount_namespace);
}

static void print_processes(struct sink *sink)
{
	for (process_id p = 0; p < trace_processes(sink->trace); p++) {
		const struct trace_process *process = trace_process(sink->trace, p);

		if (process->is_excluded)
			continue;
		fprintf(sink->out, "process p%u", p);
		if (process->kind == TRACE_PROCESS)
			print_process(sink, process);
		else if (process->kind == TRACE_SHARED_GROUP)
			fprintf(sink->out, " SHARED %u", process->sharing);
		else
			print_group(sink, process);
		putc('\n', sink->out);
	}
}

static void print_threads(struct sink *sink)
{
	for (thread_id t = 0; t < trace_threads(sink->trace); t++) {
		const struct trace_thread *thread = trace_thread(sink->trace, t);

		if (thread->is_excluded)
			continue;
		fprintf(sink->out, "thread t%u", t);
		text_location(sink, t);
		if (thread->kind == LOCATION_THREAD)
			text_string(sink, thread->name);
		if (thread->sharing)
			fprintf(sink->out, " SHARED %u", thread->sharing);
		putc('\n', sink->out);
	}
}

static void print_mounts(struct sink *sink)
{
	for (uint32_t m = 0; m < trace_mounts(sink->trace); m++) {
		const struct trace_mount *mount = trace_mount(sink->trace, m);

		fprintf(sink->out, "mount m%u", m);
		text_string(sink, mount->mount_point);
		text_string(sink, mount->source);
		text_string(sink, mount->type);
		putc('\n', sink->out);
	}
}

static void print_files(struct sink *sink)
{
	static const char *const kind[] = {[FILE_REGULAR] = "REGULAR",
					   [FILE_DIRECTORY] = "DIRECTORY",
					   [FILE_DEVICE] = "DEVICE",
					   [FILE_FIFO] = "FIFO"};

	for (file_id f = 0; f < trace_files(sink->trace); f++) {
		const struct trace_file *file = trace_file(sink->trace, f);

		fprintf(sink->out, "file f%u", f);
		text_string(sink, file->path);
		fprintf(sink->out, " %s", kind[file->kind]);
		text_id(sink->out, 'm', file->mount);
		fputs(file->is_deleted ? " DELETED" : "", sink->out);
		putc('\n', sink->out);
	}
}

static void print_handles(struct sink *sink)
{
	for (handle_id h = 0; h < trace_handles(sink->trace); h++) {
		const struct trace_handle *handle = trace_handle(sink->trace, h);

		fprintf(sink->out, "handle h%u", h);
		text_id(sink->out, 'p', handle->process);
		text_id(sink->out, 'f', handle->file);
		text_string(sink, handle->name);
		if (handle->is_pre_created) {
			fputs(" PRE_CREATED ", sink->out);
			text_flags(sink->out, handle->pre_flags);
		}
		if (handle->is_all_proxy)
			fputs(" ALL_PROXY", sink->out);
		if (handle->is_span)
			fputs(" SPAN", sink->out);
		if (handle->is_block)
			fputs(" BLOCK", sink->out);
		putc('\n', sink->out);
	}
}

static void print_device(struct sink *sink, const struct trace_device *device)
{
	const struct {
		const char *name;
		str_id value;
	} row[] = {{"model", device->model},
		   {"scheduler", device->scheduler},
		   {"below", device->under},
		   {"backing", device->backing}};

	fprintf(sink->out, " %u:%u", major(device->dev), minor(device->dev));
	text_string(sink, device->name);
	if (device->disk != ID_NONE)
		fprintf(sink->out, " disk=d%u", device->disk);
	if (device->sectors)
		fprintf(sink->out, " sectors=%" PRIu64, device->sectors);
	if (device->is_rotational)
		fputs(" ROTATIONAL", sink->out);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if (!row[i].value)
			continue;
		fprintf(sink->out, " %s=", row[i].name);
		print_quoted(sink->out, trace_text(sink->trace, row[i].value),
			     strtab_length(trace_strings(sink->trace), row[i].value));
	}
	if (device->group != ID_NONE)
		text_id(sink->out, 'p', device->group);
	if (device->handle != ID_NONE)
		text_id(sink->out, 'h', device->handle);
}

static void print_stat(FILE *out, const char *what, uint32_t device, const uint64_t *stat)
{
	fprintf(out, "%s d%u", what, device);
	for (int i = 0; i < DEVICE_STATS; i++)
		fprintf(out, " %" PRIu64, stat[i]);
	putc('\n', out);
}

static void print_devices(struct sink *sink)
{
	for (uint32_t d = 0; d < trace_devices(sink->trace); d++) {
		const struct trace_device *device = trace_device(sink->trace, d);

		fprintf(sink->out, "device d%u", d);
		print_device(sink, device);
		putc('\n', sink->out);
		for (int phase = 0; device->has_stat && phase < 2; phase++)
			print_stat(sink->out, "stat", d, device->stat[phase]);
		if (device->has_stat || device->group != ID_NONE)
			print_stat(sink->out, "seen", d, device->seen);
	}
}

static void print_cgroups(struct sink *sink)
{
	for (uint32_t g = 0; g < trace_cgroups(sink->trace); g++) {
		const struct trace_cgroup *group = trace_cgroup(sink->trace, g);

		fprintf(sink->out, "cgroup g%u %" PRIu64, g, group->id);
		text_string(sink, group->name);
		putc('\n', sink->out);
	}
}

static void print_series(struct sink *sink)
{
	for (uint32_t s = 0; s < trace_series_count(sink->trace); s++) {
		const struct trace_series *series = trace_series(sink->trace, s);

		fprintf(sink->out, "series s%u", s);
		text_string(sink, series->name);
		fputs(series->is_of_calls ? " OF_CALLS\n" : "\n", sink->out);
		for (uint32_t i = 0; i < series->metrics; i++) {
			const struct trace_metric *metric = trace_metric(sink->trace,
									 series->metric + i);

			fprintf(sink->out, "metric s%u", s);
			text_string(sink, metric->name);
			text_string(sink, metric->unit);
			fputs(metric->is_accumulated ? " ACCUMULATED" : "", sink->out);
			fputs(metric->is_real     ? " REAL\n"
			      : metric->is_signed ? " SIGNED\n"
						  : "\n",
			      sink->out);
		}
	}
	for (uint32_t a = 0; a < trace_parameters(sink->trace); a++) {
		fprintf(sink->out, "parameter a%u", a);
		text_string(sink, trace_parameter(sink->trace, a));
		putc('\n', sink->out);
	}
}

void text_definitions(struct sink *sink)
{
	print_host(sink);
	print_processes(sink);
	print_threads(sink);
	print_mounts(sink);
	print_files(sink);
	print_handles(sink);
	print_devices(sink);
	print_cgroups(sink);
	print_series(sink);
}
