/*
 * The table of system calls against the kernel's own format files: every role names an argument
 * that is there and that looks like what the role says.
 */
#include "decode_capture.h"

#include <iotrace/syscall.h>

#include <climits>
#include <gtest/gtest.h>
#include <set>
#include <sys/syscall.h>

namespace
{

struct Argument {
	std::string type, name;
};

/* The arguments of a call, read from its format by plain string search. */
std::vector<Argument> arguments(const std::string &call)
{
	std::string text = saved_format("syscalls", "sys_enter_" + call);
	std::vector<Argument> all;
	size_t at = text.find("__syscall_nr;");

	while ((at = text.find("field:", at)) != std::string::npos) {
		size_t end = text.find(';', at), space = text.rfind(' ', end);

		all.push_back({text.substr(at + 6, space - at - 6),
			       text.substr(space + 1, end - space - 1)});
		at = end;
	}
	return all;
}

bool is_one_of(const std::string &word, std::initializer_list<const char *> words)
{
	for (const char *w : words) {
		if (word == w)
			return true;
	}
	return false;
}

struct Row {
	call_id id;
	const struct call_row &row;
	std::vector<Argument> args;
};

template <typename Check> void each_row(Check check)
{
	for (uint32_t i = 0; i < call_count(); i++) {
		auto id = static_cast<call_id>(i);
		const struct call_row &row = *call_row(id);

		if (!is_call_saved(id))
			continue;
		SCOPED_TRACE(row.name);
		check(Row{id, row, arguments(row.name)});
	}
}

TEST(SyscallRow, HasItsFormatsSaved)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;

		EXPECT_NE(saved_format("syscalls", std::string("sys_enter_") + row.name), "");
		EXPECT_NE(saved_format("syscalls", std::string("sys_exit_") + row.name), "");
	});
}

TEST(SyscallRow, NamesOnlyArgumentsThatTheCallHas)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;
		const std::vector<Argument> &args = r.args;

		for (int role :
		     {row.fd, row.path, row.fd2, row.path2, row.size, row.offset, row.flags}) {
			EXPECT_GE(role, CALL_NO_ARG);
			EXPECT_LT(role, static_cast<int>(args.size()));
		}
	});
}

TEST(SyscallRow, GivesEachArgumentOneRole)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;

		std::set<int> seen;

		for (int role :
		     {row.fd, row.path, row.fd2, row.path2, row.size, row.offset, row.flags}) {
			if (role != CALL_NO_ARG) {
				EXPECT_TRUE(seen.insert(role).second) << "argument " << role;
			}
		}
	});
}

TEST(SyscallRow, TakesDescriptorsFromArgumentsThatAreNamedSo)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;
		const std::vector<Argument> &args = r.args;

		for (int role : {row.fd, row.fd2}) {
			if (role == CALL_NO_ARG)
				continue;
			ASSERT_LT(role, static_cast<int>(args.size()));
			EXPECT_TRUE(is_one_of(args[role].name,
					      {"fd", "dfd", "olddfd", "newdfd", "fildes", "oldfd",
					       "newfd", "fd_in", "fd_out", "in_fd", "out_fd",
					       "fdin", "fdout", "ufd", "max_fd"}))
				<< args[role].name;
			EXPECT_EQ(args[role].type.find('*'), std::string::npos);
		}
	});
}

TEST(SyscallRow, TakesPathsFromArgumentsThatAreNames)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;
		const std::vector<Argument> &args = r.args;

		for (int role : {row.path, row.path2}) {
			if (role == CALL_NO_ARG)
				continue;
			ASSERT_LT(role, static_cast<int>(args.size()));
			EXPECT_NE(args[role].type.find("char *"), std::string::npos);
			EXPECT_TRUE(is_one_of(args[role].name, {"filename", "pathname", "path",
								"oldname", "newname"}))
				<< args[role].name;
		}
		if (row.path2 != CALL_NO_ARG) {
			EXPECT_EQ(args[row.path].name, "oldname");
			EXPECT_EQ(args[row.path2].name, "newname");
		}
	});
}

TEST(SyscallRow, HasTheDirectoryInFrontOfItsPath)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;

		if (row.path != CALL_NO_ARG && row.fd != CALL_NO_ARG) {
			EXPECT_EQ(row.fd, row.path - 1);
		}
		if (row.path2 != CALL_NO_ARG && row.fd2 != CALL_NO_ARG) {
			EXPECT_EQ(row.fd2, row.path2 - 1);
		}
		/* And no call that has one was forgotten. */
		if (row.path > 0) {
			EXPECT_NE(row.fd != CALL_NO_ARG, std::string(row.name) == "symlink");
		}
	});
}

TEST(SyscallRow, TakesSizesAndOffsetsFromPlainNumbers)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;
		const std::vector<Argument> &args = r.args;

		if (row.size != CALL_NO_ARG) {
			EXPECT_TRUE(is_one_of(args[row.size].name,
					      {"count", "len", "length", "size", "nbytes"}))
				<< args[row.size].name;
			EXPECT_EQ(args[row.size].type.find('*'), std::string::npos);
		}
		if (row.offset != CALL_NO_ARG) {
			EXPECT_TRUE(
				is_one_of(args[row.offset].name, {"pos", "pos_l", "offset", "off"}))
				<< args[row.offset].name;
			EXPECT_EQ(args[row.offset].type.find('*'), std::string::npos);
		}
		if (row.kind == CALL_READ || row.kind == CALL_WRITE || row.kind == CALL_COPY) {
			for (size_t i = 0; i < args.size(); i++) {
				bool is_size = is_one_of(args[i].name, {"count", "len", "size"});

				EXPECT_EQ(is_size, row.size == static_cast<int>(i)) << args[i].name;
			}
		}
	});
}

