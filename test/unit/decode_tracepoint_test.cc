/*
 * Format files to fields: of this kernel, of kernels that lay them out in another way, and of no
 * kernel at all.
 */
#include "decode_capture.h"
#include "error_lines.h"
#include "tracepoint/tracepoint.h"

#include <gtest/gtest.h>

namespace
{

std::string field(const std::string &declaration, int offset, int size, int is_signed)
{
	return "\tfield:" + declaration + ";\toffset:" + std::to_string(offset) +
	       ";\tsize:" + std::to_string(size) + ";\tsigned:" + std::to_string(is_signed) + ";\n";
}

int init(tracepoint *tp, const std::string &system, const std::string &text, error *err = nullptr)
{
	return tracepoint_init(tp, system.c_str(), text.data(), text.size(), "6.1.0-test", err);
}

std::string sentence(const std::string &system, const std::string &text)
{
	tracepoint tp;
	error err{};

	EXPECT_LT(init(&tp, system, text, &err), 0);
	EXPECT_EQ(tp.row, nullptr);
	return error_lines(err);
}

TEST(Tracepoint, EveryRowReadsItsSavedFormats)
{
	for (uint32_t i = 0; i < tracepoint_rows(); i++) {
		std::string name = tracepoint_row(i)->name;

		if (name.back() == '*')
			name.replace(name.size() - 1, 1, "openat");
		name = name.substr(0, name.find('|'));
		std::string text = saved_format(tracepoint_row(i)->system, name);
		tracepoint tp;

		ASSERT_NE(text, "") << name;
		EXPECT_EQ(init(&tp, tracepoint_row(i)->system, text), 0) << name;
		EXPECT_EQ(tp.row, tracepoint_row(i));
		EXPECT_EQ(tp.id, format_id(text));
	}
	EXPECT_EQ(tracepoint_row(tracepoint_rows()), nullptr);
}

TEST(Tracepoint, EveryCallReadsItsSavedFormats)
{
	for (uint32_t i = 0; i < call_count(); i++) {
		std::string call = call_row(static_cast<call_id>(i))->name;

		if (!is_call_saved(static_cast<call_id>(i)))
			continue;
		for (const char *end : {"sys_enter_", "sys_exit_"}) {
			tracepoint tp;

			EXPECT_EQ(init(&tp, "syscalls", saved_format("syscalls", end + call)), 0)
				<< end + call;
			ASSERT_NE(tp.row, nullptr) << end + call;
			EXPECT_EQ(tp.call, i);
		}
	}
}

TEST(Tracepoint, FieldsStandWhereTheFormatSays)
{
	tracepoint tp;

	ASSERT_EQ(init(&tp, "raw_syscalls", saved_format("raw_syscalls", "sys_enter")), 0);
	EXPECT_EQ(tp.field[0].offset, 8);
	EXPECT_EQ(tp.field[0].size, 8);
	EXPECT_TRUE(tp.field[0].is_signed);
	EXPECT_EQ(tp.field[1].offset, 16);
	EXPECT_EQ(tp.field[1].size, 48);
	EXPECT_EQ(tp.field[1].element, 8);
	EXPECT_EQ(tp.need, 64);
}

TEST(Tracepoint, OfNoInterestIsNoError)
{
	tracepoint tp;

	EXPECT_EQ(init(&tp, "sched", format_text("sched_switch", 7, field("int x", 8, 4, 1))), 0);
	EXPECT_EQ(tp.row, nullptr);
	EXPECT_EQ(tp.id, 7U);
	EXPECT_EQ(init(&tp, "syscalls",
		       format_text("sys_enter_getpid", 8, field("int __syscall_nr", 8, 4, 1))),
		  0);
	EXPECT_EQ(tp.row, nullptr);
	EXPECT_EQ(init(&tp, "other", format_text("sys_enter_read", 8, "")), 0)
		<< "the system belongs to the name";
	EXPECT_EQ(tp.row, nullptr);
}

TEST(Tracepoint, AMissingFieldIsNamedWithItsKernel)
{
	EXPECT_EQ(sentence("raw_syscalls", format_text("sys_exit", 1, field("long id", 8, 8, 1))),
		  "tracepoint raw_syscalls:sys_exit of Linux 6.1.0-test has no field \"ret\"\n"
		  "iotrace does not understand this kernel's format; please report it with "
		  "events/raw_syscalls/sys_exit/format.");
	EXPECT_NE(sentence("syscalls", format_text("sys_enter_read", 1, field("int nr", 8, 4, 1)))
			  .find("\"__syscall_nr\""),
		  std::string::npos);
	EXPECT_NE(
		sentence("syscalls", format_text("sys_enter_sync", 1, "")).find("\"__syscall_nr\""),
		std::string::npos);
	EXPECT_NE(sentence("syscalls",
			   format_text("sys_enter_openat", 1, field("int __syscall_nr", 8, 4, 1)))
			  .find("has too few fields for the arguments of \"openat\""),
		  std::string::npos);
}

TEST(Tracepoint, AFieldOfTheWrongShapeIsRefused)
{
	const std::string id = field("long id", 8, 8, 1),
			  args = field("unsigned long args[6]", 16, 48, 0);
	tracepoint tp;

	ASSERT_EQ(init(&tp, "raw_syscalls", format_text("sys_enter", 1, id + args)), 0);
	for (const std::string &fields : {
		     field("long id", 8, 3, 1) + args,
		     field("long id", 8, 0, 1) + args,
		     field("long id", 65530, 8, 1) + args,
		     field("long id[2]", 8, 16, 1) + args,
		     field("__data_loc char[] id", 8, 4, 0) + args,
		     id + field("unsigned long args", 16, 8, 0),
		     id + field("unsigned long args[5]", 16, 48, 0),
		     id + field("unsigned long args[6]", 16, 47, 0),
		     id + field("unsigned long args[6]", 16, 50, 0),
		     id + field("unsigned long args[6]", 16, 18, 0),
		     id + field("unsigned long args[6]", 16, 65530, 0),
		     id + field("__data_loc unsigned long[] args", 16, 4, 0),
	     })
		EXPECT_NE(sentence("raw_syscalls", format_text("sys_enter", 1, fields))
				  .find("unusable field"),
			  std::string::npos)
			<< fields;
	for (const std::string &filename :
	     {field("int filename", 8, 4, 0), field("char filename[0]", 8, 0, 0),
	      field("__data_loc char[] filename", 8, 8, 0)})
		EXPECT_NE(sentence("sched", format_text("sched_process_exec", 1, filename))
				  .find("unusable"),
			  std::string::npos)
			<< filename;
	EXPECT_NE(sentence("syscalls", format_text("sys_enter_close", 1,
						   field("int __syscall_nr", 8, 4, 1) +
							   field("int fd", 16, 5, 1)))
			  .find("unusable"),
		  std::string::npos);
	EXPECT_NE(sentence("syscalls",
			   format_text("sys_enter_sync", 1, field("int __syscall_nr", 8, 9, 1)))
			  .find("unusable"),
		  std::string::npos);
}

TEST(Tracepoint, WhatIsNoFormatIsRefused)
{
	const std::string good = saved_format("raw_syscalls", "sys_exit");
	auto changed = [&good](const std::string &from, const std::string &to) {
		std::string text = good;

		return text.replace(text.find(from), from.size(), to);
	};

	for (const std::string &text :
	     {std::string(), std::string("name: sys_exit"), changed("name: ", "nam: "),
	      changed("name: ", "name: 1"), changed("sys_exit", "sys exit"),
	      changed("sys_exit", ""), changed("sys_exit", std::string(128, 'x')),
	      changed("sys_exit", "sys\033[2J"), changed("ID: ", "ID: x"),
	      changed("ID: ", "ID: 1234567890"), changed("ID: 442", "ID: 442 "),
	      changed("format:", "format: "), good + std::string(70000, 'x')})
		EXPECT_EQ(sentence("raw_syscalls", text), "a tracepoint format of " +
								  std::to_string(text.size()) +
								  " bytes is not a format file");
	for (const std::string &text :
	     {changed("field:long ret", "field:ret"),
	      changed("field:long ret", "field:long"),
	      changed("field:long ret", "field:long ret["),
	      changed("field:long ret", "field:long ret[2"),
	      changed("field:long ret", "field:long[] ret"),
	      changed("field:long ret", "field:long ret[1] x"),
	      changed("field:long ret", "field:__data_loc long[][] ret"),
	      changed("field:long ret", "field:__data_loc long[] a[] ret"),
	      changed("field:long ret", "field:long 2ret"),
	      changed("field:long ret", "field:(long) ret"),
	      changed("field:long ret", "file:long ret"),
	      changed("offset:16;", "offset:16"),
	      changed("offset:16", "offset:"),
	      changed("offset:16", "offset:-16"),
	      changed("offset:16", "offset:1234567890"),
	      changed("offset:16;", "offset:16; "),
	      changed("\tsize:1;", "\tlength:1;"),
	      changed("signed:1;", "signed:1; more"),
	      changed("signed:1;", "signed;"),
	      changed("\n\nprint fmt", "\n x\nprint fmt"),
	      good.substr(0, good.find("ret") + 10)}) {
		error err{};
		tracepoint tp;

		EXPECT_LT(init(&tp, "raw_syscalls", text, &err), 0) << text;
		EXPECT_EQ(error_lines(err).substr(0, 99),
			  "tracepoint raw_syscalls:sys_exit of Linux 6.1.0-test has a format with "
			  "a line that is not a field\ni");
	}
}

TEST(Tracepoint, TheShapesOfDeclarationsAreKnown)
{
	const std::string fields = field("const char *const * argv", 40, 8, 0) +
				   field("u8 name[ETH_ALEN]", 48, 6, 0) +
				   field("struct a __b * c", 56, 8, 0) +
				   field("__data_loc char[] text", 64, 4, 0) +
				   field("unsigned long args[6]", 72, 48, 0) +
				   field("__rel_loc __u8[] data", 120, 4, 0);
	tracepoint tp;

	EXPECT_EQ(init(&tp, "task",
		       format_text("task_newtask", 1, field("u64 clone_flags", 32, 8, 0) + fields)),
		  0);
	EXPECT_NE(tp.row, nullptr);
	EXPECT_EQ(tp.need, 40);
}

TEST(Tracepoint, FieldsThatWereRenamedAreFoundByBothNames)
{
	for (const char *name : {"type", "fl_type"}) {
		tracepoint tp;

		ASSERT_EQ(init(&tp, "filelock",
			       format_text("fcntl_setlk", 1,
					   field(std::string("unsigned char ") + name, 50, 1, 0))),
			  0);
		EXPECT_EQ(tp.field[0].offset, 50);
	}
	EXPECT_NE(sentence("filelock",
			   format_text("fcntl_setlk", 1, field("unsigned char typ", 50, 1, 0)))
			  .find("has no field \"type|fl_type\""),
		  std::string::npos);
}

TEST(Tracepoint, ThePrintFormatIsNotRead)
{
	std::string text = saved_format("raw_syscalls", "sys_exit");
	tracepoint tp;

	text.replace(text.find("print fmt:"), std::string::npos, "print fmt: (((((\"");
	EXPECT_EQ(init(&tp, "raw_syscalls", text), 0);
	EXPECT_NE(tp.row, nullptr);
	text.resize(text.find("print fmt:"));
	EXPECT_EQ(init(&tp, "raw_syscalls", text), 0);
	EXPECT_NE(tp.row, nullptr);
}

TEST(Tracepoint, StringsOfArgumentsAreFoundByTheirNames)
{
	const std::string text =
		format_text("sys_enter_renameat", 9,
			    field("int __syscall_nr", 8, 4, 1) + field("int olddfd", 16, 8, 0) +
				    field("const char * oldname", 24, 8, 0) +
				    field("int newdfd", 32, 8, 0) +
				    field("const char * newname", 40, 8, 0) +
				    field("__data_loc char[] __newname_val", 52, 4, 0) +
				    field("__data_loc char[] __oldname_val", 48, 4, 0));
	tracepoint tp;

	ASSERT_EQ(init(&tp, "syscalls", text), 0);
	EXPECT_EQ(tp.path[0].offset, 48);
	EXPECT_EQ(tp.path[1].offset, 52);
	EXPECT_EQ(tp.need, 56);
	EXPECT_EQ(tp.arg[3].offset, 40);
	EXPECT_EQ(tp.arg[4].size, 0);
}

TEST(Tracepoint, ArgumentsBeyondTheSixthAreLeftOut)
{
	std::string fields = field("int __syscall_nr", 8, 4, 1);
	tracepoint tp;

	for (int i = 0; i < 9; i++)
		fields += field("long a" + std::to_string(i), 16 + 8 * i, 8, 0);
	ASSERT_EQ(init(&tp, "syscalls", format_text("sys_enter_close", 1, fields)), 0);
	EXPECT_EQ(tp.arg[5].offset, 56);
	EXPECT_EQ(tp.need, 64);
}

TEST(Tracepoint, StringsThatAreNoPathsAreLeftAlone)
{
	const std::string text = format_text(
		"sys_enter_write", 9,
		field("int __syscall_nr", 8, 4, 1) + field("unsigned int fd", 16, 8, 0) +
			field("const char * buf", 24, 8, 0) + field("size_t count", 32, 8, 0) +
			field("__data_loc char[] __buf_val", 40, 4, 0));
	tracepoint tp;

	ASSERT_EQ(init(&tp, "syscalls", text), 0);
	EXPECT_EQ(tp.path[0].size, 0);
	EXPECT_EQ(tp.arg[2].offset, 32);
	EXPECT_EQ(tp.arg[3].size, 0) << "the string is no argument";
}

TEST(Tracepoint, ValuesKeepTheirSign)
{
	const uint8_t raw[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	for (uint16_t size : {1, 2, 4, 8}) {
		struct field is_signed = {0, size, size, true, false, false};
		struct field plain = {0, size, size, false, false, false};

		EXPECT_EQ(field_value(&is_signed, raw), -1);
		EXPECT_EQ(static_cast<uint64_t>(field_value(&plain, raw)),
			  UINT64_MAX >> (64 - 8 * size));
	}
}

TEST(Tracepoint, ArraysOfOtherSizesFillTheArguments)
{
	const uint32_t words[8] = {1, 2, 3, 0xffffffff, 5, 6, 7, 8};
	auto raw = reinterpret_cast<const uint8_t *>(words);
	uint64_t value[6];
	struct field four = {0, 16, 4, false, false, false},
		     eight = {0, 32, 4, false, false, false};

	field_arguments(&four, raw, value);
	EXPECT_EQ(value[3], 0xffffffffU);
	EXPECT_EQ(value[4], 0U);
	EXPECT_EQ(value[5], 0U);
	uint64_t guard[7] = {};

	field_arguments(&eight, raw, guard);
	EXPECT_EQ(guard[5], 6U);
	EXPECT_EQ(guard[6], 0U);
}

} // namespace
