/* select: parses groups of system calls. */
#include "select.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <iotrace/syscall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All groups of calls. Requests, page faults and writeback are not calls, and each tracepoint of requests takes 25 ms to close. */
static const uint32_t all = ((1U << GROUP_COUNT) - 1) &
			    ~(1U << GROUP_URING | 1U << GROUP_FAULT | 1U << GROUP_WRITEBACK);
/* A user who asks for mappings also wants the data that moves through them. */
static const uint32_t mappings = 1U << GROUP_MAP | 1U << GROUP_FAULT | 1U << GROUP_WRITEBACK;

uint32_t select_default(void)
{
	uint32_t groups = CALL_GROUPS_ALWAYS;

	for (int i = 0; i < GROUP_COUNT; i++) {
		if (call_group_is_default((enum call_group)i))
			groups |= 1U << i;
	}
	return groups;
}

static int refuse(const char *word, struct error *err)
{
	call_id call = call_by_name(word, strlen(word));
	struct nearest nearest;
	char names[256] = "";
	size_t used = 0;

	if (call != CALL_ID_NONE)
		return error_say(err, EINVAL, "'%s' is a system call; its group is %s", word,
				 call_group_name(call_row(call)->group));

	nearest_init(&nearest, word);
	for (int i = 0; i < GROUP_COUNT; i++) {
		const char *name = call_group_name((enum call_group)i);

		nearest_try(&nearest, name);
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 name);
		if (used >= sizeof(names))
			break;
	}
	return error_say(err, EINVAL,
			 "unknown group of system calls '%s'%s%s%s: expected %s, all or default",
			 word, nearest.best ? " (did you mean '" : "",
			 nearest.best ? nearest.best : "", nearest.best ? "'?)" : "", names);
}

/* Returns the bits of a word, 0: unknown. */
static uint32_t find(const char *word)
{
	if (!strcmp(word, "all"))
		return all;
	if (!strcmp(word, "default"))
		return select_default();
	if (!strcmp(word, call_group_name(GROUP_MAP)))
		return mappings;
	for (int i = 0; i < GROUP_COUNT; i++) {
		if (!strcmp(word, call_group_name((enum call_group)i)))
			return 1U << i;
	}
	return 0;
}

static int apply(uint32_t *groups, const char *word, struct error *err)
{
	char sign = *word == '+' || *word == '-' ? *word++ : '+';
	uint32_t bits = find(word);

	if (!bits)
		return refuse(word, err);
	if (sign == '+')
		*groups |= bits;
	else if (!(bits & ~CALL_GROUPS_ALWAYS))
		return error_say(
			err, EINVAL,
			"group '%s' cannot be removed, because all other groups depend on it",
			word);
	else
		*groups &= ~bits;
	return 0;
}

int select_parse(void *field, const char *spec, struct error *err)
{
	char *words = mem_strdup(spec), *rest = words, *word;
	uint32_t groups = *spec == '+' || *spec == '-' ? select_default() : 0;
	int rc = 0;

	while (!rc && (word = strsep(&rest, ",")))
		rc = apply(&groups, word, err);
	if (!rc)
		*(uint32_t *)field = groups | CALL_GROUPS_ALWAYS;
	free(words);
	return rc;
}
