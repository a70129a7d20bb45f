/*
 * record: runs a command, follows running processes or the whole machine, and makes an archive of their I/O.
 *
 * Everything that can fail is checked before the command runs. From then on, the command comes first: it ends as it would without
 * iotrace, iotrace exits with its status, and prints its own errors afterwards.
 */
#include "cannot_run.h"
#include "command.h"
#include "flight/flight.h"
#include "guest.h"
#include "option/limit.h"
#include "path/left.h"
#include "record/disk_limit.h"
#include "record/node.h"
#include "record/record_options.h"
#include "record/record_places.h"
#include "run/each.h"
#include "run/output.h"
#include "run/run.h"
#include "span/span_record.h"

#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <iotrace/quiet.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* The state of this command. Its only destructor is end(). */
struct job {
	const struct record_options *options;
	const struct span_set *spans;
	struct record_places places;
	char *cmdline;
	struct node node;
	struct quiet quiet; /* handling of signals of failed writes, for the command */
	sigset_t mask;      /* signal mask of the command */
	struct run *run;
	struct live *live;
	struct output output;
	struct output_options whole; /* --each: output for all commands together: a summary */
	struct each_options each_options;
	struct each *each; /* NULL: there is one archive */
	struct disk_limit limit;
	bool has_output;   /* output_open() succeeded */
	bool has_terminal; /* Ctrl-C reaches iotrace, too */
	bool is_warned;    /* the user knows that one more interrupt stops the conversion */
};

/* Before the command writes to the terminal, names what killed recordings have left here. */
static void log_left(const struct job *r)
{
	if (!r->options->output.is_quiet)
		left_log(place_directory(r->places.place));
}

static int open_live(struct job *r, struct error *err)
{
	const struct sink_ops *format = r->options->output.format;
	const struct live_options live = {
		.recording = &r->options->recording,
		.place = record_places_spool(&r->places),
		.spool_path = r->places.spool,
		/* An output that is whole or nothing may fail at its end. It can be repeated only from the whole spool. */
		.is_spool_kept = r->places.capture_place || (format && format->is_whole_or_nothing),
		.cmdline = r->cmdline,
		.quiet = &r->quiet,
		.mask = &r->mask,
		.host = r->node.host,
		.is_confined = true,
		.disk_limit = r->limit.bytes,
	};

	r->live = live_open(&live, err);
	return r->live ? 0 : -1;
}

/* Whether each command has an archive of its own. */
static bool is_of_each(const struct job *r)
{
	return r->options->is_each && r->node.host;
}

static struct place *place_of_command(void *context, const struct event *command)
{
	const struct job *r = context;

	return live_take_place(r->live, (uint32_t)command->fact.number[FACT_COMMAND_pid]);
}

static void take_event(void *context, const struct event *event)
{
	each_take(((const struct job *)context)->each, event);
}

static void take_span(void *context, const struct event *event)
{
	each_take_span(((const struct job *)context)->each, event);
}

static void open_each(struct job *r)
{
	r->each_options = (struct each_options){
		.output = &r->options->output,
		.span = (const struct span *const *)r->spans->span,
		.spans = r->spans->spans,
		.run = r->run,
		.is_private = confine_is_lent(),
		.groups = r->options->recording.selection.groups,
		.place_of = place_of_command,
		.context = r,
	};
	r->each = each_new(&r->each_options);
}

static int open_output(struct job *r, struct error *err)
{
	int rc;

	r->whole = r->options->output;
	if (is_of_each(r))
		r->whole.format = sink_find("null");
	r->run = run_new();
	span_record_use(r->spans, r->run, !r->options->recording.is_system);
	r->output = (struct output){
		.options = &r->whole,
		.path = r->places.path,
		.summary_path = r->places.summary,
		.run = r->run,
		.place = r->places.place,
		.is_private = confine_is_lent(),
		.groups = r->options->recording.selection.groups,
	};
	rc = output_open(&r->output, err);
	r->has_output = !rc;
	if (!rc && is_of_each(r))
		open_each(r);
	return rc;
}

