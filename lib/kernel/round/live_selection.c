#include "live_selection.h"

#include "clock.h"
#include "load/bpf_source.h"
#include "source/live_filter.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <stdlib.h>

static void add_filter_fact(struct live *live, enum fact_filter kind, uint32_t number,
			    uint32_t groups, const char *glob)
{
	facts_add(&live->facts,
		  &(struct fact){.kind = FACT_FILTER,
				 .number = {[FACT_FILTER_kind] = kind,
					    [FACT_FILTER_selection] = number,
					    [FACT_FILTER_groups] = groups},
				 .string = {[FACT_FILTER_glob] = fact_text(glob)}},
		  0, clock_now());
}

static void add_glob_facts(struct live *live, enum fact_filter kind, uint32_t number,
			   const struct text_list *globs)
{
	for (uint32_t i = 0; i < globs->count; i++)
		add_filter_fact(live, kind, number, 0, globs->item[i]);
}

/* The groups come first, because they define the selection. */
static void add_selection_facts(struct live *live, uint32_t number,
				const struct recording_selection *selection)
{
	add_filter_fact(live, FILTER_GROUPS, number, selection->groups, "");
	add_glob_facts(live, FILTER_COMM, number, &selection->comms);
	add_glob_facts(live, FILTER_PATH_INCLUDED, number, &selection->paths);
	add_glob_facts(live, FILTER_PATH_EXCLUDED, number, &selection->excluded);
}

/*
 * Begins with the selection of the recorder itself, whose globs are already in the stream. Its events get filters, because some of
 * them are open only for other commands.
 */
static int begin(struct live *live, struct error *err)
{
	struct live_selections *all = &live->selections;
	int code;

	if (all->count)
		return 0;
	MEM_GROW(all->known, all->capacity, 1);
	code = join_selection_pack(&all->known[0], &live->recording->selection, err);
	all->count = !code;
	all->groups = live->recording->selection.groups;
	return code ? code : live_filter_choose(live, &live->recording->selection, err);
}

/* BPF programs compare names and users themselves and report only the result. */
static int check(const struct live *live, bool has_same_names, struct error *err)
{
	if (has_same_names || !live->recording->users.ids.count)
		return 0;
	return error_say(err, EINVAL,
			 "--join: with --uid, all commands of a recorder need the same --comm");
}

static int add(struct live *live, const struct join_selection *packed,
	       const struct recording_selection *selection, struct error *err)
{
	struct live_selections *all = &live->selections;
	bool has_same_names = join_selection_has_same_names(selection, &live->recording->selection);
	int code = check(live, has_same_names, err);

	if (code)
		return code;
	if (all->count == 1)
		add_filter_fact(live, FILTER_GROUPS, 0, live->recording->selection.groups, "");
	MEM_GROW(all->known, all->capacity, all->count + 1);
	all->known[all->count] = *packed;
	all->groups |= selection->groups;
	all->has_other_names |= !has_same_names;
	if (live->bpf.source)
		bpf_source_widen(live->bpf.source, all->groups, all->has_other_names);
	add_selection_facts(live, all->count++, selection);
	return 0;
}

int live_select(struct live *live, const struct join_selection *packed, uint32_t *number,
		struct error *err)
{
	struct live_selections *all = &live->selections;
	struct recording_selection selection;
	int code = begin(live, err);

	*number = 0;
	while (*number < all->count && !join_selection_is_same(&all->known[*number], packed))
		++*number;
	if (code || (all->count == 1 && !*number))
		return code;
	join_selection_unpack(&selection, packed);
	if (*number == all->count)
		code = add(live, packed, &selection, err);
	if (!code)
		code = live_filter_choose(live, &selection, err);
	join_selection_release(&selection);
	return code;
}

void live_select_all(struct live *live)
{
	const struct live_selections *all = &live->selections;
	struct recording_selection any = live->recording->selection;

	if (all->count < 2)
		return;
	any.groups = all->groups;
	if (all->has_other_names)
		any.comms = (struct text_list){.count = 0};
	live_filter_choose(live, &any, NULL);
}

void live_selections_release(struct live *live)
{
	free(live->selections.known);
}
