/*
 * state: the state that the parts of the decoder share.
 *
 * Each event of the capture has a reader: the function for its samples, and the offsets of its fields. The reader of a
 * tracepoint rejects samples until the format with the id of the tracepoint has arrived.
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
	bool is_waiting; /* it waits for the format of its tracepoint */
};

/* The format whose parts are arriving. */
struct assembly {
	char *system, *name, *text;
	size_t size;
	uint64_t next; /* number of the next part */
	uint64_t left; /* number of missing parts; 0: no format is being assembled */
};

struct decode {
	const struct capture_info *info; /* lent */
	struct tally *tally;             /* lent */
	struct reader *reader;
	uint32_t readers;
	uint32_t waiting; /* number of waiting readers */
	bool has_facts;   /* iotrace made the capture */
	bool has_task_records;
	bool has_exec_records;
	bool is_without_io; /* another program made it, and it has no call and no block request */
	uint8_t *has_own;   /* see overlap_find(): for each call OWN_...; NULL: no events overlap */
	const struct arch *arch;   /* of the recording machine; NULL: unknown */
	struct bpf_text *bpf_text; /* NULL: no event of the capture needs them */
	struct assembly assembly;
	struct map counter_of_id;
	const char *counter_name[EVENT_COUNTERS];
	uint32_t counters;
	struct chosen **chosen; /* the events of -e */
	uint32_t chosens, chosen_cap;
	struct wanted *want;
	uint32_t wants;
	uint32_t *want_of; /* for each event of the capture: an index, or CHOSEN_NONE */
	char **warning;
	uint32_t warnings, warnings_cap;
};

/* Sets what every event takes from its sample, field by field: clearing a whole event costs as much as reading a sample. */
static inline void event_of_sample(struct event *event, const struct sample *sample, bool is_late)
{
	event->kind = EVENT_NONE;
	event->time = sample->time;
	event->pid = sample->pid;
	event->tid = sample->tid;
	event->cpu = sample->cpu;
	event->is_late = is_late;
	event->choice = CHOICE_UNKNOWN;
}

/* The functions for samples of events that are not tracepoints. */
enum decoded reader_ignore(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event);
enum decoded reader_refuse(const struct tracepoint *tp, const struct sample *sample,
			   struct event *event);
/* Sets up the readers for all events in the header of the capture. */
int reader_set_up(struct decode *decode, struct error *err);
/* Adds a format file and completes the readers that wait for it. Returns 0 or -errno with a message. */
int reader_add_format(struct decode *decode, const char *system, const char *text, size_t size,
		      struct error *err);
/* Sets the machine that recorded the stream. If it is unknown, calls that have only a number are skipped. */
void reader_set_machine(struct decode *decode, const char *machine, size_t length);
void reader_release(struct decode *decode);

/* Sides of a call that have a tracepoint of their own. */
enum { OWN_ENTER = 1, OWN_EXIT = 2 };

/* Finds events that tell the same, in a capture of another program, and adds warnings. Call it when the readers are set up. */
void overlap_find(struct decode *decode);
/* Returns whether another event tells the same. The event is what the reader has made of a sample; has_own is not NULL. */
bool overlap_has(const struct decode *decode, const struct reader *reader,
		 const struct event *event);
void overlap_release(struct decode *decode);

/* Gives a format to the wanted event of that name. */
void wanted_add_format(struct decode *decode, const char *system, const char *text, size_t size);
void wanted_release(struct decode *decode);

/* Handles a FACT_FORMAT; an error becomes a warning. */
void assembly_add(struct decode *decode, const struct fact *fact);
void assembly_release(struct assembly *assembly);

/* Adds a warning; takes over the text, which mem_format() made. */
void warning_add(struct decode *decode, char *sentence);
/* Adds warnings about information that a capture of another program lacks. Call it when the readers are set up. */
void warning_survey(struct decode *decode);
void warning_release(struct decode *decode);
