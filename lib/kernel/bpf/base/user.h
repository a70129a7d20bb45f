/* user: whether the user of the current task is recorded. */
#pragma once

#include "load/bpf_shared.h"

#include <bpf/bpf_helpers.h>
#include <iotrace/bpf_record.h>

const volatile struct bpf_users users;

static __always_inline bool is_chosen_user(uint32_t user)
{
	for (uint32_t i = 0; i < BPF_USERS && i < users.count; i++)
		if (users.id[i] == user)
			return true;
	return !users.count;
}

/* Compares the current credentials of the task, no matter which user began the program. */
static __always_inline bool has_chosen_user(void)
{
	return is_chosen_user(bpf_get_current_uid_gid());
}

static __always_inline uint16_t choice_by_user(void)
{
	if (!users.count)
		return 0;
	return has_chosen_user() ? BPF_RECORD_CHOSEN : BPF_RECORD_NOT_CHOSEN;
}
