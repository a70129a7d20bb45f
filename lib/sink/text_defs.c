/*
 * text_defs: what the model knows, at the end of the text.
 *
 * A line for each entry of an array, each a word and an id first; sections in this order:
 *
 *	host "node7" "6.1.0" "x86_64" cpus=8 from=12000 to=99000 processes=3 threads=5 left=0
 *	process p0 100 "cat" parent=- status=0 argv "cat" "a b"
 *	thread t0 101@100 "cat"
 *	mount m0 "/" "/dev/sda1" "ext4"
 *	file f0 "/etc/passwd" REGULAR m0
 *	handle h0 p0 f0 "/etc/passwd" PRE_CREATED O_RDWR
 *	handle h1 p0 - "pipe:[17]" ALL_PROXY
 *	counter "instructions"
 */
#include "text.h"

#include <inttypes.h>
#include <iotrace/escape.h>
#include <string.h>

/* A quote inside is escaped, too, so that the end of the text can be found. */
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

static void print_string(struct sink *sink, str_id id)
{
	const struct strtab *strings = model_strings(sink->model);

	putc(' ', sink->out);
	print_quoted(sink->out, strtab_text(strings, id), strtab_length(strings, id));
}

static void print_words(struct sink *sink, str_id argv)
{
	const char *at = strtab_text(model_strings(sink->model), argv);
	const char *end = at + strtab_length(model_strings(sink->model), argv);

	while (at < end) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			stop = end;
		putc(' ', sink->out);
		print_quoted(sink->out, at, (size_t)(stop - at));
		at = stop + 1;
	}
}

static void print_id(FILE *out, char letter, uint32_t id)
{
	if (id == ID_NONE)
		fputs(" -", out);
	else
		fprintf(out, " %c%u", letter, id);
}

static void print_host(struct sink *sink)
{
	const struct model_host *host = model_host(sink->model);

	fputs("host", sink->out);
	print_string(sink, host->hostname);
	print_string(sink, host->release);
	print_string(sink, host->machine);
	fprintf(sink->out,
		" cpus=%u from=%" PRIu64 " to=%" PRIu64 " processes=%u threads=%u left=%u\n",
		host->cpus, host->first_time, host->last_time, host->processes_seen,
		host->threads_seen, host->processes_left);
}

static void print_processes(struct sink *sink)
{
	for (process_id p = 0; p < model_processes(sink->model); p++) {
		const struct model_process *process = model_process(sink->model, p);

		fprintf(sink->out, "process p%u %u", p, process->pid);
		print_string(sink, process->name);
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
		}
		putc('\n', sink->out);
	}
}

static void print_threads(struct sink *sink)
{
	for (thread_id t = 0; t < model_threads(sink->model); t++) {
		const struct model_thread *thread = model_thread(sink->model, t);

		fprintf(sink->out, "thread t%u %u@%u", t, thread->tid,
			model_process(sink->model, thread->process)->pid);
		print_string(sink, thread->name);
		putc('\n', sink->out);
	}
}

static void print_mounts(struct sink *sink)
{
	for (uint32_t m = 0; m < model_mounts(sink->model); m++) {
		const struct model_mount *mount = model_mount(sink->model, m);

		fprintf(sink->out, "mount m%u", m);
		print_string(sink, mount->mount_point);
		print_string(sink, mount->source);
		print_string(sink, mount->type);
		putc('\n', sink->out);
	}
}

static void print_files(struct sink *sink)
{
	static const char *const kind[] = {[FILE_REGULAR] = "REGULAR",
					   [FILE_DIRECTORY] = "DIRECTORY",
					   [FILE_DEVICE] = "DEVICE"};

	for (file_id f = 0; f < model_files(sink->model); f++) {
		const struct model_file *file = model_file(sink->model, f);

		fprintf(sink->out, "file f%u", f);
		print_string(sink, file->path);
		fprintf(sink->out, " %s", kind[file->kind]);
		print_id(sink->out, 'm', file->mount);
		putc('\n', sink->out);
	}
}

static void print_handles(struct sink *sink)
{
	for (handle_id h = 0; h < model_handles(sink->model); h++) {
		const struct model_handle *handle = model_handle(sink->model, h);

		fprintf(sink->out, "handle h%u", h);
		print_id(sink->out, 'p', handle->process);
		print_id(sink->out, 'f', handle->file);
		print_string(sink, handle->name);
		if (handle->is_pre_created) {
			fputs(" PRE_CREATED ", sink->out);
			text_flags(sink->out, handle->pre_flags);
		}
		if (handle->is_all_proxy)
			fputs(" ALL_PROXY", sink->out);
		putc('\n', sink->out);
	}
}

static void print_counters(struct sink *sink)
{
	for (uint32_t c = 0; c < model_counters(sink->model); c++) {
		const char *name = model_counter_name(sink->model, c);

		fputs("counter ", sink->out);
		print_quoted(sink->out, name, strlen(name));
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
	print_counters(sink);
}
