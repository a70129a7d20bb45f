/* counted_read: reads what the kernel has counted of the spans of <iotrace/counted.h>. */
#pragma once

#include <iotrace/counted.h>

struct live;

/* The counters of the kernel. */
struct counted_books {
	uint64_t begun, ended, cancelled, begun_again, left, died;
	uint64_t unreported; /* asynchronous requests whose end nobody reported */
	uint64_t ends_without_begin, excluded;
	uint64_t below;       /* spans that ended and were not longer than `above` */
	uint64_t full;        /* begins for which there was no space */
	uint64_t ungrouped;   /* spans that ended and had no space for their group */
	uint64_t unread;      /* fields of probes whose memory was not present */
	uint64_t foreign;     /* calls of 32-bit programs, where calls count as they are recorded */
	uint64_t missed;      /* events that the kernel did not pass to a program */
	uint64_t first, last; /* begin and end of counting */
};

/* Spans of one group within a range of durations: a part of a <iotrace/histogram.h>. */
struct counted_part {
	uint64_t group;
	uint32_t cell; /* number of the part, which stays the same */
	bool is_rest;  /* spans of groups for which there was no space */
	uint64_t sum, min, max, bytes;
	uint64_t squares[2];    /* sum of squares, the low half first; 0 if flights are counted */
	uint32_t first;         /* number of the first bucket */
	const uint64_t *bucket; /* COUNTED_BUCKETS */
};

/* The spans of a group, or of all groups, since the begin. */
struct counted_flight {
	uint64_t group;
	bool is_rest, is_total;
	uint64_t
		busy; /* ns in which at least one was in flight, until the moment of the question */
	uint64_t read, written, errors; /* 0 of the total */
	const char *comm;               /* of the thread that made it; lent */
};

struct counted_open {
	uint64_t key[COUNTED_KEYS];
	uint64_t begin, group, bytes;
	uint32_t pid, tid;
	uint64_t
		second; /* the group of the other operation of a call that copies, and 1; 0: none */
};

/* Returns why the span with this index is not counted in the kernel; NULL if it is. Lent. */
const char *live_counted_why(const struct live *live, uint32_t index);
/* The functions below are for a recording that has ended, and for counted spans. */
struct counted_books live_counted_books(const struct live *live, uint32_t index);
void live_counted_parts(const struct live *live, uint32_t index,
			void (*call)(void *context, const struct counted_part *part),
			void *context);
/* Calls back with what was counted since the last call, while the recording runs. live_counted_parts() has the rest at the end. */
void live_counted_take(const struct live *live, uint32_t index,
		       void (*call)(void *context, const struct counted_part *part), void *context);
/* If flights are wanted, this may be called while the recording runs, and so may the parts and the open spans. */
void live_counted_flights(const struct live *live, uint32_t index, uint64_t now,
			  void (*call)(void *context, const struct counted_flight *flight),
			  void *context);
/* Returns the text that is the group, or the name of the file, lent until the next call; NULL: the groups of this span are numbers. */
const char *live_counted_text(const struct live *live, uint32_t index, uint64_t group);
/* Returns whether a field of the span's events chooses between lists of names for its groups, and its last value: decode_choose(). */
bool live_counted_chooser(const struct live *live, uint32_t index, uint64_t *value);
/* Calls back for the open spans. May be called once, or repeatedly if flights are wanted. Returns 0 or -errno. */
int live_counted_open(struct live *live, uint32_t index,
		      void (*call)(void *context, const struct counted_open *open), void *context);
