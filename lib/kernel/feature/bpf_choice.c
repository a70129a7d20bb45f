/*
 * bpf_choice: a table of programs by the layout of their tracepoint.
 *
 * The kernel checks how many arguments a program reads, but not their types, so a program for another layout would record wrong
 * values. A program is chosen by the layout that the kernel's types describe.
 */
#include "bpf_choice.h"

#include "bpf_bind.h"
#include "bpf_types.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WAYS = 3 };
/* Rows of task[]. */
enum { URING_BEGIN = 0, URING_END = 1, FAULT_FIRST = 4, FAULT_LAST = 6 };

/* A program for one layout of a tracepoint: see struct bpf_layout; NULL: the program reads no argument. */
struct way {
	const char *program, *tracepoint, *letters;
};

/* At most one of the alternative programs fits the kernel. */
static const struct {
	enum bpf_feature feature;
	struct way way[WAYS];
} task[BPF_TASKS] = {
	{BPF_FEATURE_URING,
	 {{"request_taken", "io_uring_submit_req", "p"},
	  {"request_taken_sqe", "io_uring_submit_sqe", "pi"},
	  {"request_taken_old", "io_uring_submit_sqe", "ppiiiii"}}},
	{BPF_FEATURE_URING,
	 {{"request_ends", "io_uring_complete", "ppp"},
	  {"request_ends_values", "io_uring_complete", "ppiiiii"},
	  {"request_ends_old", "io_uring_complete", "piii"}}},
	{BPF_FEATURE_URING, {{"ring_made", "io_uring_create", "ipiii"}}},
	{BPF_FEATURE_URING,
	 {{"files_fixed", "io_uring_register", "piiii"},
	  {"files_fixed_old", "io_uring_register", "piiiii"}}},
	{BPF_FEATURE_FAULT, {{"fault_begins", "mm_filemap_fault", "pi"}}},
	{BPF_FEATURE_FAULT, {{"page_is_added", "mm_filemap_add_to_page_cache", "p"}}},
	{BPF_FEATURE_FAULT, {{"pages_are_mapped", "mm_filemap_map_pages", "pii"}}},
	{BPF_FEATURE_WRITEBACK, {{"writeback_begins", "writeback_single_inode_start", "ppi"}}},
	{BPF_FEATURE_WRITEBACK, {{"writeback_ends", "writeback_single_inode", "ppi"}}},
	{BPF_FEATURE_CLONE, {{"task_is_made", "task_newtask", "pi"}}},
	{BPF_FEATURE_ARGUMENTS, {{"program_begins", "sched_process_exec", NULL}}},
	{BPF_FEATURE_STATUS, {{"program_ends", "sched_process_exit", NULL}}},
	{BPF_FEATURE_LOCK, {{"lock_is_asked", "fcntl_setlk", "ppi"}}},
};

static bool is_on(const struct bpf_choice *choice, int row)
{
	const struct bpf_feature_state *state = &choice->state[task[row].feature];

	return state->is_wanted && !*state->why && choice->program[row];
}

static void refuse(struct bpf_choice *choice, enum bpf_feature feature, const char *format,
		   const char *text) __attribute__((format(printf, 3, 0)));

/* Keeps the first reason. */
static void refuse(struct bpf_choice *choice, enum bpf_feature feature, const char *format,
		   const char *text)
{
	struct bpf_feature_state *state = &choice->state[feature];

	if (state->is_wanted && !*state->why)
		snprintf(state->why, sizeof(state->why), format, text);
}

static void choose(struct bpf_choice *choice, int row, const struct bpf_layout layout[WAYS])
{
	const struct way *way = task[row].way;
	const char *known = NULL;

	for (int i = 0; i < WAYS && way[i].program; i++) {
		if (*layout[i].letters)
			known = way[i].tracepoint;
		if (*layout[i].letters &&
		    (!way[i].letters || !strcmp(way[i].letters, layout[i].letters))) {
			choice->program[row] = way[i].program;
			return;
		}
	}
	refuse(choice, task[row].feature,
	       known ? "this kernel's tracepoint %s has other arguments"
		     : "this kernel has no tracepoint %s",
	       known ? known : way[0].tracepoint);
}

void bpf_choice_init(struct bpf_choice *choice, uint32_t groups, const struct bpf_types *kernel)
{
	struct bpf_layout layout[BPF_TASKS][WAYS];

	memset(choice, 0, sizeof(*choice));
	groups |= CALL_GROUPS_ALWAYS;
	for (int i = 0; i < BPF_FEATURES; i++)
		choice->state[i].is_wanted = groups >> bpf_feature_row((enum bpf_feature)i)->group &
					     1;
	for (int i = 0; i < BPF_TASKS; i++)
		for (int k = 0; k < WAYS; k++) {
			const char *name = task[i].way[k].tracepoint;

			layout[i][k] = (struct bpf_layout){.tracepoint = name ? name : ""};
		}
	bpf_types_find(kernel, layout[0], BPF_TASKS * WAYS);
	for (int i = 0; i < BPF_TASKS; i++)
		choose(choice, i, layout[i]);
}

const char *bpf_choice_uring_begin(const struct bpf_choice *choice)
{
	return choice->program[URING_BEGIN];
}

bool bpf_choice_has_faults(const struct bpf_choice *choice)
{
	bool has = true;

	for (int i = FAULT_FIRST; i <= FAULT_LAST; i++)
		has = has && choice->program[i];
	return has;
}

const char *bpf_choice_uring_end(const struct bpf_choice *choice)
{
	return choice->program[URING_END];
}

void bpf_choice_apply(const struct bpf_choice *choice, struct bpf_object *object)
{
	for (int i = 0; i < BPF_TASKS; i++)
		for (int k = 0; k < WAYS && task[i].way[k].program; k++) {
			const char *name = task[i].way[k].program;

			bpf_program__set_autoload(bpf_object__find_program_by_name(object, name),
						  is_on(choice, i) &&
							  !strcmp(name, choice->program[i]));
		}
}

bool bpf_choice_refuse(struct bpf_choice *choice, const char *program, const char *why)
{
	for (int i = 0; i < BPF_TASKS; i++) {
		if (!is_on(choice, i) || strcmp(choice->program[i], program) != 0)
			continue;
		refuse(choice, task[i].feature, "%s", why);
		return true;
	}
	return false;
}

static void detach_refused(struct bpf_choice *choice)
{
	for (int i = 0; i < BPF_TASKS; i++) {
		if (is_on(choice, i))
			continue;
		bpf_link__destroy(choice->link[i]);
		choice->link[i] = NULL;
	}
}

void bpf_choice_attach(struct bpf_choice *choice, struct bpf_object *object)
{
	for (int i = 0; i < BPF_TASKS; i++) {
		if (!is_on(choice, i))
			continue;
		choice->link[i] = bpf_bind_attach(
			bpf_object__find_program_by_name(object, choice->program[i]));
		if (!choice->link[i])
			refuse(choice, task[i].feature, "its program cannot be attached: %s",
			       strerror(errno));
	}
	detach_refused(choice);
}

void bpf_choice_detach(struct bpf_choice *choice)
{
	for (int i = 0; i < BPF_TASKS; i++) {
		bpf_link__destroy(choice->link[i]);
		choice->link[i] = NULL;
	}
}
