/* wanted: which events belong to the span: those of followed tasks that fulfil its conditions; and their keys. */
#pragma once

#include "bpf/base/choice.h"
#include "bpf/span/followed.h"
#include "bpf/span/value.h"

/* What a display, or a daemon, has started belongs to iotrace, too. */
static __always_inline bool is_own(int tgid)
{
	int display = own_helper[BPF_SPAN_DISPLAY];
	bool is = tgid == spec.own_tgid;

	for (int i = 0; i < BPF_SPAN_HELPERS; i++)
		is = is || tgid == own_helper[i];
	return is || (display && bpf_get_current_task_btf()->real_parent->tgid == display);
}

/* A thread may change what it is chosen by from call to call. */
static __always_inline bool is_chosen(void)
{
	if (spec.has_user && (uint32_t)bpf_get_current_uid_gid() != spec.user)
		return false;
	return !spec.has_choice || (is_chosen_name(bpf_get_current_task_btf()->comm) &&
				    has_chosen_user() && is_in_chosen_cgroup());
}

/* Whether all ends that come have a begin that counts, unless it was lost. */
static __always_inline bool ends_anywhere(void)
{
	return spec.is_everywhere && (spec.is_system || !spec.is_owner_in_key);
}

/* Probes are only in the processes that are followed, unless other tasks are needed, too. */
static __always_inline bool is_followed(const struct input *input)
{
	int tgid = input->task >> 32;
	struct task_struct *task;

	if (input->site && !spec.is_system && !spec.is_everywhere)
		return true;
	if (spec.is_system)
		return !is_own(tgid);
	if (spec.is_owner_in_key)
		return is_followed_thread(VALUE(input, BPF_SPAN_KEY));
	task = bpf_get_current_task_btf();
	return task->bpf_storage && bpf_task_storage_get(&calls, task, NULL, 0);
}

static __always_inline bool holds(const volatile struct bpf_span_test *test, uint64_t value)
{
	int64_t a = value, b = test->number;
	bool is_less = test->is_signed ? a < b : value < test->number;
	bool is_equal = value == test->number;

	switch (test->compare) {
	case BPF_SPAN_EQUAL:
		return is_equal;
	case BPF_SPAN_UNEQUAL:
		return !is_equal;
	case BPF_SPAN_LESS:
		return is_less;
	case BPF_SPAN_LESS_EQUAL:
		return is_less || is_equal;
	case BPF_SPAN_GREATER:
		return !is_less && !is_equal;
	default:
		return !is_less;
	}
}

/* && binds stronger than ||, so it is enough that all conditions of one alternative hold. */
#define CHECK(input, i)                                                                            \
	do {                                                                                       \
		if ((i) >= (input)->point->tests)                                                  \
			break;                                                                     \
		if ((input)->point->test[i].is_alternative) {                                      \
			is_enough = is_enough || passes;                                           \
			passes = true;                                                             \
		}                                                                                  \
		if (passes && (input)->point->field[BPF_SPAN_TEST + (i)].at == BPF_SPAN_OF_TEXT)   \
			passes = matches((input)->data,                                            \
					 &(input)->point->field[BPF_SPAN_TEST + (i)],              \
					 fetch_of(input, BPF_SPAN_TEST + (i)),                     \
					 &match[number_of_point(input)][i]);                       \
		else                                                                               \
			passes = passes && holds(&(input)->point->test[i],                         \
						 VALUE(input, BPF_SPAN_TEST + (i)));               \
	} while (0)

static __always_inline bool is_wanted(const struct input *input)
{
	bool passes = true, is_enough = false;

	CHECK(input, 0);
	CHECK(input, 1);
	CHECK(input, 2);
	CHECK(input, 3);
	CHECK(input, 4);
	CHECK(input, 5);
	CHECK(input, 6);
	CHECK(input, 7);
	return is_enough || passes;
}

/* Whether a text of the key has no number, so that nothing can be begun. */
static __always_inline bool has_no_key(const struct input *input, const uint64_t *key)
{
	const volatile struct bpf_span_point *point = input->point;
	bool has_none = false;

	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		has_none = has_none || (point->field[BPF_SPAN_KEY + i].is_text && !key[i]);
	return has_none;
}

static __always_inline void take_key(uint64_t *key, const struct input *input)
{
	const volatile struct bpf_span_point *point = input->point;

	key[0] = VALUE(input, BPF_SPAN_KEY) & point->mask[0];
	key[1] = VALUE(input, BPF_SPAN_KEY + 1) & point->mask[1];
	key[2] = VALUE(input, BPF_SPAN_KEY + 2) & point->mask[2];
	key[3] = VALUE(input, BPF_SPAN_KEY + 3) & point->mask[3];
}
