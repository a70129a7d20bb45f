/*
 * The formats of other kernels: every one that iotrace reads can be read, and what a kernel does not have is known here.
 */
#include "decode_capture.h"
#include "tracepoint/tracepoint.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

namespace
{

using Names = std::set<std::string>;
using Formats = std::map<std::string, std::string>; /* by "system:name" */

/* A file of test/formats has a format behind each line "system: NAME", without the fields that all tracepoints have. */
Formats formats_of(const std::string &kernel)
{
	std::ifstream in(test_source("formats/") + kernel + "/formats");
	std::string line, system, name, fields;
	Formats all;
	int id = 0;
	auto add = [&] {
		if (!name.empty())
			all[system + ":" + name] = format_text(name, id, fields);
		fields = name = "";
	};

	while (std::getline(in, line)) {
		if (!line.compare(0, 8, "system: ")) {
			add();
			system = line.substr(8);
		} else if (!line.compare(0, 6, "name: ")) {
			name = line.substr(6);
		} else if (!line.compare(0, 4, "ID: ")) {
			id = std::stoi(line.substr(4));
		} else {
			fields += line + "\n";
		}
	}
	add();
	return all;
}

struct Kernel {
	const char *name;
	Names absent;      /* tracepoints, of tracepoints.def */
	Names fields;      /* those of the other tracepoints that the kernel does not have */
	const char *calls; /* of syscalls.def, that it does not have */
	uint16_t rwbs;     /* how many letters a request may have */
};

void PrintTo(const Kernel &kernel, std::ostream *out)
{
	*out << kernel.name;
}

const char since_4_18[] =
	"io_uring_setup io_uring_enter io_uring_register open_tree fsopen fsconfig fsmount fspick "
	"pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 ";
const char since_5_10[] = "fchmodat2 memfd_secret ";
const char since_6_1[] = "fchmodat2 ";
const char since_6_12[] = "open_tree_attr setxattrat getxattrat listxattrat removexattrat ";
/* There fadvise64 is fadvise64_64, with the same arguments. */
const char not_on_arm64[] =
	"access chmod chown creat dup2 epoll_create eventfd fadvise64 fork futimesat getdents inotify_init "
	"lchown link mkdir mknod newlstat newstat open pipe readlink rename rmdir signalfd symlink unlink "
	"utime utimes vfork ";
const Names uring = {"io_uring:io_uring_create", "io_uring:io_uring_submit_req|io_uring_submit_sqe",
		     "io_uring:io_uring_file_get", "io_uring:io_uring_complete"};

class Kernels : public ::testing::TestWithParam<Kernel>
{
      protected:
	const Formats formats = formats_of(GetParam().name);

	/* Returns the format of a row, "" if there is none. */
	std::string format_of(const struct tracepoint_row *row) const
	{
		std::istringstream names(row->name);

		for (std::string name; std::getline(names, name, '|');) {
			auto at = formats.find(std::string(row->system) + ":" + name);

			if (at != formats.end())
				return at->second;
		}
		return "";
	}

