/*
 * counted: spans of tracepoints and probes of programs that the kernel pairs and counts, so that only numbers leave it.
 *
 * The spans to count are part of a recording. If the kernel cannot count a span, its events are recorded instead.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	COUNTED_KEYS = 4,
	COUNTED_TESTS = 8,
	COUNTED_TEXT = 32,
	COUNTED_BUCKETS = 16,
	COUNTED_VALUES = 512
};

enum counted_compare {
	COUNTED_EQUAL,
	COUNTED_UNEQUAL,
	COUNTED_LESS,
	COUNTED_LESS_EQUAL,
	COUNTED_GREATER,
	COUNTED_GREATER_EQUAL,
};

struct counted_test {
	const char *field;
	enum counted_compare compare;
	bool is_negative;    /* number is an int64_t */
	bool is_alternative; /* it follows "||", which binds weaker than "&&" */
	uint64_t number;
	/* COUNTED_EQUAL and COUNTED_UNEQUAL: the field is a text, or begins with this one; NULL: it is a number. */
	const char *text;
	uint32_t length; /* of the text, which may be longer */
	bool is_prefix;
	const char *pattern; /* a glob that the text must match instead; NULL: none */
};

/* Fields are those of the tracepoint, or otherwise pid, tid and cpu of its task. */
struct counted_point {
	const char *event; /* SYSTEM:EVENT; NULL: none */
	const char *
		entry; /* the event has fields of this one, the entry of its function; NULL: none */
	const char *key[COUNTED_KEYS];
	uint64_t mask[COUNTED_KEYS]; /* the bits of the key that count; 0: all */
	struct counted_test test[COUNTED_TESTS];
	uint32_t tests;
};

/* The events of a span: the first one of each side, and others that do the same. */
enum {
	COUNTED_BEGIN,
	COUNTED_END,
	COUNTED_CANCEL,
	COUNTED_SIDES,
	COUNTED_BEGIN_2 = COUNTED_SIDES,
	COUNTED_END_2,
	COUNTED_END_3,
	COUNTED_END_4,
	COUNTED_CANCEL_2,
	COUNTED_POINTS,
};

enum counted_by {
	COUNTED_BY_GROUP,
	COUNTED_BY_NOTHING,
	COUNTED_BY_PROCESS, /* by the id of the process in which it began; the same for threads */
	COUNTED_BY_THREAD,
	COUNTED_BY_USER,
	COUNTED_BY_CGROUP, /* the control group of version 2 */
	/*
	 * By an owner and a class: <iotrace/counted_owner.h>. Flights are by owner. COUNTED_BY_OWNER: the first field of the key, or the
	 * device of a request; and the group, or what a request moves. COUNTED_BY_FILE_SYSTEM: its device number, 0 if it is not known.
	 */
	COUNTED_BY_OWNER,
	COUNTED_BY_FILE_SYSTEM,
	COUNTED_BY_FILE,       /* of operations: live_counted_text() */
	COUNTED_BY_MODE,       /* of operations: enum io_mode */
	COUNTED_BY_CONNECTION, /* as COUNTED_BY_OWNER, but flights are by both */
	/* Of block requests: the number of the device in the kernel's format, and enum request_kind. COUNTED_BY_GROUP: map_key() of both. */
	COUNTED_BY_DEVICE,
	COUNTED_BY_KIND,
};

/* Block requests, or parts of them: until they were issued last, or from then on. */
enum counted_requests {
	COUNTED_NO_REQUESTS,
	COUNTED_WHOLE_REQUESTS,
	COUNTED_QUEUES,
	COUNTED_SERVICES,
};

/* The bytes of one direction are the size of the begin or of the end, less a header. */
struct counted_way {
	bool is_of_end;
	uint32_t header;
};

/* What is in flight is counted, too, and what the spans moved: for numbers that are read while the recording goes on. */
struct counted_flights {
	bool is_wanted;
	bool has_async;     /* bytes of asynchronous requests count for the groups of calls */
	const char *result; /* a field of the end: negative if the span failed; NULL: none */
	struct counted_way read, written;
};

/* Lent for the life of the recording. */
struct counted_span {
	const char *name;
	struct counted_point point[COUNTED_POINTS];
	uint32_t keys;
	uint32_t cancel_keys; /* fewer than `keys`: all spans with these first keys are cancelled */
	enum counted_by by;
	const char *group, *size; /* fields of the begin, or otherwise of the end; NULL: none */
	/* The first field of the key is the thread that the span belongs to. */
	bool is_owner_in_key;
	/* Events of all tasks are needed, also of those that are not recorded. */
	bool is_everywhere;
	uint64_t above; /* shorter spans are only counted; 0: all are added up */
	uint32_t room;  /* maximum number of open spans */
	uint32_t cells; /* maximum number of parts of groups, on all CPUs; 0: many */
	bool has_user;  /* only spans that begin in threads of this user */
	uint32_t user;
	/* The size is the result of a call. It is one only if the call moves data, and counts in each direction of `about`. */
	bool is_size_result;
	bool is_taken_in_parts; /* live_counted_take() is called */
	/* Of COUNTED_VALUES values of the group. What the last one says holds for all others, too. NULL: nothing is known of any. */
	const uint8_t *about;
	/* COUNTED_BY_FILE_SYSTEM, operations: an argument of each call, or COUNTED_FD_...; and of the file that it copies to. */
	const uint8_t *fd, *fd2;
	struct counted_flights flights;
	/* System calls as a recording has them: of ioctl() only requests of ioctls.def. What has begun before does not count. */
	bool is_as_recorded;
	/* Each transfer of a call is a span, and the class of a call is one of enum counted_operation. */
	bool is_of_operations;
	bool has_async_operations; /* asynchronous requests are spans, too */
	bool has_faults;           /* so are page faults that read mapped files */
	bool is_of_faults;         /* nothing else is */
	enum counted_requests requests;
	struct text_list events; /* events to record if the span cannot be counted */
};
