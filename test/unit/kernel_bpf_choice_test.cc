/* Which BPF programs fit a kernel, and why one was refused. */
#ifdef IOTRACE_HAS_BPF

#include "bpf_types_lent.h"
#include "feature/bpf_choice.h"
#include "feature/bpf_log.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <cstdarg>
#include <map>
#include <set>
#include <string>

namespace
{

/* The types of a kernel with these tracepoints: NAME and its arguments, as struct bpf_layout has them. */
class Kernel
{
	struct btf *btf = btf__new_empty();

      public:
	explicit Kernel(const std::map<std::string, std::string> &tracepoints)
	{
		int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
		int constant = btf__add_const(btf, number);
		int pointer = btf__add_ptr(btf, 0);

		for (auto &[name, letters] : tracepoints) {
			int function = btf__add_func_proto(btf, 0);

			btf__add_func_param(btf, "__data", pointer);
			for (char letter : letters)
				btf__add_func_param(btf, "", letter == 'p' ? pointer : constant);
			btf__add_typedef(btf, ("btf_trace_" + name).c_str(),
					 btf__add_ptr(btf, function));
		}
	}
	~Kernel()
	{
		btf__free(btf);
	}
	Kernel(const Kernel &) = delete;
	Kernel &operator=(const Kernel &) = delete;

	struct bpf_choice choose(uint32_t groups) const
	{
		LentTypes types(btf);
		struct bpf_choice choice;

		bpf_choice_init(&choice, groups, &types.types);
		return choice;
	}
};

std::map<std::string, std::string> linux_6_18()
{
	return {{"io_uring_submit_req", "p"},
		{"io_uring_complete", "ppp"},
		{"io_uring_create", "ipiii"},
		{"io_uring_register", "piiii"},
		{"mm_filemap_fault", "pi"},
		{"mm_filemap_add_to_page_cache", "p"},
		{"mm_filemap_map_pages", "pii"},
		{"writeback_single_inode_start", "ppi"},
		{"writeback_single_inode", "ppi"},
		{"task_newtask", "pi"},
		{"sched_process_exec", "pip"},
		{"sched_process_exit", "p"},
		{"fcntl_setlk", "ppi"}};
}

std::set<std::string> programs(const struct bpf_choice &choice)
{
	std::set<std::string> all;

	for (const char *program : choice.program)
		if (program)
			all.insert(program);
	return all;
}

std::string why(const struct bpf_choice &choice, enum bpf_feature feature)
{
	return choice.state[feature].why;
}

TEST(BpfChoice, EverythingFitsALateKernel)
{
	struct bpf_choice choice = Kernel(linux_6_18()).choose(~0U);

	for (auto &state : choice.state)
		EXPECT_STREQ(state.why, "");
	EXPECT_EQ(programs(choice).count("request_taken"), 1u);
	EXPECT_EQ(programs(choice).count("request_ends"), 1u);
	EXPECT_EQ(programs(choice).size(), size_t(BPF_TASKS));
}

TEST(BpfChoice, AProgramIsChosenByTheArgumentsOfItsTracepoint)
{
	auto tracepoints = linux_6_18();

	tracepoints.erase("io_uring_submit_req"); /* Linux 6.1 */
	tracepoints["io_uring_submit_sqe"] = "pi";
	tracepoints["io_uring_complete"] = "ppiiiii";
	auto choice = Kernel(tracepoints).choose(~0U);
	EXPECT_EQ(why(choice, BPF_FEATURE_URING), "");
	EXPECT_EQ(programs(choice).count("request_taken_sqe"), 1u);
	EXPECT_EQ(programs(choice).count("request_ends_values"), 1u);
	EXPECT_EQ(programs(choice).count("request_ends"), 0u);
}

TEST(BpfChoice, Linux515HasOtherArgumentsOfIoUring)
{
	auto tracepoints = linux_6_18();

	tracepoints.erase("io_uring_submit_req");
	tracepoints["io_uring_submit_sqe"] = "ppiiiii";
	tracepoints["io_uring_complete"] = "piii";
	tracepoints["io_uring_register"] = "piiiii";
	auto choice = Kernel(tracepoints).choose(~0U);
	EXPECT_EQ(why(choice, BPF_FEATURE_URING), "");
	for (const char *program : {"request_taken_old", "request_ends_old", "files_fixed_old"})
		EXPECT_EQ(programs(choice).count(program), 1u) << program;
}

/* As many arguments as another kernel has, but not the same ones. */
TEST(BpfChoice, WhatHasOtherArgumentsIsRefused)
{
	auto tracepoints = linux_6_18();

	tracepoints["io_uring_complete"] = "pii"; /* Linux 5.11 */
	auto choice = Kernel(tracepoints).choose(~0U);
	EXPECT_EQ(why(choice, BPF_FEATURE_URING),
		  "this kernel's tracepoint io_uring_complete has other arguments");
	for (int i = 0; i < BPF_FEATURES; i++)
		if (i != BPF_FEATURE_URING)
			EXPECT_EQ(why(choice, bpf_feature(i)), "");
}

TEST(BpfChoice, WhatTheKernelLacksIsNamedIfItIsWanted)
{
	auto tracepoints = linux_6_18();

	tracepoints.erase("mm_filemap_fault"); /* Linux 6.8 */
	tracepoints.erase("mm_filemap_map_pages");
	auto choice = Kernel(tracepoints).choose(1U << GROUP_FAULT);
	EXPECT_EQ(why(choice, BPF_FEATURE_FAULT), "this kernel has no tracepoint mm_filemap_fault");
	choice = Kernel(tracepoints).choose(1U << GROUP_LOCK);
	EXPECT_EQ(why(choice, BPF_FEATURE_FAULT), "");
	EXPECT_FALSE(choice.state[BPF_FEATURE_FAULT].is_wanted);
	EXPECT_TRUE(choice.state[BPF_FEATURE_STATUS].is_wanted); /* always */
}

TEST(BpfChoice, ARefusedProgramTakesItsFeatureAlong)
{
	struct bpf_choice choice = Kernel(linux_6_18()).choose(~0U);

	EXPECT_FALSE(bpf_choice_refuse(&choice, "call_begins", "for a reason"));
	EXPECT_FALSE(bpf_choice_refuse(&choice, "request_taken_sqe", "it is not chosen"));
	EXPECT_TRUE(bpf_choice_refuse(&choice, "files_fixed", "for a reason"));
	EXPECT_EQ(why(choice, BPF_FEATURE_URING), "for a reason");
	EXPECT_FALSE(bpf_choice_refuse(&choice, "ring_made", "it is off"));
	EXPECT_EQ(why(choice, BPF_FEATURE_FAULT), "");
}

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	bpf_log(LIBBPF_WARN, format, args);
	va_end(args);
}

