#include "selection.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdio.h>
#include <string.h>

enum { LISTS = 3 };

/* The lists of a selection, and the letter of each in a message. */
static const struct {
	char letter;
	size_t offset;
} list[LISTS] = {
	{'c', offsetof(struct recording_selection, comms)},
	{'p', offsetof(struct recording_selection, paths)},
	{'x', offsetof(struct recording_selection, excluded)},
};

static const struct text_list *list_of(const struct recording_selection *selection, int index)
{
	return (const struct text_list *)((const char *)selection + list[index].offset);
}

int join_selection_pack(struct join_selection *packed, const struct recording_selection *selection,
			struct error *err)
{
	memset(packed, 0, sizeof(*packed));
	packed->groups = selection->groups;
	for (int i = 0; i < LISTS; i++)
		for (uint32_t k = 0; k < list_of(selection, i)->count; k++) {
			const char *glob = list_of(selection, i)->item[k];
			size_t size = strlen(glob) + 2, room = sizeof(packed->globs) - packed->size;

			if (size > room)
				return error_say(
					err, E2BIG,
					"--join: the patterns of --comm, --path and "
					"--exclude-path are longer than %zu bytes in total",
					sizeof(packed->globs));
			packed->globs[packed->size] = list[i].letter;
			memcpy(packed->globs + packed->size + 1, glob, size - 1);
			packed->size += (uint32_t)size;
		}
	return 0;
}

void join_selection_unpack(struct recording_selection *selection,
			   const struct join_selection *packed)
{
	const char *at = packed->globs, *end;

	*selection = (struct recording_selection){.groups = packed->groups};
	end = at + (packed->size < sizeof(packed->globs) ? packed->size : sizeof(packed->globs));
	while (at < end && memchr(at, '\0', (size_t)(end - at))) {
		for (int i = 0; i < LISTS; i++)
			if (*at == list[i].letter)
				text_list_add((struct text_list *)((char *)selection +
								   list[i].offset),
					      at + 1);
		at += strlen(at) + 1;
	}
}

bool join_selection_is_same(const struct join_selection *a, const struct join_selection *b)
{
	return a->groups == b->groups && a->size == b->size && !memcmp(a->globs, b->globs, a->size);
}

bool join_selection_has_same_names(const struct recording_selection *a,
				   const struct recording_selection *b)
{
	bool is_same = a->comms.count == b->comms.count;

	for (uint32_t i = 0; is_same && i < a->comms.count; i++)
		is_same = !strcmp(a->comms.item[i], b->comms.item[i]);
	return is_same;
}

void join_selection_release(struct recording_selection *selection)
{
	text_list_release(&selection->comms);
	text_list_release(&selection->paths);
	text_list_release(&selection->excluded);
}
