/*
 * symbols: names for the values of a tracepoint's field, from the print format of its format file: __print_symbolic(REC->FIELD,
 * {1, "NAME"}, ...).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* If there are two tables, another field of the event selects one. Example: `isa` of kvm_exit selects reasons of Intel or AMD. */
struct symbols {
	char *table, *otherwise; /* otherwise: NULL unless there are two */
	char *chooser;           /* name of that field; NULL: there is one table */
	uint64_t choice;         /* value of that field that selects the first table */
	const char *now;         /* the selected one; NULL: there is none */
};

/* Finds the tables of a field; there may be none. The first one is selected. symbols_release() frees them. */
void symbols_init(struct symbols *symbols, const char *format, size_t size, const char *field);
void symbols_release(struct symbols *symbols);
/* If there are two tables, selects the one for this value of the other field. */
void symbols_choose(struct symbols *symbols, uint64_t value);
/* Returns the name of the value in the selected table, or NULL. Lent. */
const char *symbols_find(const struct symbols *symbols, uint64_t value);