static void end(struct job *r)
{
	if (r->live)
		live_close(r->live, NULL);
	each_free(r->each);
	run_free(r->run);
	free(r->node.options);
	record_places_release(&r->places);
	free(r->cmdline);
}

static bool shows_messages(const struct job *r)
{
	return !r->options->output.is_quiet && probe_columns(STDERR_FILENO) > 0;
}

/*
 * A single Ctrl-C may be a mistake, or may be meant for the command. Only the second one stops the conversion of a recording that
 * may have taken hours.
 */
static bool is_asked_to_stop(void *context)
{
	struct job *r = context;
	int interrupts = live_interrupts(r->live);

	if (live_ended(r->live) == LIVE_RUNNING && disk_limit_look(&r->limit, &r->places, r->each))
		live_end_at_limit(r->live);
	if (interrupts == 1 && !r->is_warned && shows_messages(r)) {
		command_begin_line(live_take_ctrl_c(r->live));
		output_end_progress(&r->output);
		log_warn("converting the recorded data; another Ctrl-C stops the conversion");
		r->is_warned = true;
	}
	return interrupts >= 2;
}

/* The terminal belongs to the command while it runs. */
static void show_progress(void *context, uint64_t bytes, uint64_t total)
{
	struct job *r = context;

	r->limit.converted = bytes;
	if (live_ended(r->live) != LIVE_RUNNING && !live_command_runs(r->live))
		output_progress(&r->output, bytes, total);
}

/* If the archive is cut short for lack of space, the spool stays, so that it can be converted elsewhere. */
static uint64_t available(void *context, uint64_t have)
{
	struct job *r = context;

	if (run_is_cut_short(r->run) || (r->each && each_is_cut_short(r->each)))
		live_keep_spool(r->live);
	return live_available(r->live, have);
}

static int convert(struct job *r, struct error *err)
{
	const struct run_source source = {
		.path = r->places.spool,
		.place = record_places_spool(&r->places),
		.available = available,
		.available_context = r,
		.should_stop = is_asked_to_stop,
		.progress = show_progress,
		.on_event = r->each ? take_event : NULL,
		.on_span = r->each ? take_span : NULL,
		.context = r,
	};

	return run_convert(r->run, &source, err);
}

/* Printed even with -q, because data is missing. */
static void log_limit(const struct job *r)
{
	char number[SUMMARY_NUMBER];

	if (live_ended(r->live) == LIVE_LIMITED)
		log_warn("the recording ended early, because --limit allows %s on disk for archive "
			 "and spool together. Later events are not recorded",
			 summary_bytes(number, r->limit.bytes));
}

static void log_remarks(const struct job *r)
{
	const char *remark;

	log_limit(r);
	for (uint32_t i = 0; (remark = live_remark(r->live, i)); i++)
		log_at(r->options->output.is_quiet ? LOG_INFO : LOG_WARN, "%s", remark);
	for (uint32_t i = 0; (remark = run_warning(r->run, i)); i++)
		log_at(r->options->output.is_quiet ? LOG_INFO : LOG_WARN, "%s", remark);
	span_record_log_troubles(r->spans, r->run);
}

/* Prints an error of iotrace, whose status replaces that of the command. */
static void complain(int *status, struct error *err)
{
	command_complain(err);
	*status = STATUS_FAILED;
}

/* Keeps the spool, and says where it is. */
static void keep_spool(struct job *r)
{
	struct place *place = record_places_spool(&r->places);
	bool is_capture = r->places.capture_place;
	const char *path = is_capture ? r->places.capture : r->places.spool;

	if (!is_capture && place)
		place_keep(place, PLACE_SPOOL);
	if (is_capture && !place_is_published(place))
		return;
	log_warn("conversion is not complete; the recorded data is in %s", path);
	log_warn("To convert it: iotrace convert %s -o DIR", path);
}

/* Returns 0, or -errno with the first error. A failure of one archive does not affect the others. */
static int close_archives(struct job *r, bool is_complete, struct error *err)
{
	int code = r->each ? each_close(r->each, is_complete, err) : 0;
	int also = output_close_main(&r->output, is_complete, code ? NULL : err);

	r->output.is_written &= !code;
	return code ? code : also;
}

