/* Every BPF program passes the verifier, in both ways to read the kernel's memory. Needs root and a kernel with BPF. */
#ifdef IOTRACE_HAS_BPF

#include "bpf_shared.h"

#include <block.skel.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <iotrace.skel.h>

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
int load_each(Skeleton *(*open)(), int (*load)(Skeleton *), void (*destroy)(Skeleton *),
	      const std::function<void(Skeleton *)> &set)
{
	int programs = 0;

	libbpf_set_print(note);
	for (;; programs++) {
		Skeleton *skeleton = open();
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
		if (wanted)
			EXPECT_EQ(load(skeleton), 0) << bpf_program__name(wanted) << ": " << said;
		destroy(skeleton);
		if (!wanted)
			return programs;
	}
}

class BpfPrograms : public testing::TestWithParam<bool>
{
};

} // namespace

TEST_P(BpfPrograms, OfCallsPassTheVerifier)
{
	auto set = [](struct iotrace_bpf *programs) {
		programs->rodata->has_cast = GetParam();
	};

	EXPECT_GT(load_each<struct iotrace_bpf>(iotrace_bpf__open, iotrace_bpf__load,
						iotrace_bpf__destroy, set),
		  10);
}

/* What the constants rule out the verifier does not look at. */
TEST_P(BpfPrograms, OfCallsOfChosenTasksPassTheVerifier)
{
	auto set = [](struct iotrace_bpf *programs) {
		programs->rodata->has_cast = GetParam();
		programs->rodata->is_system = true;
		programs->rodata->cgroups = BPF_CGROUPS;
		programs->rodata->comm.first = 1;
	};

	EXPECT_GT(load_each<struct iotrace_bpf>(iotrace_bpf__open, iotrace_bpf__load,
						iotrace_bpf__destroy, set),
		  10);
}

TEST_P(BpfPrograms, OfBlockRequestsPassTheVerifier)
{
	auto set = [](struct block_bpf *programs) {
		programs->rodata->has_cast = GetParam();
		programs->rodata->has_devices = true;
	};

	EXPECT_GT(load_each<struct block_bpf>(block_bpf__open, block_bpf__load, block_bpf__destroy,
					      set),
		  8);
}

INSTANTIATE_TEST_SUITE_P(Cast, BpfPrograms, testing::Bool(),
			 [](const auto &info) { return info.param ? "ByCast" : "ByHelper"; });

#endif
