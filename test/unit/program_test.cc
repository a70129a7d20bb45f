/*
 * The file of a program: this test looks at its own functions and static probes, and at files that are no programs.
 */
#include "static_probe.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <iotrace/program.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" {
int program_test_function(int number);
volatile uint16_t program_test_semaphore __attribute__((section(".probes"))) = 0;
__attribute__((noinline)) int program_test_function(int number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}
}

namespace
{

__attribute__((noinline, used)) int program_test_hidden(int number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 2;
}

/* Two places of one static probe, and one of another. Never run. */
__attribute__((noinline, used)) void program_test_markers()
{
#define MARKER(name, operands) STATIC_PROBE("tests", name, "program_test_semaphore", operands, )
	MARKER("begin", "8@%%rdi -4@%%eax");
	MARKER("begin", "8@%%rsi -4@$7");
	MARKER("finish", "");
}

class Own : public ::testing::Test
{
      protected:
	struct error err = {};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct program *program = program_open(fd, "/test", &err);
	struct probe_point place = {};

	~Own() override
	{
		program_close(program);
		close(fd);
	}
	/* The byte of the file where the function is must be the one that is in memory. */
	bool is_at(const void *function)
	{
		unsigned char bytes[8];

		return pread(fd, bytes, sizeof(bytes), static_cast<off_t>(place.offset)) ==
			       sizeof(bytes) &&
		       !memcmp(bytes, function, sizeof(bytes));
	}
};

TEST_F(Own, HasExportedAndStaticFunctions)
{
	ASSERT_NE(program, nullptr) << err.text;
	ASSERT_EQ(program_function(program, "program_test_function", &place, &err), 0) << err.text;
	EXPECT_TRUE(is_at(reinterpret_cast<const void *>(&program_test_function)));
	uint64_t offset = place.offset;
	ASSERT_EQ(program_function(program, "program_test_function+0x4", &place, &err), 0);
	EXPECT_EQ(place.offset, offset + 4);
}

TEST_F(Own, HasTheNearestName)
{
	EXPECT_EQ(program_function(program, "program_test_functoin", &place, &err), -ENOENT);
	EXPECT_STREQ(err.text, "/test: there is no function 'program_test_functoin'; did you mean "
			       "'program_test_function'?");
	EXPECT_EQ(program_function(program, "main+x", &place, &err), -EINVAL);
	EXPECT_STREQ(err.text, "'main+x': expected a number after '+'");
	EXPECT_EQ(program_function(program, "0xfffffffffff", &place, &err), -ENOENT);
	EXPECT_STREQ(err.text, "/test: it has no code at 0xfffffffffff");
}

std::vector<std::string> frames_of(struct program *program, uint64_t offset)
{
	std::vector<std::string> frames;

	program_frames(
		program, offset, false,
		[](void *context, const struct program_frame *frame) {
			static_cast<std::vector<std::string> *>(context)->push_back(
				std::string(frame->function ? frame->function : "?") + " " +
				(frame->file ? frame->file : "?") + " " +
				(frame->line ? "line" : "none"));
		},
		&frames);
	return frames;
}

TEST_F(Own, HasLinesOfItsFunctions)
{
	ASSERT_EQ(program_function(program, "program_test_function", &place, &err), 0) << err.text;
	std::vector<std::string> frames = frames_of(program, place.offset);
	ASSERT_EQ(frames.size(), 1U);
	EXPECT_EQ(frames[0].find("program_test_function "), 0U) << frames[0];
	EXPECT_NE(frames[0].find("program_test.cc line"), std::string::npos) << frames[0];
}

/* A copy whose .debug_aranges has another name: clang writes none. */
TEST_F(Own, HasLinesWithoutATableOfRanges)
{
	std::ifstream whole("/proc/self/exe", std::ios::binary);
	std::string bytes((std::istreambuf_iterator<char>(whole)), {});
	std::string section(".debug_aranges", sizeof(".debug_aranges"));
	int copy = memfd_create("copy", MFD_CLOEXEC);

	for (size_t at = 0; (at = bytes.find(section, at)) != std::string::npos; at++)
		bytes.replace(at, section.size() - 1, ".debug_nothing");
	ASSERT_EQ(write(copy, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
	struct program *without = program_open(copy, "/copy", &err);
	ASSERT_NE(without, nullptr) << err.text;
	ASSERT_EQ(program_function(without, "program_test_function", &place, &err), 0) << err.text;
	EXPECT_EQ(frames_of(without, place.offset), frames_of(program, place.offset));
	EXPECT_NE(frames_of(without, place.offset).at(0).find("program_test.cc line"),
		  std::string::npos);
	program_close(without);
	close(copy);
}

void take(void *context, const struct probe_point *place)
{
	static_cast<std::vector<struct probe_point> *>(context)->push_back(*place);
}

#ifdef __x86_64__
TEST_F(Own, HasStaticProbes)
{
	std::vector<struct probe_point> places;

	ASSERT_EQ(program_markers(program, "tests", "begin", take, &places, &err), 2) << err.text;
	ASSERT_EQ(places.size(), 2U);
	EXPECT_NE(places[0].offset, places[1].offset);
	EXPECT_NE(places[0].semaphore, 0U);
	EXPECT_STREQ(places[1].words, "8@%rsi -4@$7");
	EXPECT_EQ(program_markers(program, "tests", "begim", take, &places, &err), -ENOENT);
	EXPECT_STREQ(err.text,
		     "/test: there is no static probe 'tests:begim'; did you mean 'tests:begin'?");
}

std::string operand(const char *words, uint32_t argument)
{
	struct error err = {};
	char type[8] = "";
	char *text = program_operand(words, argument, type, &err);
	std::string said = text ? std::string(text) + ":" + type : err.text;

	free(text);
	return said;
}

TEST(Operand, IsWhatTheKernelFetches)
{
	EXPECT_EQ(operand("8@%rdi -4@%eax", 1), "%di:u64");
	EXPECT_EQ(operand("8@%rdi -4@%eax", 2), "%ax:s32");
	EXPECT_EQ(operand("1@%al", 1), "%ax:u8");
	EXPECT_EQ(operand("1@%sil", 1), "%si:u8");
	EXPECT_EQ(operand("-2@%r8w", 1), "%r8:s16");
	EXPECT_EQ(operand("4@%r15d", 1), "%r15:u32");
	EXPECT_EQ(operand("8@-16(%rbp)", 1), "-16(%bp):u64");
	EXPECT_EQ(operand("8@(%rax)", 1), "+0(%ax):u64");
	EXPECT_EQ(operand("-4@$-7", 1), "\\-7:s32");
}

TEST(Operand, ThatCannotBeFetchedIsRefused)
{
	EXPECT_EQ(operand("8@%rdi", 2), "the static probe has no arg2; its arguments are: 8@%rdi");
	EXPECT_EQ(operand("", 1), "the static probe has no arg1; its arguments are: none");
	for (const char *words : {"8@8(%rax,%rcx,4)", "8@counter(%rip)", "8@0(%rip)", "3@%rax",
				  "8@", "%rax", "8@%rax+1", "8@$x"})
		EXPECT_EQ(operand(words, 1), std::string("arg1 of the static probe is '") + words +
						     "', which the kernel cannot fetch");
}
#endif

class File : public ::testing::Test
{
      protected:
	char path[32] = "/tmp/program-test-XXXXXX";
	int fd = mkstemp(path);
	struct error err = {};

	~File() override
	{
		close(fd);
		unlink(path);
	}
	const char *refused(const void *bytes, size_t size)
	{
		EXPECT_EQ(pwrite(fd, bytes, size, 0), static_cast<ssize_t>(size));
		EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
		EXPECT_EQ(program_open(fd, "a", &err), nullptr);
		return err.text;
	}
};

TEST_F(File, OfTheKernelHasItsFunctions)
{
	const char text[] = "ffffffff81000200 T second\nffffffff81000100 t first\n"
			    "ffffffff81000300 D data\nffffffffc0000000 t own\t[module]\n"
			    "0000000000000000 T hidden\nnonsense\n";

	ASSERT_EQ(write(fd, text, sizeof(text) - 1), static_cast<ssize_t>(sizeof(text) - 1));
	ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
	struct kernel_symbols *symbols = kernel_symbols_read(fd);
	EXPECT_EQ(kernel_symbols_find(symbols, 0xffffffff810000ff), nullptr);
	EXPECT_STREQ(kernel_symbols_find(symbols, 0xffffffff81000100), "first");
	EXPECT_STREQ(kernel_symbols_find(symbols, 0xffffffff810001ff), "first");
	EXPECT_STREQ(kernel_symbols_find(symbols, 0xffffffff81000345), "second");
	EXPECT_STREQ(kernel_symbols_find(symbols, 0xffffffffc0000001), "own");
	kernel_symbols_free(symbols);
}

TEST_F(File, ThatIsNoProgramIsRefused)
{
	EXPECT_STREQ(refused("#!/bin/sh\n", 10),
		     "a: it is no program and no library (an ELF file)");
	EXPECT_STREQ(refused("\177ELF", 4), "a: it is no program and no library (an ELF file)");
	EXPECT_STREQ(refused("", 0), "a: it is no program and no library (an ELF file)");
}

TEST_F(File, OfAnotherKindIsRefused)
{
	Elf32_Ehdr small = {};

	memcpy(small.e_ident, "\177ELF\1\1\1", 7);
	small.e_type = ET_EXEC;
	small.e_machine = EM_386;
	small.e_version = EV_CURRENT;
	small.e_ehsize = sizeof(small);
	EXPECT_STREQ(refused(&small, sizeof(small)),
		     "a: it is a 32-bit program; only 64-bit programs can be probed");
	Elf64_Ehdr other = {};
	memcpy(other.e_ident, "\177ELF\2\1\1", 7);
	other.e_type = ET_EXEC;
	other.e_machine = EM_IA_64;
	other.e_version = EV_CURRENT;
	other.e_ehsize = sizeof(other);
	EXPECT_STREQ(refused(&other, sizeof(other)), "a: it is for another architecture");
}

} // namespace