/*
 * Ends the recording: closes everything and prints the summary. The archive is closed before signals get their old handlers, so
 * a Ctrl-C cannot leave half of it.
 */
static int finish(struct job *r, int converted, struct error *trouble, int status)
{
	struct error err = {0};
	bool is_complete = converted == RUN_COMPLETE;
	int code;

	output_end_progress(&r->output);
	log_remarks(r);
	if (trouble->code)
		complain(&status, trouble);
	code = close_archives(r, is_complete, &err);
	if (code)
		complain(&status, &err);
	if (record_places_publish_capture(&r->places, output_mode(&r->options->output, true),
					  &r->output.summary.capture, &err))
		complain(&status, &err);
	if (output_close(&r->output, is_complete, &err) && !code)
		complain(&status, &err);
	if (r->each && !r->options->output.is_quiet)
		each_log(r->each);
	if (live_close(r->live, &err))
		complain(&status, &err);
	r->live = NULL;
	if (converted == RUN_STOPPED && r->options->output.is_strict)
		status = STATUS_FAILED;
	if (!is_complete || !r->output.is_written)
		keep_spool(r);
	end(r);
	return status;
}

/*
 * The recording was stopped, but the command still runs, perhaps for long. The archive is completed now. The summary waits,
 * because the terminal belongs to the command.
 */
static void finish_early(struct job *r, int converted, struct error *err)
{
	if (converted < 0 || !live_command_runs(r->live) ||
	    close_archives(r, converted == RUN_COMPLETE, err))
		return;
	if (converted == RUN_STOPPED || r->places.capture_place)
		return;
	place_close(r->places.place);
	r->places.place = r->output.place = NULL;
}

static int follow(struct job *r, const char *name)
{
	struct error err = {0};
	int converted = convert(r, &err);
	int exec_errno = 0, status;

	finish_early(r, converted, &err);
	status = command_exit_status(live_wait(r->live, &exec_errno));
	command_begin_line(shows_messages(r) && live_take_ctrl_c(r->live));
	if (!exec_errno)
		return finish(r, converted, &err, status);
	output_discard(&r->output);
	status = cannot_run(r->options, name, exec_errno);
	end(r);
	return status;
}

static bool is_init(const struct recording *recording)
{
	return recording->pids.count == 1 && recording->pids.item[0] == 1;
}

/* With a command, the terminal belongs to the command, and the recording ends with it. */
static void log_begin(const struct job *r)
{
	const struct recording *recording = &r->options->recording;
	char *whom, *where, *how;

	if (recording->argv || r->node.host || !shows_messages(r))
		return;
	whom = recording->is_system ? mem_strdup("all processes")
	       : is_init(recording)
		       ? mem_strdup("process 1 and the processes that it starts from now on, but "
				    "not those that are already running (-a records all),")
	       : recording->pids.count == 1 ? mem_format("process %u", recording->pids.item[0])
					    : mem_format("%u processes", recording->pids.count);
	where = output_is_made(&r->options->output) ? mem_format(" to %s", r->places.path)
						    : mem_strdup("");
	how = r->has_terminal ? mem_strdup("Ctrl-C")
			      : mem_format("'iotrace stop %d'", (int)getpid());
	log_warn("recording %s%s; %s ends the recording", whom, where, how);
	free(how);
	free(where);
	free(whom);
}

/* The last word became the value of an option, but the user may have meant it as the command. */
static void hint_value(char *const *end, struct error *err)
{
	if (end[-1][0] != '-' && end[-2][0] == '-')
		error_hint(err, "'%s' is the value of %s here.", end[-1], end[-2]);
}

static int run_guest(struct job *r, const char *name)
{
	const struct guest guest = {
		.options = r->options,
		.socket = r->node.socket,
		.join_options = r->node.options,
		.quiet = &r->quiet,
		.name = name,
	};
	int status = guest_run(&guest, &r->places);

	end(r);
	return status;
}

