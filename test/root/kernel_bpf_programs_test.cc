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

/* What the kernel has, or is taken to have. */
struct Kernel {
	const char *name;
	bool has_cast, has_dynptr, is_preemptible;
};

class BpfPrograms : public testing::TestWithParam<Kernel>
{
      protected:
	static void set(struct iotrace_bpf *programs)
	{
		programs->rodata->has_cast = GetParam().has_cast;
		programs->rodata->has_dynptr = GetParam().has_dynptr;
		programs->rodata->is_preemptible = GetParam().is_preemptible;
		programs->rodata->hides_addresses = true;
	}
};

} // namespace

TEST_P(BpfPrograms, OfCallsPassTheVerifier)
{
	EXPECT_GT(load_each<struct iotrace_bpf>(iotrace_bpf__open, iotrace_bpf__load,
						iotrace_bpf__destroy, set),
		  10);
}

/* What the constants rule out the verifier does not look at. */
TEST_P(BpfPrograms, OfCallsOfChosenTasksPassTheVerifier)
{
	auto set_chosen = [](struct iotrace_bpf *programs) {
		set(programs);
		programs->rodata->is_system = true;
		programs->rodata->cgroups = BPF_CGROUPS;
		programs->rodata->comm.first = 1;
	};

	EXPECT_GT(load_each<struct iotrace_bpf>(iotrace_bpf__open, iotrace_bpf__load,
						iotrace_bpf__destroy, set_chosen),
		  10);
}

TEST_P(BpfPrograms, OfBlockRequestsPassTheVerifier)
{
	auto set_block = [](struct block_bpf *programs) {
		programs->rodata->has_cast = GetParam().has_cast;
		programs->rodata->has_devices = true;
		programs->rodata->hides_addresses = true;
	};

	EXPECT_GT(load_each<struct block_bpf>(block_bpf__open, block_bpf__load, block_bpf__destroy,
					      set_block),
		  8);
}

INSTANTIATE_TEST_SUITE_P(Cast, BpfPrograms,
			 testing::Values(Kernel{"ByHelper", false, false, false},
					 Kernel{"ByCast", true, true, false},
					 Kernel{"Preemptible", true, true, true}),
			 [](const auto &info) { return info.param.name; });

#endif
