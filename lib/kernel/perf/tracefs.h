/*
 * tracefs: the kernel's description of its tracepoints.
 *
 * Everything is read through one directory descriptor, so a saved tree of format files does as well as the
 * kernel's own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

struct tracefs {
	int dir;          /* -1: closed */
	bool is_detached; /* mounted nowhere: seen through dir alone */
};

/*
 * Returns 0, or -errno with a sentence. Takes the mount that is there; if there is none and we may, makes one
 * that is attached nowhere, so that nothing on the machine changes.
 */
int tracefs_open(struct tracefs *tracefs, struct error *err);
/* Reads the tree below dir, which is taken. */
void tracefs_open_at(struct tracefs *tracefs, int dir);
void tracefs_close(struct tracefs *tracefs);

/* Returns the text of a file (the caller frees it), or NULL with a sentence. */
char *tracefs_text(const struct tracefs *tracefs, const char *path, struct error *err);
/* Returns the format of a tracepoint (the caller frees it), or NULL with a sentence. */
char *tracefs_format(const struct tracefs *tracefs, const char *system, const char *name,
		     struct error *err);
/* Returns the number that a format gives its tracepoint, or -1. */
int tracefs_id(const char *format);
/* Returns whether the format has the field, and where it stands. */
bool tracefs_field(const char *format, const char *field, uint32_t *offset, uint32_t *size);
/*
 * Returns whether samples of the tracepoint have an address in the kernel: a pointer, or a number that its print format shows as
 * one (%p, which the kernel hashes) or that has the name of one.
 */
bool tracefs_has_address(const char *system, const char *format);
