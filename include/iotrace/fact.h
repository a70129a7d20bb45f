/*
 * fact: information that the kernel layer looks up, because no perf record contains it.
 *
 * A fact is a sample of the dummy event "iotrace:fact"; its raw data is one encoded fact. fact.def has the kinds
 * and their fields. The encoding is self-contained and in the byte order of the host:
 *
 *   u32 kind, u16 count of numbers, u16 count of strings,
 *   u64 number[...], then for each string u16 length and its bytes; no padding.
 *
 * A reader ignores unknown kinds and unknown further fields.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FACT_EVENT_NAME "iotrace:fact"

enum fact_kind {
	FACT_NONE,
#define FACT(kind)
#define NUMBER(kind, field)
#define STRING(kind, field)
#define FACT_SAYS(kind, sentence) FACT_##kind,
#include <iotrace/fact.def>
#undef FACT
#undef NUMBER
#undef STRING
#undef FACT_SAYS
	FACT_KINDS
};

/* Index of each field in number[] or string[] of its kind: FACT_FD_pid, FACT_FD_target. */
/* clang-format off */
#define FACT(kind) enum {
#define NUMBER(kind, field) FACT_##kind##_##field,
#define STRING(kind, field)
#define FACT_SAYS(kind, sentence) FACT_##kind##_NUMBERS };
#include <iotrace/fact.def>
#undef NUMBER
#undef STRING
#undef FACT_SAYS
#define NUMBER(kind, field)
#define STRING(kind, field) FACT_##kind##_##field,
#define FACT_SAYS(kind, sentence) FACT_##kind##_STRINGS };
#include <iotrace/fact.def>
#undef FACT
#undef NUMBER
#undef STRING
#undef FACT_SAYS
/* clang-format on */

enum fact_gap {
	GAP_CPUS,
	GAP_UNTRACED,
	GAP_UNSTORED,
	GAP_MISSED,
	GAP_INIT,
	GAP_RESUMED,
	GAP_UNKEPT,
	GAP_FOREIGN
};                                                                 /* GAP */
enum fact_refused { REFUSED_NOTHING, REFUSED_ALL, REFUSED_URING }; /* REFUSED: missing */
enum fact_filter {                                                 /* FILTER */
		   FILTER_PATH_INCLUDED,
		   FILTER_PATH_EXCLUDED,
		   FILTER_COMM,
		   FILTER_USER,
		   FILTER_DEVICE,
		   FILTER_CGROUP,
		   FILTER_GROUPS,
};

enum {
	FACT_NUMBERS = 20,
	FACT_STRINGS = 5,
	FACT_STRING_SIZE = 8192, /* maximum size of a string: PATH_MAX and " (deleted)" fit */
	FACT_ARGUMENTS = 8000,   /* maximum size of a program's arguments in a fact, in bytes */
	FACT_SIZE_MAX = 60000,
};

/* Strings are lent and not terminated: they point to the caller's memory or into the record. */
struct fact {
	enum fact_kind kind;
	uint64_t number[FACT_NUMBERS];
	struct fact_string {
		const char *at;
		uint32_t length;
	} string[FACT_STRINGS];
};

/* Returns "FD", or NULL if unknown. */
const char *fact_name(uint32_t kind);
/* Returns the names of the kind's numbers or strings, separated by spaces. */
const char *fact_number_names(uint32_t kind);
const char *fact_string_names(uint32_t kind);

/* Returns the encoded size, or 0 if it does not fit or a string is too long. */
size_t fact_encode(const struct fact *fact, void *out, size_t size);
/* Returns 0, -EBADMSG if it is truncated, -ENOENT if the kind is unknown. Missing fields are 0 and "". */
int fact_decode(struct fact *fact, const void *in, size_t size);
