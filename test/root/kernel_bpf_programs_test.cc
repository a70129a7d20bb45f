/* Every BPF program passes the verifier, in both ways to read the kernel's memory. Needs root and a kernel with BPF. */
#ifdef IOTRACE_HAS_BPF

extern "C" {
#include "feature/bpf_part.h"
#include "feature/bpf_preempt.h"
}

#include "load/bpf_shared.h"

#include <block.skel.h>
#include <block_plain.skel.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <iotrace.skel.h>
#include <iotrace_plain.skel.h>

#include <functional>
#include <string>

namespace
{

std::string said; /* by libbpf, of what it could not load */

int note(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[4096];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	said += line;
	return 0;
}

/* Each alone: so a failure says which. Returns how many there are. */
template <typename Skeleton>
int load_each(Skeleton *(*open)(const struct bpf_object_open_opts *), int (*load)(Skeleton *),
	      void (*destroy)(Skeleton *), const std::function<void(Skeleton *)> &set)
{
	struct bpf_object_open_opts options = {};
	struct bpf_part part;
	int programs = 0;

	options.sz = sizeof(options);
	libbpf_set_print(note);
	bpf_part_open(&part);
	options.btf_custom_path = bpf_part_path(&part);
	for (;; programs++) {
		Skeleton *skeleton = open(&options);
		struct bpf_program *program, *wanted = nullptr;
		int at = 0;

		EXPECT_TRUE(skeleton);
		bpf_object__for_each_program(program, skeleton->obj)
		{
			bpf_program__set_autoload(program, at == programs);
			wanted = at++ == programs ? program : wanted;
		}
		said.clear();
		set(skeleton);
		EXPECT_EQ(bpf_part_fill(&part, bpf_object__btf(skeleton->obj)), 0);
		if (wanted)
			EXPECT_EQ(load(skeleton), 0) << bpf_program__name(wanted) << ": " << said;
		destroy(skeleton);
		if (!wanted)
			break;
	}
	bpf_part_close(&part);
	return programs;
}

/* What the kernel has, or is taken to have. */
struct Kernel {
	const char *name;
	bool has_dynptr, is_preemptible;
};

class BpfPrograms : public testing::TestWithParam<Kernel>
{
      protected:
	void SetUp() override
	{
		bpf_preempt_pretend(GetParam().is_preemptible);
	}

	void TearDown() override
	{
		bpf_preempt_pretend(false);
	}

	template <typename Skeleton> static void set(Skeleton *programs)
	{
		programs->rodata->has_dynptr = GetParam().has_dynptr;
		programs->rodata->is_preemptible = GetParam().is_preemptible;
		programs->rodata->hides_addresses = true;
	}

	/* What the constants rule out the verifier does not look at. */
	template <typename Skeleton> static void set_chosen(Skeleton *programs)
	{
		set(programs);
		programs->rodata->is_system = true;
		programs->rodata->cgroups = BPF_CGROUPS;
		programs->rodata->comm.first = 1;
	}

	template <typename Skeleton> static void set_block(Skeleton *programs)
	{
		programs->rodata->has_devices = true;
		programs->rodata->hides_addresses = true;
	}
};

} // namespace

#define LOAD_EACH(name, set)                                                                       \
	load_each<struct name##_bpf>(name##_bpf__open_opts, name##_bpf__load, name##_bpf__destroy, \
				     set<struct name##_bpf>)

TEST_P(BpfPrograms, OfCallsPassTheVerifier)
{
	EXPECT_GT(LOAD_EACH(iotrace, set), 10);
}

TEST_P(BpfPrograms, OfCallsOfChosenTasksPassTheVerifier)
{
	EXPECT_GT(LOAD_EACH(iotrace, set_chosen), 10);
}

TEST_P(BpfPrograms, OfBlockRequestsPassTheVerifier)
{
	EXPECT_GT(LOAD_EACH(block, set_block), 8);
}

/* Those that call no function of the kernel by its name. */
TEST_P(BpfPrograms, OfPlainCallsPassTheVerifier)
{
	EXPECT_GT(LOAD_EACH(iotrace_plain, set_chosen), 10);
}

TEST_P(BpfPrograms, OfPlainBlockRequestsPassTheVerifier)
{
	EXPECT_GT(LOAD_EACH(block_plain, set_block), 8);
}

INSTANTIATE_TEST_SUITE_P(On, BpfPrograms,
			 testing::Values(Kernel{"Old", false, false}, Kernel{"Recent", true, false},
					 Kernel{"Preemptible", true, true}),
			 [](const auto &info) { return info.param.name; });

#endif
