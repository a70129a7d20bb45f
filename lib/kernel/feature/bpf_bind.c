/* bpf_bind: see bpf_bind.h. */
#include "bpf_bind.h"

#include "bpf_function.h"
#include "bpf_preempt.h"
#include "bpf_types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

/*
 * Programs of a section: NAME or NAME/TARGET.
 *
 * If libbpf sees a program for tracing when it begins to load an object, it reads the kernel's types. So these programs have another
 * type until they are loaded.
 */
struct section {
	const char *name; /* as libbpf wants it: +: a target may follow */
	enum bpf_prog_type type_before, type;
	enum bpf_attach_type attach_type;
	const char *head; /* of the name of the target's type, before TARGET */
	uint32_t kind;    /* of this type */
};

static const struct section sections[] = {
	{"tp_btf+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
	 BPF_TYPES_TRACEPOINT, BTF_KIND_TYPEDEF},
	{"iter+", BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, "bpf_iter_",
	 BTF_KIND_FUNC},
	{.name = "raw_tp+",
	 .type_before = BPF_PROG_TYPE_RAW_TRACEPOINT,
	 .type = BPF_PROG_TYPE_RAW_TRACEPOINT},
	{.name = "kprobe+", .type_before = BPF_PROG_TYPE_KPROBE, .type = BPF_PROG_TYPE_KPROBE},
	{.name = "tracepoint+",
	 .type_before = BPF_PROG_TYPE_TRACEPOINT,
	 .type = BPF_PROG_TYPE_TRACEPOINT},
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

static const char *const functions[] = {
#define NAME(name) [BPF_FUNCTION_##name - BPF_FUNCTION_BEFORE_FIRST - 1] = #name,
	BPF_EACH_FUNCTION(NAME)
#undef NAME
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static struct {
	const struct bpf_types *types;
	uint32_t function[FUNCTIONS]; /* their numbers; 0: the kernel lacks it */
} bound;

/* Returns what a program runs at: TARGET of its section. */
static const char *target_of(const struct bpf_program *program)
{
	const char *slash = strchr(bpf_program__section_name(program), '/');

	return slash ? slash + 1 : "";
}

/* A function that the kernel lacks keeps its number. The kernel refuses the program if it can reach the call. */
static void bind_call(struct bpf_insn *instruction)
{
	int64_t function = (int64_t)instruction->imm - BPF_FUNCTION_BEFORE_FIRST - 1;

	if (instruction->code != (BPF_JMP | BPF_CALL) || instruction->src_reg || function < 0 ||
	    function >= FUNCTIONS || !bound.function[function])
		return;
	instruction->src_reg = BPF_PSEUDO_KFUNC_CALL;
	instruction->imm = (int32_t)bound.function[function];
}

static int bind_calls(struct bpf_program *program)
{
	size_t count = bpf_program__insn_cnt(program);
	struct bpf_insn *instruction = mem_array(count, sizeof(*instruction));
	int code;

	memcpy(instruction, bpf_program__insns(program), count * sizeof(*instruction));
	for (size_t i = 0; i < count; i++)
		bind_call(&instruction[i]);
	code = bpf_program__set_insns(program, instruction, count);
	free(instruction);
	return code;
}

/* Whether the program runs at all system calls, and must not be preempted. */
static bool is_run_by_event(const struct bpf_program *program)
{
	const char *target = target_of(program);

	return (!strcmp(target, "sys_enter") || !strcmp(target, "sys_exit")) &&
	       bpf_preempt_is_possible();
}

/* libbpf calls it before it gives a program to the kernel. A program whose type was changed is left alone. */
static int bind(struct bpf_program *program, struct bpf_prog_load_opts *options, long number)
{
	const struct section *section = &sections[number];

	if (bpf_program__type(program) != section->type_before)
		return 0;
	if (!bound.types)
		return -EINVAL;
	if (is_run_by_event(program)) {
		bpf_program__set_type(program, BPF_PROG_TYPE_TRACEPOINT);
		return bind_calls(program);
	}
	if (section->head) {
		options->attach_btf_id = bpf_types_id(bound.types, section->head,
						      target_of(program), section->kind);
		options->expected_attach_type = section->attach_type;
		if (!options->attach_btf_id)
			return -ESRCH;
	}
	bpf_program__set_expected_attach_type(program, section->attach_type);
	bpf_program__set_type(program, section->type);
	return bind_calls(program);
}

static void replace_handlers(void)
{
	static bool are_replaced;

	for (long i = 0; i < SECTIONS && !are_replaced; i++) {
		const struct libbpf_prog_handler_opts options = {.sz = sizeof(options),
								 .cookie = i,
								 .prog_prepare_load_fn = bind};

		libbpf_register_prog_handler(sections[i].name, sections[i].type_before, 0,
					     &options);
	}
	are_replaced = true;
}

void bpf_bind_to(const struct bpf_types *types)
{
	bound.types = types;
	if (!types || !types->count)
		return;
	for (int i = 0; i < FUNCTIONS; i++)
		bound.function[i] = bpf_types_id(types, functions[i], "", BTF_KIND_FUNC);
	replace_handlers();
}

struct bpf_link *bpf_bind_attach(const struct bpf_program *program)
{
	switch (bpf_program__type(program)) {
	case BPF_PROG_TYPE_TRACING:
		return bpf_program__attach_trace(program);
	case BPF_PROG_TYPE_TRACEPOINT:
		return bpf_preempt_attach(program, target_of(program));
	default:
		return bpf_program__attach_raw_tracepoint(program, target_of(program));
	}
}

int bpf_bind_attach_loaded(struct bpf_link **link, const struct bpf_program *program,
			   struct error *err)
{
	if (!bpf_program__autoload(program))
		return 0;
	*link = bpf_bind_attach(program);
	return *link ? 0
		     : error_set(err, errno, "BPF program %s: attach", bpf_program__name(program));
}

int bpf_bind_attach_all(const struct bpf_object_skeleton *skeleton)
{
	for (int i = 0; i < skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *program = &skeleton->progs[i];

		*program->link = bpf_bind_attach(*program->prog);
		if (!*program->link)
			return -errno;
	}
	return 0;
}
