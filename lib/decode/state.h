/*
 * state: what the parts of the decoder share.
 *
 * For each event of the capture there is a reader: the function that its samples go to, and where
 * it finds its fields. A tracepoint's reader refuses until the format with the tracepoint's id has
 * come.
 */
#pragma once

#include "bpf/bpf.h"
#include "tracepoint/chosen.h"
#include "tracepoint/tracepoint.h"

#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/map.h>
#include <iotrace/tally.h>

struct reader {
	tracepoint_decoder decode;
	struct tracepoint tp;
	bool is_fact;
	bool is_bpf;
	uint32_t chosen; /* index among the events of -e, CHOSEN_NONE */
	bool is_waiting; /* for the format of its tracepoint */
};

/* The format whose parts are coming in. */
struct assembly {
	char *system, *name, *text;
	size_t size;
	uint64_t next; /* number of the part that must follow */
	uint64_t left; /* how many are still to come; 0: none is being put together */
};

struct decode {
	const struct capture_info *info; /* lent */
	struct tally *tally;             /* lent */
	struct reader *reader;
	uint32_t readers;
	uint32_t waiting; /* readers that are */
	bool has_facts;   /* iotrace made the capture */
	bool has_task_records;
	bool has_exec_records;
	bool is_without_io; /* another program made it, and it has no call and no block request */
	const struct arch *arch;   /* of the machine that recorded; NULL: not known */
	struct bpf_text *bpf_text; /* NULL: no event of the capture needs it */
	struct assembly assembly;
	struct map counter_of_id;
	const char *counter_name[EVENT_COUNTERS];
	uint32_t counters;
	struct chosen **chosen; /* of -e */
	uint32_t chosens, chosen_cap;
	char **warning;
	uint32_t warnings, warnings_cap;
};

/* What the samples of readers without a tracepoint meet. */
enum decoded reader_ignore(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event);
enum decoded reader_refuse(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event);
/* Sets the readers up for all that the capture's header says. */
int reader_set_up(struct decode *decode, struct error *err);
/*
 * Takes a format file; readers that wait for it are ready then. Returns 0 or -errno with a
 * sentence.
 */
int reader_add_format(struct decode *decode, const char *system, const char *text, size_t size,
		      struct error *err);
/*
 * Says on which machine the stream was recorded. From one that is not known, calls by number are ignored.
 */
void reader_set_machine(struct decode *decode, const char *machine, size_t length);
void reader_release(struct decode *decode);

/* Takes a FACT_FORMAT; what is wrong with it becomes a warning. */
void assembly_add(struct decode *decode, const struct fact *fact);
void assembly_release(struct assembly *assembly);

/* Takes a sentence that mem_format() made. */
void warning_add(struct decode *decode, char *sentence);
/* Adds what the capture of another program cannot tell. After the readers are set up. */
void warning_survey(struct decode *decode);
void warning_release(struct decode *decode);