TEST(BpfLog, TheLastWordOfTheVerifierCounts)
{
	struct bpf_refusal refusal;

	bpf_log_keep(&refusal);
	say("libbpf: prog '%s': BPF program load failed: Invalid argument\n", "call_begins");
	say("libbpf: prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n",
	    "call_begins",
	    "Validating is_covered() func#3...\n; bpf_loop(4096, look_at_mount)\n"
	    "1918: (85) call unknown#181\ninvalid func unknown#181\n"
	    "processed 4939 insns (limit 1000000) max_states_per_insn 4\n");
	say("libbpf: prog '%s': failed to load: -22\n", "call_begins");
	say("libbpf: failed to load object '%s'\n", "iotrace_bpf");
	bpf_log_keep(nullptr);
	say("libbpf: prog '%s': failed to load: -1\n", "another");
	EXPECT_STREQ(refusal.program, "call_begins");
	EXPECT_STREQ(refusal.why, "invalid func unknown#181");
}

TEST(BpfLog, AFunctionThatIsMissingIsOfNoProgram)
{
	struct bpf_refusal refusal;

	bpf_log_keep(&refusal);
	say("libbpf: extern (func ksym) '%s': not found in kernel or module BTFs\n", "f");
	say("libbpf: failed to load object '%s'\n", "iotrace_bpf");
	bpf_log_keep(nullptr);
	EXPECT_STREQ(refusal.program, "");
	EXPECT_STREQ(refusal.why, "extern (func ksym) 'f': not found in kernel or module BTFs");
}

TEST(BpfLog, ATypeThatIsMissingIsNamed)
{
	struct bpf_refusal refusal;

	bpf_log_keep(&refusal);
	say("libbpf: prog '%s': failed to find kernel BTF type ID of '%s': -3\n", "a", "b");
	say("libbpf: prog '%s': failed to load: -3\n", "a");
	bpf_log_keep(nullptr);
	EXPECT_STREQ(refusal.program, "a");
	EXPECT_STREQ(refusal.why, "failed to find kernel BTF type ID of 'b': -3");
	bpf_log_keep(&refusal); /* it may be in a module, and a user may not look there */
	say("libbpf: prog '%s': relo #3: target candidate search failed for struct c: -1\n", "a");
	say("libbpf: failed to perform CO-RE relocations: -1\n");
	bpf_log_keep(nullptr);
	EXPECT_STREQ(refusal.program, "a");
	EXPECT_STREQ(refusal.why, "relo #3: target candidate search failed for struct c: -1");
}

} // namespace

#endif
