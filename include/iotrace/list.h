/*
 * list: a growing array of texts or numbers.
 *
 * A zeroed list is valid and empty. The texts are lent, unless the owner of the list says otherwise.
 */
#pragma once

#include <iotrace/mem.h>
#include <stdint.h>
#include <stdlib.h>

struct text_list {
	const char **item;
	uint32_t count, cap;
};

struct number_list {
	uint32_t *item;
	uint32_t count, cap;
};

static inline void text_list_add(struct text_list *list, const char *text)
{
	MEM_GROW(list->item, list->cap, list->count + 1);
	list->item[list->count++] = text;
}

static inline void number_list_add(struct number_list *list, uint32_t number)
{
	MEM_GROW(list->item, list->cap, list->count + 1);
	list->item[list->count++] = number;
}

static inline void text_list_release(struct text_list *list)
{
	free(list->item);
	list->item = NULL;
	list->count = list->cap = 0;
}

static inline void number_list_release(struct number_list *list)
{
	free(list->item);
	list->item = NULL;
	list->count = list->cap = 0;
}
