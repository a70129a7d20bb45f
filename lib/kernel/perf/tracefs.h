/*
 * tracefs: the kernel's description of its tracepoints.
 *
 * Everything is read through one directory descriptor, so tests can use a saved tree of format files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

struct tracefs {
	int dir;          /* -1: closed */
	bool is_detached; /* the mount is attached nowhere and only visible through dir */
};

/*
 * Returns 0, or -errno with a message. Uses the existing mount. If there is none, it creates a mount that is attached nowhere, if
 * that is allowed, so nothing on the machine changes.
 */
int tracefs_open(struct tracefs *tracefs, struct error *err);
/* Uses the tree below dir; takes over the descriptor. */
void tracefs_open_at(struct tracefs *tracefs, int dir);
void tracefs_close(struct tracefs *tracefs);

/* Returns the text of a file (the caller frees it), or NULL with a message. */
char *tracefs_text(const struct tracefs *tracefs, const char *path, struct error *err);
/* Returns the format of a tracepoint (the caller frees it), or NULL with a message. */
char *tracefs_format(const struct tracefs *tracefs, const char *system, const char *name,
		     struct error *err);
/* Returns the id of the tracepoint in a format, or -1. */
int tracefs_id(const char *format);
/* Returns whether the format has the field, with its offset and size in bytes. */
bool tracefs_field(const char *format, const char *field, uint32_t *offset, uint32_t *size);
/*
 * Returns whether samples of the tracepoint contain a kernel address: a pointer, or a number that the print format shows as one (%p,
 * which the kernel hashes) or whose name is that of an address.
 */
bool tracefs_has_address(const char *system, const char *format);
