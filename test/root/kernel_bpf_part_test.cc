/* The running kernel's types, and the part of them that the programs name. Needs a kernel with types. */
#ifdef IOTRACE_HAS_BPF

extern "C" {
#include "feature/bpf_part.h"
}

#include "load/bpf_shared.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>
#include <iotrace.skel.h>

#include <memory>
#include <string>

namespace
{

using types = std::unique_ptr<struct btf, decltype(&btf__free)>;

const struct btf_type *type_of(const types &all, const char *name, uint32_t kind)
{
	int id = btf__find_by_name_kind(all.get(), name, kind);

	return id < 0 ? nullptr : btf__type_by_id(all.get(), static_cast<uint32_t>(id));
}

TEST(BpfTypes, AgreeWithLibbpf)
{
	types kernel(btf__load_vmlinux_btf(), btf__free);
	struct bpf_types read;

	bpf_types_open(&read);
	ASSERT_TRUE(kernel);
	ASSERT_EQ(read.count, btf__type_cnt(kernel.get()));
	for (uint32_t id = 1; id < read.count; id++) {
		const struct btf_type *type = bpf_types_get(&read, id);
		const struct btf_type *expected = btf__type_by_id(kernel.get(), id);

		ASSERT_EQ(type->info, expected->info) << id;
		ASSERT_STREQ(bpf_types_name(&read, type->name_off),
			     btf__name_by_offset(kernel.get(), expected->name_off));
	}
	bpf_types_close(&read);
}

/* Offsets in the part are those in the kernel. */
TEST(BpfPart, AgreesWithThisKernel)
{
	types kernel(btf__load_vmlinux_btf(), btf__free);
	struct iotrace_bpf *programs = iotrace_bpf__open();
	struct bpf_part made;

	ASSERT_TRUE(kernel && programs);
	bpf_part_open(&made);
	EXPECT_EQ(bpf_part_fill(&made, bpf_object__btf(programs->obj)), 0);
	types part(btf__parse(bpf_part_path(&made), nullptr), btf__free);
	bpf_part_close(&made);
	iotrace_bpf__destroy(programs);
	ASSERT_TRUE(part);
	EXPECT_LT(btf__type_cnt(part.get()), btf__type_cnt(kernel.get()) / 10);
	for (const char *name : {"task_struct", "file", "inode", "dentry"}) {
		const struct btf_type *here = type_of(part, name, BTF_KIND_STRUCT);
		const struct btf_type *there = type_of(kernel, name, BTF_KIND_STRUCT);

		ASSERT_NE(here, nullptr) << name;
		EXPECT_EQ(here->size, there->size) << name;
		for (uint32_t i = 0, k = 0; i < btf_vlen(here); i++) {
			std::string member = btf__name_by_offset(part.get(),
								 btf_members(here)[i].name_off);

			if (member.empty())
				continue;
			while (k < btf_vlen(there) &&
			       member != btf__name_by_offset(kernel.get(),
							     btf_members(there)[k].name_off))
				k++;
			ASSERT_LT(k, btf_vlen(there)) << name << " " << member;
			EXPECT_EQ(btf_member_bit_offset(here, i), btf_member_bit_offset(there, k));
		}
	}
}

} // namespace

#endif
