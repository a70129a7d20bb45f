/*
 * probe_spec: a probe of a program as the user writes it, and the fields that it can have.
 *
 *   uprobe:PATH:SYMBOL[+OFFSET][%return]     a function, a place in it, or its return; SYMBOL may be an address: 0x1234
 *   usdt:PATH:PROVIDER:NAME                  a static probe (SDT)
 *
 * A field is arg1, arg2, ..., retval, or memory behind one, as perf-probe(1) writes it: +16(arg2), +4(+16(arg2)). A type may follow:
 * u8 to u64, s8 to s64, x8 to x64 (hexadecimal), string.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

enum { PROBE_ARGS = 12, PROBE_DEPTH = 4, PROBE_NAME_SIZE = 32, PROBE_TYPE_SIZE = 8 };

struct probe_spec {
	bool is_marker; /* a static probe (SDT) */
	bool is_return;
	char *path;
	char *symbol; /* with its offset; for a static probe: the provider */
	char *name;   /* name of a static probe; otherwise NULL */
};

struct probe_field {
	uint32_t argument;           /* from 1; 0: retval */
	uint32_t depth;              /* number of memory accesses */
	int64_t offset[PROBE_DEPTH]; /* in the order of the accesses */
	char type[PROBE_TYPE_SIZE];  /* "": the caller's default */
};

/* Returns whether the word is a probe of a program. */
bool probe_spec_is(const char *word);
/* Returns 0, or -EINVAL with a message. In both cases, call probe_spec_release(). */
int probe_spec_parse(struct probe_spec *spec, const char *word, struct error *err);
void probe_spec_release(struct probe_spec *spec);

/* Returns 0, or -EINVAL with a message that explains the syntax. */
int probe_field_parse(struct probe_field *field, const char *text, struct error *err);
/* Writes the field's name in the kernel's format: "arg2_16_4_u32". */
void probe_field_name(const struct probe_field *field, char name[PROBE_NAME_SIZE]);
/* Returns the kernel's fetch argument, "+4(+16(%si)):u32", to be freed; `base` is the location of the argument. */
char *probe_field_fetch(const struct probe_field *field, const char *base, const char *type);
