/*
 * strtab: maps byte strings to dense ids, and stores each string once.
 *
 * Id 0 is the empty string. Strings may contain any byte and are also terminated by a NUL. Ids are never removed;
 * pointers to texts stay valid until strtab_release().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint32_t str_id;

struct cold;
struct strtab;

struct strtab *strtab_new(void);
void strtab_free(struct strtab *tab);
/* From now on, the texts of a large table may be in the store, which is lent until strtab_free(). */
void strtab_use(struct strtab *tab, struct cold *cold);
/* Returns the id of the bytes, which are copied if new. */
str_id strtab_add(struct strtab *tab, const char *bytes, size_t length);
str_id strtab_add_text(struct strtab *tab, const char *text);
/* Returns the text of id, lent until strtab_free(). id must be < strtab_count(). */
const char *strtab_text(const struct strtab *tab, str_id id);
uint32_t strtab_length(const struct strtab *tab, str_id id);
uint32_t strtab_count(const struct strtab *tab);
/* Returns the size of all texts in bytes. */
size_t strtab_bytes(const struct strtab *tab);
