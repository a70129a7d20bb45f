/* The part of the kernel's types that libbpf searches has all that the programs name, as the kernel has it. */
#ifdef IOTRACE_HAS_BPF

extern "C" {
#include "feature/bpf_part.h"
}

#include "bpf_types_lent.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace
{

using types = std::unique_ptr<struct btf, decltype(&btf__free)>;

types empty()
{
	return {btf__new_empty(), btf__free};
}

/* A kernel with a part that is wanted between others. */
struct Kernel {
	int number, pointer, flags, moment, operation, file;

	explicit Kernel(struct btf *btf, int before)
	{
		number = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
		for (int i = 0; i < before; i++)
			btf__add_struct(btf, ("other" + std::to_string(i)).c_str(), 4);
		moment = btf__add_struct(btf, "timespec64", 16);
		btf__add_field(btf, "tv_sec", number, 0, 0);
		btf__add_field(btf, "tv_nsec", number, 64, 0);
		pointer = btf__add_ptr(btf, btf__add_const(btf, moment));
		flags = btf__add_int(btf, "unsigned int", 4, 0);
		int inside = btf__add_union(btf, nullptr, 8);
		btf__add_field(btf, "f_count", number, 0, 0);
		btf__add_field(btf, "f_unknown", pointer, 0, 0);
		int row = btf__add_array(btf, flags, flags, 3);
		int path = btf__add_volatile(btf, pointer);
		file = btf__add_struct(btf, "file", 48);
		btf__add_field(btf, nullptr, inside, 64, 0);
		btf__add_field(btf, "f_path", path, 128, 0);
		btf__add_field(btf, "f_bit", flags, 200, 3);
		btf__add_field(btf, "f_row", row, 256, 0);
		operation = btf__add_enum(btf, "req_op", 4);
		btf__add_enum_value(btf, "REQ_OP_READ", 0);
		btf__add_enum_value(btf, "REQ_OP_WRITE", 1);
		btf__add_typedef(btf, "sector_t", number);
	}
};

/* The types that libbpf searches. */
types part_of(struct btf *kernel, const struct btf *programs)
{
	struct bpf_part part;

	bpf_part_open(&part);
	bpf_types_close(&part.types);
	EXPECT_EQ(lend(&part.types, kernel), 0);
	EXPECT_EQ(bpf_part_fill(&part, programs), 0);
	types read(btf__parse(bpf_part_path(&part), nullptr), btf__free);
	bpf_part_close(&part);
	btf__free(kernel);
	return read;
}

/* The programs name each of these types, with this member. */
types programs(std::initializer_list<const char *> structs, const char *member)
{
	types btf = empty();
	int number = btf__add_int(btf.get(), "int", 4, BTF_INT_SIGNED);

	for (const char *name : structs) {
		btf__add_struct(btf.get(), name, 4);
		btf__add_field(btf.get(), member, number, 0, 0);
	}
	return btf;
}

types part_with(const char *type, const char *member, int before = 0)
{
	struct btf *kernel = btf__new_empty();
	types named = programs({type}, member);

	Kernel(kernel, before);
	return part_of(kernel, named.get());
}

const struct btf_type *type_of(const types &part, const char *name, uint32_t kind)
{
	int id = btf__find_by_name_kind(part.get(), name, kind);

	return id < 0 ? nullptr : btf__type_by_id(part.get(), static_cast<uint32_t>(id));
}

TEST(BpfPart, HasTheWantedMembersWhereTheKernelHasThem)
{
	types part = part_with("file", "f_bit", 100);
	const struct btf_type *file = type_of(part, "file", BTF_KIND_STRUCT);

	ASSERT_NE(file, nullptr);
	EXPECT_EQ(file->size, 48U);
	ASSERT_EQ(btf_vlen(file), 2) << "the member without a name, and the wanted one";
	EXPECT_STREQ(btf__name_by_offset(part.get(), btf_members(file)[1].name_off), "f_bit");
	EXPECT_EQ(btf_member_bit_offset(file, 1), 200U);
	EXPECT_EQ(btf_member_bitfield_size(file, 1), 3U);
	EXPECT_EQ(type_of(part, "other1", BTF_KIND_STRUCT), nullptr);
	EXPECT_EQ(type_of(part, "req_op", BTF_KIND_ENUM), nullptr);
}

TEST(BpfPart, MembersOfMembersWithoutANameAreFound)
{
	types part = part_with("file___old", "f_count");
	const struct btf_type *file = type_of(part, "file", BTF_KIND_STRUCT);

	ASSERT_NE(file, nullptr) << "file___old is a version of it";
	ASSERT_EQ(btf_vlen(file), 1);
	EXPECT_EQ(btf_member_bit_offset(file, 0), 64U);
	const struct btf_type *inside = btf__type_by_id(part.get(), btf_members(file)[0].type);
	ASSERT_TRUE(btf_is_union(inside));
	ASSERT_EQ(btf_vlen(inside), 1);
	EXPECT_EQ(btf__resolve_size(part.get(), btf_members(inside)[0].type), 8);
}

TEST(BpfPart, HasSizesOfArraysAndPointers)
{
	types row = part_with("file", "f_row"), path = part_with("file", "f_path");
	const struct btf_type *file = type_of(row, "file", BTF_KIND_STRUCT);

	ASSERT_NE(file, nullptr);
	EXPECT_EQ(btf__resolve_size(row.get(), btf_members(file)[1].type), 12);
	file = type_of(path, "file", BTF_KIND_STRUCT);
	ASSERT_NE(file, nullptr);
	EXPECT_TRUE(btf_is_ptr(btf__type_by_id(path.get(), btf_members(file)[1].type)));
}

TEST(BpfPart, HasEnumeratorsAndTypedefs)
{
	struct btf *kernel = btf__new_empty();
	Kernel(kernel, 0);
	types named = empty();
	btf__add_enum(named.get(), "req_op", 4);
	btf__add_typedef(named.get(), "sector_t", btf__add_int(named.get(), "int", 4, 0));
	types part = part_of(kernel, named.get());
	const struct btf_type *operation = type_of(part, "req_op", BTF_KIND_ENUM);

	ASSERT_NE(operation, nullptr);
	ASSERT_EQ(btf_vlen(operation), 2);
	EXPECT_STREQ(btf__name_by_offset(part.get(), btf_enum(operation)[1].name_off),
		     "REQ_OP_WRITE");
	EXPECT_EQ(btf_enum(operation)[1].val, 1);
	int sector = btf__find_by_name_kind(part.get(), "sector_t", BTF_KIND_TYPEDEF);
	EXPECT_EQ(btf__resolve_size(part.get(), static_cast<uint32_t>(sector)), 8);
}

/* The programs give the kernel the number of this type. */
TEST(BpfPart, OneTypeKeepsItsNumber)
{
	for (int before : {0, 1, 7, 5000}) {
		struct btf *kernel = btf__new_empty();
		int number = Kernel(kernel, before).moment;
		types named = programs({"file", "timespec64"}, "tv_sec");
		types part = part_of(kernel, named.get());

		ASSERT_NE(part, nullptr);
		EXPECT_EQ(btf__find_by_name_kind(part.get(), "timespec64", BTF_KIND_STRUCT), number)
			<< before;
	}
}

/* If that number is not free, libbpf searches all types. Here, types that come later are copied first. */
TEST(BpfPart, IsTheWholeIfTheNumberIsTaken)
{
	enum { NUMBER = 1, FILE, MOMENT, ROW, ITEM };
	struct btf *kernel = btf__new_empty();
	types named = programs({"file"}, "f_row");

	ASSERT_EQ(btf__add_int(kernel, "long", 8, BTF_INT_SIGNED), NUMBER);
	ASSERT_EQ(btf__add_struct(kernel, "file", 16), FILE);
	btf__add_field(kernel, "f_row", ROW, 0, 0);
	ASSERT_EQ(btf__add_struct(kernel, "timespec64", 16), MOMENT);
	ASSERT_EQ(btf__add_array(kernel, ITEM, ITEM, 3), ROW);
	ASSERT_EQ(btf__add_int(kernel, "int", 4, BTF_INT_SIGNED), ITEM);
	btf__add_struct(kernel, "other", 4);
	types part = part_of(kernel, named.get());

	EXPECT_EQ(btf__find_by_name_kind(part.get(), "timespec64", BTF_KIND_STRUCT), MOMENT);
	EXPECT_NE(type_of(part, "other", BTF_KIND_STRUCT), nullptr);
}

} // namespace

#endif
