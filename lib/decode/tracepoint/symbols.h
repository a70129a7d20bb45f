/*
 * symbols: names for the values of a tracepoint's field, from the print format of its format file: __print_symbolic(REC->FIELD,
 * {1, "NAME"}, ...).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Returns a table, which the caller frees. Returns NULL if the format has no list for the field, or several that another field
 * selects from.
 */
char *symbols_of(const char *format, size_t size, const char *field);
/* Returns the name of the value, or NULL. Lent. */
const char *symbols_find(const char *symbols, uint64_t value);