	static void read(tracepoint *tp, const std::string &system, const std::string &text)
	{
		error err{};

		ASSERT_EQ(tracepoint_init(tp, system.c_str(), text.data(), text.size(),
					  GetParam().name, &err),
			  0)
			<< err.text;
		ASSERT_NE(tp->row, nullptr) << text;
	}
};

TEST_P(Kernels, EveryFormatIsRead)
{
	EXPECT_GT(formats.size(), 140U);
	for (const auto &[name, text] : formats) {
		tracepoint tp;

		read(&tp, name.substr(0, name.find(':')), text);
		EXPECT_EQ(tp.id, format_id(text));
	}
}

TEST_P(Kernels, WhatTheyDoNotHaveIsKnown)
{
	Names absent, fields;

	for (uint32_t i = 0; i < tracepoint_rows(); i++) {
		const struct tracepoint_row *row = tracepoint_row(i);
		const std::string name = std::string(row->system) + ":" + row->name;
		const std::string text = format_of(row);
		tracepoint tp;

		if (name.back() == '*')
			continue;
		if (text.empty()) {
			absent.insert(name);
			continue;
		}
		read(&tp, row->system, text);
		for (uint32_t n = 0; n < TRACEPOINT_FIELDS && row->field[n].name; n++) {
			if (!tp.field[n].size)
				fields.insert(std::string(row->name) + "." +
					      (row->field[n].name + 1));
		}
	}
	EXPECT_EQ(absent, GetParam().absent);
	EXPECT_EQ(fields, GetParam().fields);
}

TEST_P(Kernels, TheCallsThatTheyDoNotHaveAreKnown)
{
	std::istringstream words(GetParam().calls);
	Names absent, known = {"sync_file_range2"}; /* of ppc64 alone */

	for (std::string word; words >> word;)
		if (call_by_name(word.data(), word.size()) != CALL_ID_NONE)
			known.insert(word);
	for (uint32_t id = 0; id < call_count(); id++) {
		const std::string name = call_row(static_cast<call_id>(id))->name;

		if (!formats.count("syscalls:sys_enter_" + name))
			absent.insert(name);
	}
	EXPECT_EQ(absent, known);
}

/* A request as this kernel lays it out: the letters end where the field does. */
TEST_P(Kernels, ARequestIsDecoded)
{
	const std::string text = formats.at("block:block_rq_issue");
	Capture c;
	uint32_t index = c.add_tracepoint("block", "block_rq_issue", text);
	std::unique_ptr<decode, decltype(&decode_free)> d(c.open(), decode_free);
	tracepoint tp;
	Raw raw(128);
	event e;

	ASSERT_NE(d, nullptr);
	read(&tp, "block", text);
	raw.put(tp.field[0].offset, 4, 8 << 20 | 1)
		.put(tp.field[1].offset, 8, 4096)
		.put(tp.field[3].offset, 4, 16)
		.put(tp.field[4].offset, 4, 8192);
	memcpy(&raw.bytes[tp.field[2].offset], "WFSM", 5);
	memcpy(&raw.bytes[tp.field[5].offset], "dd", 3);
	sample s = raw.sample(index);

	ASSERT_EQ(decode_sample(d.get(), &s, false, &e), 1);
	EXPECT_EQ(e.request.step, REQUEST_ISSUE);
	EXPECT_EQ(e.request.sector, 4096U);
	EXPECT_EQ(e.request.bytes, 8192U);
	EXPECT_EQ(text_of(e.request.rwbs), "WFSM");
	EXPECT_EQ(text_of(e.request.name), "dd");
	EXPECT_EQ(tp.field[2].size, GetParam().rwbs);
}

/* The function of the call has another name on arm64, and so has its tracepoint. */
TEST(KernelsOfArm64, FadviseIsRead)
{
	const std::string name = "fadvise64";
	std::string text = formats_of("linux-6.12-x86_64").at("syscalls:sys_enter_" + name);
	tracepoint tp;
	error err{};

	text.replace(text.find(name), name.size(), "fadvise64_64");
	ASSERT_EQ(tracepoint_init(&tp, "syscalls", text.data(), text.size(), "6.12", &err), 0)
		<< err.text;
	ASSERT_NE(tp.call, CALL_ID_NONE);
	EXPECT_EQ(call_row(tp.call)->name, name);
	EXPECT_EQ(call_by_name("fadvise64_6", 11), CALL_ID_NONE);
}

const std::string after_6_12 = since_6_12, after_6_1 = since_6_1 + after_6_12,
		  after_5_10 = since_5_10 + after_6_12, after_4_18 = since_4_18 + after_5_10;
const std::string arm64_6_12 = not_on_arm64 + after_6_12;
const Names fields_5_10 = {"io_uring_create.req", "io_uring_create.user_data",
			   "io_uring_file_get.req", "io_uring_file_get.user_data",
			   "io_uring_complete.req"};
const Names fields_6_1 = {"io_uring_create.req", "io_uring_create.user_data"};
const Names fields_6_12 = {"io_uring_create.req", "io_uring_create.user_data",
			   "io_uring_submit_req|io_uring_submit_sqe.force_nonblock"};

Names without_requests()
{
	Names names = uring;

	names.insert("block:block_rq_error");
	return names;
}

INSTANTIATE_TEST_SUITE_P(
	All, Kernels,
	::testing::Values(
		Kernel{"linux-4.18-x86_64", without_requests(), {}, after_4_18.c_str(), 8},
		Kernel{"linux-5.10-x86_64",
		       {"block:block_rq_error"},
		       fields_5_10,
		       after_5_10.c_str(),
		       8},
		Kernel{"linux-6.1-x86_64", {}, fields_6_1, after_6_1.c_str(), 8},
		Kernel{"linux-6.12-x86_64", {}, fields_6_12, after_6_12.c_str(), 8},
		Kernel{"linux-6.12-aarch64", {}, fields_6_12, arm64_6_12.c_str(), 8}),
	[](const ::testing::TestParamInfo<Kernel> &info) {
		std::string name = info.param.name;

		for (char &letter : name)
			letter = isalnum(letter) ? letter : '_';
		return name;
	});

} // namespace