TEST(SyscallRow, TakesFlagsFromArgumentsThatAreFlags)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;
		const std::vector<Argument> &args = r.args;

		if (row.flags == CALL_NO_ARG)
			return;
		EXPECT_TRUE(is_one_of(args[row.flags].name,
				      {"flags", "flag", "cmd", "whence", "mode", "advice", "type",
				       "clone_flags", "at_flags", "unshare_flags"}))
			<< args[row.flags].name;
	});
}

TEST(SyscallRow, ReturnsWhatItsKindReturns)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;

		switch (row.kind) {
		case CALL_OPEN:
		case CALL_CREATE_FD:
		case CALL_DUP:
			EXPECT_EQ(row.result, RESULT_FD);
			break;
		case CALL_COPY:
			EXPECT_EQ(row.result, RESULT_BYTES);
			EXPECT_NE(row.fd2, CALL_NO_ARG);
			break;
		case CALL_READ:
		case CALL_WRITE:
			EXPECT_EQ(row.result,
				  strstr(row.name, "mmsg") ? RESULT_OTHER : RESULT_BYTES);
			EXPECT_NE(row.fd, CALL_NO_ARG);
			break;
		case CALL_SEEK:
			EXPECT_EQ(row.result, RESULT_OFFSET);
			break;
		case CALL_SYNC:
		case CALL_CLOSE:
		case CALL_CLOSE_RANGE:
		case CALL_LOCK:
			EXPECT_NE(row.fd, CALL_NO_ARG);
			EXPECT_EQ(row.result, RESULT_ZERO);
			break;
		default:
			EXPECT_NE(row.result, RESULT_BYTES);
			break;
		}
	});
}

TEST(SyscallRow, IsFoundByNumberAndByName)
{
	each_row([](const Row &r) {
		const struct call_row &row = r.row;

		EXPECT_EQ(call_by_name(row.name, strlen(row.name)), r.id);
#ifdef __x86_64__
		if (std::string(row.name) != "memfd_secret") {
			ASSERT_GE(row.number, 0)
				<< "every other call of the table is on this machine";
		}
#endif
		if (row.number >= 0) {
			EXPECT_EQ(call_by_number(row.number), r.id);
		}
	});
}

TEST(Syscall, RowsAreDistinct)
{
	std::set<std::string> names;
	std::set<int> numbers;

	for (uint32_t i = 0; i < call_count(); i++) {
		const struct call_row *row = call_row(static_cast<call_id>(i));

		EXPECT_TRUE(names.insert(row->name).second) << row->name;
		if (row->number >= 0) {
			EXPECT_TRUE(numbers.insert(row->number).second) << row->name;
		}
	}
	EXPECT_EQ(call_row(static_cast<call_id>(call_count())), nullptr);
	EXPECT_EQ(call_row(CALL_ID_NONE), nullptr);
}

TEST(Syscall, NumbersAreThoseOfTheMachine)
{
	const struct {
		long number;
		const char *name;
	} known[] = {
		{SYS_read, "read"},      {SYS_openat, "openat"},  {SYS_sendfile, "sendfile64"},
		{SYS_fstat, "newfstat"}, {SYS_close, "close"},    {SYS_execve, "execve"},
		{452, "fchmodat2"},      {425, "io_uring_setup"}, {466, "removexattrat"},
	};

	for (const auto &k : known) {
		call_id id = call_by_number(k.number);

		ASSERT_NE(id, CALL_ID_NONE) << k.name;
		EXPECT_STREQ(call_row(id)->name, k.name);
	}
}

TEST(Syscall, NumbersThatMeanNothingFindNothing)
{
	for (long number : {-1L, static_cast<long>(SYS_getpid), 1023L, 1024L, 1100L, 0x40000000L,
			    LONG_MAX, LONG_MIN})
		EXPECT_EQ(call_by_number(number), CALL_ID_NONE) << number;
}

TEST(Syscall, NamesAreComparedWhole)
{
	EXPECT_EQ(call_by_name("ope", 3), CALL_ID_NONE);
	EXPECT_EQ(call_by_name("openx", 5), CALL_ID_NONE);
	EXPECT_EQ(call_by_name("", 0), CALL_ID_NONE);
	EXPECT_STREQ(call_row(call_by_name("openat2", 6))->name, "openat");
}

TEST(Syscall, GroupsHaveNamesAndHelp)
{
	std::set<std::string> names;

	for (int g = 0; g < GROUP_COUNT; g++) {
		auto group = static_cast<call_group>(g);

		ASSERT_NE(call_group_name(group), nullptr);
		EXPECT_TRUE(names.insert(call_group_name(group)).second);
		EXPECT_GT(strlen(call_group_help(group)), 10U);
		EXPECT_EQ(call_group_is_default(group),
			  group != GROUP_MAP && group != GROUP_URING && group != GROUP_FAULT &&
				  group != GROUP_WRITEBACK)
			<< call_group_name(group);
	}
	EXPECT_STREQ(call_group_name(GROUP_DATA), "data");
	EXPECT_STREQ(call_group_name(GROUP_TASK), "task");
	EXPECT_EQ(call_group_name(GROUP_COUNT), nullptr);
	EXPECT_EQ(call_group_help(GROUP_COUNT), nullptr);
	EXPECT_FALSE(call_group_is_default(GROUP_COUNT));
}

} // namespace