/* Returns 0, or -errno with a message. A host has no command of its own: its first command is that of a guest. */
static int enter_node(struct job *r, struct record_options *options, struct error *err)
{
	struct naming naming;
	char *rendezvous;
	int code;

	naming_init(&naming);
	rendezvous = node_rendezvous(options, &naming, err);
	if (!rendezvous)
		return -err->code;
	/* This comes first: a command whose archive cannot be created must not join. */
	code = options->is_each ? record_places_open_archive(&r->places, options, err) : 0;
	if (!code)
		code = node_enter(&r->node, rendezvous, options, &naming, err);
	free(rendezvous);
	if (r->node.host) {
		record_places_leave(&r->places); /* the descriptors belong to the guest */
		options->recording.argv = NULL;
		options->recording.ready_fd = 0;
		options->recording.name = options->join;
	}
	return code;
}

static int record(void *context, int argc, char **argv)
{
	struct span_record *command = context;
	struct record_options *options = &command->options;
	struct job r = {.options = options,
			.spans = &command->spans,
			.limit.bytes = options->limit};
	struct error err = {0};
	bool is_held = false;
	int status;

	if (options->verbosity)
		log_set_level(options->verbosity > 1 ? LOG_DEBUG : LOG_INFO);
	record_options_log(options);
	if (span_record_choose(&command->spans, options, argc ? argv : NULL, &err))
		return command_misused(&command_record, &err);
	if (flight_check(options, &err) ||
	    record_options_complete(options, argc ? argv : NULL, &err)) {
		if (!argc && !options->recording.is_system && !options->recording.pids.count)
			hint_value(argv, &err);
		return command_misused(&command_record, &err);
	}
	status = argc ? cannot_find(options, argv[0]) : 0;
	if (status || options->flight.window)
		return status ? status : flight_record(options, &command->spans, argc, argv);
	quiet_begin(&r.quiet);
	r.cmdline = command_line(argc, argv);
	r.has_terminal = probe_has_terminal(STDERR_FILENO);
	/* First, because no descriptor of iotrace may have this number. */
	if (limit_check(&err))
		goto fail;
	if (options->recording.ready_fd && live_keep_ready_fd(options->recording.ready_fd, &err))
		goto fail;
	if (enter_node(&r, options, &err))
		goto fail;
	if (r.node.socket)
		return run_guest(&r, argv[0]);
	live_hold_signals(&r.mask);
	is_held = true;
	if (is_of_each(&r) ? record_places_open_whole(&r.places, options, &err)
			   : record_places_open(&r.places, options, &err))
		goto fail;
	log_left(&r);
	if (open_live(&r, &err) || open_output(&r, &err) || live_start(r.live, &err))
		goto fail;
	log_info("the capture grows in %s until it is converted", r.places.spool);
	log_begin(&r);
	return node_leave(&r.node, follow(&r, argc ? argv[0] : ""));
fail:
	command_complain(&err);
	if (r.has_output)
		output_discard(&r.output);
	end(&r);
	/* A pending signal ends iotrace now. */
	if (is_held)
		sigprocmask(SIG_SETMASK, &r.mask, NULL);
	return node_leave(&r.node, err.code == EINTR ? STATUS_SIGNAL + SIGINT : STATUS_FAILED);
}

const struct command command_record = {
	.name = "record",
	.help = "Runs COMMAND, or follows running processes or the whole machine, and writes what\nthey do with files and disks to an OTF2 archive.",
	.operands = "[--] COMMAND [ARG]...",
	.about =
		"The exit status is the command's own (128+N if signal N ended it), 125 if\n"
		"iotrace failed or its arguments are wrong, 126 or 127 if the command cannot run.\n"
		"'iotrace check' shows what can be recorded here; see also iotrace(1).\n",
	.row = record_rows,
	.hint = record_hints,
	.is_default = true,
	.runs_command = true,
	.needs_rights = true,
	.size = sizeof(struct span_record),
	.init = record_options_init,
	.defaults = record_options_defaults,
	.run = record,
	.release = span_record_release,
};
