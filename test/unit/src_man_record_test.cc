/*
 * iotrace-capture(5) against bpf_record.h: every field stands there with its place and its type, and nothing else.
 */
#include <iotrace/bpf_record.h>

#include "test_source.h"

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

std::string page()
{
	std::ifstream in(test_source("../man/iotrace-capture.5"));

	return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Field {
	std::string line;
	size_t end;
};

template <typename T> Field number(const char *name, size_t offset)
{
	using element = std::remove_extent_t<T>;
	std::string type = std::is_signed<element>::value ? "i" : "u", more;
	char line[80];

	type += std::to_string(8 * sizeof(element));
	if (std::is_array<T>::value)
		more = "[" + std::to_string(std::extent<T>::value) + "]";
	snprintf(line, sizeof(line), "%3zu  %-3s  %s%s\n", offset, type.c_str(), name,
		 more.c_str());
	return {line, offset + sizeof(T)};
}

#define NUMBER(type, field) number<decltype(type::field)>(#field, offsetof(type, field))
#define HEAD(type, field)                                                                          \
	Field                                                                                      \
	{                                                                                          \
		"  0  " #field "\n", sizeof(type::field)                                           \
	}

/* The lines of one structure stand together, and together they are all of it. */
void expect_all(const std::string &text, const std::vector<Field> &fields, size_t size)
{
	std::string lines = ".Bd -literal -offset indent\n";
	size_t at = 0;

	for (const Field &field : fields) {
		EXPECT_LE(at, field.end);
		at = field.end;
		lines += field.line;
	}
	lines += ".Ed\n";
	EXPECT_EQ(at, size) << "a field is missing in this test";
	EXPECT_NE(text.find(lines), std::string::npos) << lines;
}

TEST(ManRecord, HeadsAreDescribed)
{
	std::string text = page();

	expect_all(text,
		   {NUMBER(bpf_record_head, kind), NUMBER(bpf_record_head, size),
		    NUMBER(bpf_record_head, parts), NUMBER(bpf_record_head, flags)},
		   sizeof(bpf_record_head));
	expect_all(text,
		   {NUMBER(bpf_part, kind), NUMBER(bpf_part, size), NUMBER(bpf_part, index),
		    NUMBER(bpf_part, flags)},
		   sizeof(bpf_part));
}

TEST(ManRecord, CallsAreDescribed)
{
	expect_all(page(),
		   {HEAD(bpf_record_call, head), NUMBER(bpf_record_call, number),
		    NUMBER(bpf_record_call, cpu), NUMBER(bpf_record_call, begin),
		    NUMBER(bpf_record_call, result), NUMBER(bpf_record_call, position),
		    NUMBER(bpf_record_call, arg)},
		   sizeof(bpf_record_call));
}

TEST(ManRecord, FilesAreDescribed)
{
	expect_all(page(),
		   {HEAD(bpf_part_file, part), NUMBER(bpf_part_file, fd),
		    NUMBER(bpf_part_file, flags), NUMBER(bpf_part_file, mode),
		    NUMBER(bpf_part_file, magic), NUMBER(bpf_part_file, major),
		    NUMBER(bpf_part_file, minor), NUMBER(bpf_part_file, ino),
		    NUMBER(bpf_part_file, mnt_id), NUMBER(bpf_part_file, position)},
		   sizeof(bpf_part_file));
}

TEST(ManRecord, RequestsAreDescribed)
{
	using R = bpf_record_request;

	expect_all(page(), {HEAD(R, head),         NUMBER(R, step),        NUMBER(R, type),
			    NUMBER(R, letters),    NUMBER(R, major),       NUMBER(R, minor),
			    NUMBER(R, old_major),  NUMBER(R, old_minor),   NUMBER(R, sector),
			    NUMBER(R, old_sector), NUMBER(R, sectors),     NUMBER(R, bytes),
			    NUMBER(R, error),      NUMBER(R, reserved),    NUMBER(R, key),
			    NUMBER(R, inode),      NUMBER(R, inode_major), NUMBER(R, inode_minor),
			    NUMBER(R, name),       NUMBER(R, cgroup)},
		   sizeof(R));
}

TEST(ManRecord, AsynchronousRequestsAreDescribed)
{
	using R = bpf_record_aio;

	expect_all(page(),
		   {HEAD(R, head), NUMBER(R, step), NUMBER(R, api), NUMBER(R, opcode),
		    NUMBER(R, flags), NUMBER(R, fd), NUMBER(R, index), NUMBER(R, reserved),
		    NUMBER(R, queue), NUMBER(R, key), NUMBER(R, user_data), NUMBER(R, offset),
		    NUMBER(R, bytes), NUMBER(R, result), NUMBER(R, file)},
		   sizeof(R));
}

TEST(ManRecord, DetailsAreDescribed)
{
	using R = bpf_record_detail;

	expect_all(page(), {HEAD(R, head), NUMBER(R, value)}, sizeof(R));
}

TEST(ManRecord, FaultsAreDescribed)
{
	using R = bpf_record_fault;

	expect_all(page(),
		   {HEAD(R, head), NUMBER(R, begin), NUMBER(R, major), NUMBER(R, minor),
		    NUMBER(R, ino), NUMBER(R, offset), NUMBER(R, bytes), NUMBER(R, end)},
		   sizeof(R));
}

TEST(ManRecord, WritebackIsDescribed)
{
	using R = bpf_record_writeback;

	expect_all(page(),
		   {HEAD(R, head), NUMBER(R, begin), NUMBER(R, major), NUMBER(R, minor),
		    NUMBER(R, ino), NUMBER(R, bytes), NUMBER(R, name)},
		   sizeof(R));
}

TEST(ManRecord, KindsHaveTheirNumbers)
{
	const struct {
		int kind;
		const char *name;
	} kinds[] = {
		{BPF_RECORD_ENTER, "ENTER"},       {BPF_RECORD_EXIT, "EXIT"},
		{BPF_RECORD_CALL, "CALL"},         {BPF_RECORD_IN_FLIGHT, "IN_FLIGHT"},
		{BPF_RECORD_REQUEST, "REQUEST"},   {BPF_RECORD_AIO, "AIO"},
		{BPF_RECORD_FAULT, "FAULT"},       {BPF_RECORD_CLONE, "CLONE"},
		{BPF_RECORD_LOCK, "LOCK"},         {BPF_RECORD_WRITEBACK, "WRITEBACK"},
		{BPF_RECORD_PROGRAM, "PROGRAM"},   {BPF_RECORD_STATUS, "STATUS"},
		{BPF_RECORD_FORK, "FORK"},         {BPF_RECORD_COMM, "COMM"},
		{BPF_RECORD_END, "END"},           {BPF_RECORD_FOREIGN, "FOREIGN"},
		{BPF_RECORD_STORES, "STORES"},     {BPF_RECORD_LOADS, "LOADS"},
		{BPF_RECORD_CODE, "CODE"},         {BPF_PART_PATH, "PATH"},
		{BPF_PART_FILE, "FILE"},           {BPF_PART_DIRECTORY, "DIRECTORY"},
		{BPF_PART_ARGUMENTS, "ARGUMENTS"}, {BPF_PART_BASE, "BASE"},
	};
	std::string text = page();

	EXPECT_EQ(sizeof(kinds) / sizeof(kinds[0]),
		  static_cast<size_t>(BPF_RECORD_KINDS - 1 + BPF_PART_KINDS - 1));
	for (const auto &row : kinds)
		EXPECT_NE(text.find(".It " + std::to_string(row.kind) + " Sy " + row.name + "\n"),
			  std::string::npos)
			<< row.name;
}

} /* namespace */
