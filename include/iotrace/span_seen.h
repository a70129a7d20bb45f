/* span_seen: what <iotrace/span_engine.h> reports: spans with their fates, and how many there were. */
#pragma once

#include <iotrace/span.h>
#include <iotrace/strtab.h>

enum span_fate {
	SPAN_ENDED,
	SPAN_CANCELLED,   /* an event has cancelled it */
	SPAN_DIED,        /* it was open when a signal killed its process */
	SPAN_LEFT,        /* it was open when its process ended by itself */
	SPAN_BEGUN_AGAIN, /* a span with the same key began again */
	SPAN_LOST, /* it is unknown when it has ended: data was lost, or the kernel does not report it */
	SPAN_OPEN, /* it was open at the end */
	SPAN_FATES
};

struct span_books {
	uint64_t begun, fate[SPAN_FATES];
	/* Ends of spans that began before the recording, or whose begin was lost or excluded. */
	uint64_t ends_without_begin;
	uint64_t excluded; /* begins in tasks that are not recorded */
	uint64_t events;   /* span of tracepoints: number of its events */
	bool is_counted;   /* counted in the kernel, so there are no events; then: */
	uint64_t unkept;   /* begins for which there was no space, */
	uint64_t unread;   /* fields of probes whose memory was not present, so that they are 0 */
	uint64_t missed;   /* and events that the kernel did not pass to the programs */
};

struct span_seen {
	uint32_t span; /* its index in span_engine_new() */
	enum span_fate fate;
	uint64_t group; /* see span_engine_group() */
	uint64_t begin, end, bytes;
	uint64_t read,
		written; /* bytes that it moved, if it has ended and its definition has them */
	bool has_failed; /* it ended with an error */
	bool has_left;   /* its process ended before it did */
	bool is_unseen;  /* it began before the recording; that it is open is all that is known */
	uint64_t key[SPAN_KEYS];
	uint32_t pid, tid; /* where it began; 0: unknown */
	uint32_t stack;    /* stack of its begin: span_engine_frame(); 0: unknown */
	/* A small number that no other open span has. UINT32_MAX: the span became known when it ended. */
	uint32_t slot;
	str_id comm,
		about; /* name of the thread, and of the file; see span_engine_comm(). 0: unknown */
};

/* An event in a thread, in the order of time; `text` is lent for the call and safe for a terminal. */
struct span_note {
	uint32_t tid;
	uint64_t time;
	const char *text;
};

/* What an asynchronous request has moved; the calls that submit it do not say it. */
struct span_moved {
	uint32_t span; /* index of the span that counts these calls */
	uint64_t group, time, read, written;
};

struct span_output {
	void (*seen)(void *context, const struct span_seen *seen);
	void (*note)(void *context, const struct span_note *note); /* NULL: not wanted */
	void *context;
	void (*begun)(void *context,
		      const struct span_seen *seen); /* with the fate SPAN_OPEN; or NULL */
	/* Its process has ended while it was open. seen() follows later, with has_left. NULL: not wanted. */
	void (*left)(void *context, const struct span_seen *left);
	/* NULL: not wanted; then such a request is an operation of its own. */
	void (*moved)(void *context, const struct span_moved *moved);
	/* A thread has begun, with a number that another one may have had. pid == tid: a process. NULL: not wanted. */
	void (*born)(void *context, uint32_t pid, uint32_t tid, uint64_t time);
};
