#include "name_filter.h"

#include <iotrace/path_globs.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 4096 };

enum verdict { UNKNOWN, WANTED, EXCLUDED };

struct name_filter {
	struct path_globs globs;
	bool is_partial; /* some patterns match a file but not what is below it, or are not paths */
	uint8_t *verdict; /* by str_id */
	uint32_t verdicts;
	struct cold_area area; /* of the verdicts */
};

/* Returns whether the pattern is a path that also matches everything below what it matches. */
static bool is_of_tree(const char *glob)
{
	size_t length = strlen(glob);

	return length >= 2 && glob[0] == '/' && glob[length - 1] == '*' && glob[length - 2] != '\\';
}

static struct name_filter *filter_new(struct model *m)
{
	struct name_filter *k = mem_zero(sizeof(*k));

	cold_area_init(&k->area, m->trace.cold);
	m->has_names = true;
	return k;
}

void name_filter_add(struct model *m, uint32_t selection, bool is_exclusion, str_id glob)
{
	if (!m->selection[selection].names)
		m->selection[selection].names = filter_new(m);
	struct name_filter *k = m->selection[selection].names;

	path_globs_add(&k->globs, is_exclusion, trace_text(&m->trace, glob));
	k->is_partial |= is_exclusion || !is_of_tree(trace_text(&m->trace, glob));
}

void name_filter_release(struct model *m)
{
	for (uint32_t i = 0; i < m->selections; i++) {
		struct name_filter *k = m->selection[i].names;

		if (!k)
			continue;
		path_globs_release(&k->globs);
		cold_area_release(&k->area, k->verdict);
		free(k);
	}
}

static bool is_needed(const struct model *m, const char *bytes, size_t length)
{
	char name[NAME_SIZE];

	if (m->is_nameless)
		return false;
	if (!m->has_names || m->trace.host.block != BLOCK_NONE || length >= NAME_SIZE)
		return true;
	memcpy(name, bytes, length);
	name[length] = '\0';
	for (uint32_t i = 0; i < m->selections; i++) {
		const struct name_filter *k = m->selection[i].names;

		if (!k || k->is_partial || path_globs_want(&k->globs, name))
			return true;
	}
	return false;
}

str_id name_stand_in(struct model *m)
{
	static const char stand_in[] = "(excluded)";

	if (!m->stand_in)
		m->stand_in = model_string(m, stand_in, sizeof(stand_in) - 1);
	return m->stand_in;
}

str_id name_add(struct model *m, const char *bytes, size_t length)
{
	return !length || is_needed(m, bytes, length) ? model_string(m, bytes, length)
						      : name_stand_in(m);
}

bool name_is_stand_in(const struct model *m, str_id name)
{
	return name && name == m->stand_in;
}

bool name_is_wanted(struct model *m, uint32_t selection, str_id name)
{
	struct name_filter *k = m->selection[selection].names;

	if (!k)
		return true;
	if (!name)
		return !k->globs.inclusions;
	COLD_GROW(&k->area, k->verdict, k->verdicts, name + 1);
	if (k->verdict[name] == UNKNOWN)
		k->verdict[name] = path_globs_want(&k->globs, trace_text(&m->trace, name))
					   ? WANTED
					   : EXCLUDED;
	m->trace.filters.has_met_path |= k->verdict[name] == WANTED;
	return k->verdict[name] == WANTED;
}

bool name_is_wanted_by_any(struct model *m, str_id name)
{
	bool is_wanted = false;

	for (uint32_t i = 0; i < m->selections && !is_wanted; i++)
		is_wanted = name_is_wanted(m, i, name);
	return is_wanted;
}

bool name_filter_has_inclusions(const struct model *m, uint32_t selection)
{
	return m->selection[selection].names &&
	       m->selection[selection].names->globs.inclusions != 0;
}
