/* The kernel's types: all kinds that the format has, and bytes that are not this format. */
#ifdef IOTRACE_HAS_BPF

#include "bpf_types_lent.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace
{

using bytes = std::vector<uint8_t>;

std::unique_ptr<struct btf, decltype(&btf__free)> every_kind()
{
	std::unique_ptr<struct btf, decltype(&btf__free)> btf(btf__new_empty(), btf__free);
	int number = btf__add_int(btf.get(), "int", 4, BTF_INT_SIGNED);

	btf__add_ptr(btf.get(), number);
	btf__add_array(btf.get(), number, number, 3);
	btf__add_struct(btf.get(), "point", 8);
	btf__add_field(btf.get(), "x", number, 0, 0);
	btf__add_field(btf.get(), "y", number, 32, 0);
	btf__add_union(btf.get(), "either", 4);
	btf__add_field(btf.get(), "one", number, 0, 0);
	btf__add_enum(btf.get(), "colour", 4);
	btf__add_enum_value(btf.get(), "RED", 1);
	btf__add_enum_value(btf.get(), "BLUE", 7);
	btf__add_enum64(btf.get(), "large", 8, false);
	btf__add_enum64_value(btf.get(), "MUCH", 1ULL << 40);
	btf__add_fwd(btf.get(), "later", BTF_FWD_STRUCT);
	btf__add_typedef(btf.get(), "sector_t", number);
	btf__add_volatile(btf.get(), number);
	btf__add_const(btf.get(), number);
	btf__add_restrict(btf.get(), number);
	btf__add_type_tag(btf.get(), "user", number);
	int prototype = btf__add_func_proto(btf.get(), number);
	btf__add_func_param(btf.get(), "a", number);
	int function = btf__add_func(btf.get(), "open", BTF_FUNC_GLOBAL, prototype);
	int variable = btf__add_var(btf.get(), "jiffies", BTF_VAR_STATIC, number);
	btf__add_datasec(btf.get(), ".data", 4);
	btf__add_datasec_var_info(btf.get(), variable, 0, 4);
	btf__add_float(btf.get(), "double", 8);
	btf__add_decl_tag(btf.get(), "tag", function, -1);
	btf__add_struct(btf.get(), "last", 4);
	return btf;
}

bytes raw(const struct btf *btf)
{
	uint32_t size;
	const uint8_t *data = static_cast<const uint8_t *>(btf__raw_data(btf, &size));

	return {data, data + size};
}

/* A copy of exactly these bytes, so that AddressSanitizer sees each read behind them. */
int lend_only(const bytes &all, size_t size)
{
	std::unique_ptr<uint8_t[]> some(new uint8_t[size]);
	struct bpf_types types;

	memcpy(some.get(), all.data(), size);
	int code = bpf_types_lend(&types, some.get(), size);
	for (uint32_t id = 0; id < types.count + 2; id++)
		bpf_types_name(&types, bpf_types_get(&types, id)->name_off);
	bpf_types_close(&types);
	return code;
}

TEST(BpfTypes, HasTypesOfEveryKindAsLibbpfHasThem)
{
	auto btf = every_kind();
	LentTypes lent(btf.get());

	ASSERT_EQ(lent.types.count, btf__type_cnt(btf.get()));
	for (uint32_t id = 1; id < lent.types.count; id++) {
		const struct btf_type *type = bpf_types_get(&lent.types, id);
		const struct btf_type *expected = btf__type_by_id(btf.get(), id);

		EXPECT_EQ(memcmp(type, expected, sizeof(*type)), 0) << id;
		EXPECT_STREQ(bpf_types_name(&lent.types, type->name_off),
			     btf__name_by_offset(btf.get(), expected->name_off));
	}
	EXPECT_EQ(bpf_types_id(&lent.types, "la", "st", BTF_KIND_STRUCT), lent.types.count - 1);
	EXPECT_EQ(bpf_types_id(&lent.types, "last", "", BTF_KIND_UNION), 0u);
	EXPECT_EQ(bpf_types_id(&lent.types, "las", "", BTF_KIND_STRUCT), 0u);
}

TEST(BpfTypes, KnowsEnumerators)
{
	auto btf = every_kind();
	LentTypes lent(btf.get());
	const struct bpf_enumerator blue = {"BLUE", {"shade", "colour", nullptr}};
	const struct bpf_enumerator green = {"GREEN", {"colour", nullptr, nullptr}};

	EXPECT_EQ(bpf_types_number(&lent.types, &blue, 3), 7u);
	EXPECT_EQ(bpf_types_number(&lent.types, &green, 3), 3u);
}

TEST(BpfTypes, WhatIsNoTypeIsVoid)
{
	auto btf = every_kind();
	LentTypes lent(btf.get());

	for (uint32_t id : {0u, lent.types.count, UINT32_MAX})
		EXPECT_EQ(btf_kind(bpf_types_get(&lent.types, id)), (uint16_t)BTF_KIND_UNKN);
	EXPECT_STREQ(bpf_types_name(&lent.types, UINT32_MAX), "");
}

TEST(BpfTypes, TornBytesAreRefused)
{
	bytes all = raw(every_kind().get());

	EXPECT_EQ(lend_only(all, all.size()), 0);
	for (size_t size = 0; size < all.size(); size++)
		EXPECT_EQ(lend_only(all, size), -EINVAL) << size;
}

/* Whatever a word says, nothing outside of the bytes is read. */
TEST(BpfTypes, WrongWordsReadNothingElse)
{
	bytes all = raw(every_kind().get());

	for (size_t at = 0; at + 4 <= all.size(); at += 4)
		for (uint32_t word : {0u, 1u, 0x7fffffffu, 0xffffffffu, 0x1f000000u, 0x0400ffffu}) {
			bytes wrong = all;

			memcpy(&wrong[at], &word, sizeof(word));
			lend_only(wrong, wrong.size());
		}
}

TEST(BpfTypes, ATypeThatIsLargerThanItsSectionIsRefused)
{
	bytes all = raw(every_kind().get());
	struct btf_header header;
	size_t last;

	memcpy(&header, all.data(), sizeof(header));
	last = header.hdr_len + header.type_len - sizeof(struct btf_type);
	all[last + 4] = 1; /* the struct has a member */
	EXPECT_EQ(lend_only(all, all.size()), -EINVAL);
}

TEST(BpfTypes, ANameWithoutAnEndIsRefused)
{
	bytes all = raw(every_kind().get());

	all.back() = 'x';
	EXPECT_EQ(lend_only(all, all.size()), -EINVAL);
}

TEST(BpfTypes, AKindThatIsNotKnownIsRefused)
{
	bytes all = raw(every_kind().get());
	struct btf_header header;

	memcpy(&header, all.data(), sizeof(header));
	all[header.hdr_len + 7] = 31; /* the kind of the first type */
	EXPECT_EQ(lend_only(all, all.size()), -EINVAL);
}

} // namespace

#endif
