/*
 * What another architecture's kernel says of calls becomes what this one's would say.
 */
#include "bpf_build.h"
#include "decode_capture.h"

#include <iotrace/arch.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

const struct {
	const char *name;
	long openat, read, clone;
} archs[] = {
	{"x86_64", 257, 0, 56},   {"aarch64", 56, 63, 220},     {"riscv64", 56, 63, 220},
	{"ppc64le", 286, 3, 120}, {"loongarch64", 56, 63, 220}, {"s390x", 288, 3, 120},
	{"ppc64", 286, 3, 120},
};

/* The calls of the headers that this is built with. */
const std::map<std::string, long> header_calls = {
#include "kernel_calls.h"
};

const arch *arch_of(const std::string &name)
{
	return arch_find(name.data(), name.size());
}

call_id row(const std::string &name)
{
	return call_by_name(name.data(), name.size());
}

TEST(Arch, EveryCallIsFoundByItsNumber)
{
	for (const auto &known : archs) {
		SCOPED_TRACE(known.name);
		const arch *a = arch_of(known.name);
		std::set<int> numbers;

		ASSERT_NE(a, nullptr);
		EXPECT_EQ(arch_number(a, row("openat")), known.openat);
		EXPECT_EQ(arch_number(a, row("read")), known.read);
		EXPECT_EQ(arch_number(a, row("clone")), known.clone);
		for (call_id id = 0; id < call_count(); id++) {
			int number = arch_number(a, id);

			if (number < 0)
				continue;
			EXPECT_TRUE(numbers.insert(number).second) << number;
			EXPECT_EQ(arch_call(a, number), id);
		}
		for (long number : {-1L, 511L, 512L, 1L << 40})
			EXPECT_EQ(arch_call(a, number), CALL_ID_NONE);
		EXPECT_EQ(arch_number(a, CALL_ID_NONE), -1);
	}
}

/* What the headers do not have yet is not compared. */
TEST(Arch, NumbersAreThoseOfTheHeaders)
{
	uint32_t compared = 0;

	for (const auto &[name, number] : header_calls) {
		call_id id = arch_call(arch_here(), number);

		if (id == CALL_ID_NONE)
			continue;
		compared++;
		EXPECT_EQ(call_row(id)->number, number);
		/* Four rows have the name of the kernel's function. */
		std::string called = call_row(id)->name;

		EXPECT_TRUE(called == name || called == "new" + name || called == name + "64")
			<< name << " is " << called;
	}
	EXPECT_GT(compared, 100U);
	for (call_id id = 0; id < call_count(); id++) {
		auto call = header_calls.find(call_row(id)->name);

		if (call != header_calls.end()) {
			EXPECT_EQ(call_row(id)->number, call->second) << call->first;
		}
	}
}

/* ppc64 has the flags before the offset, in a call of its own. */
TEST(Arch, Ppc64FlushesPartsOfFilesByAnotherCall)
{
	const struct call_row *usual = call_row(row("sync_file_range"));

	EXPECT_EQ(arch_call(arch_of("x86_64"), 308), row("setns"));
	for (const char *name : {"ppc64le", "ppc64"}) {
		const struct call_row *there = call_row(arch_call(arch_of(name), 308));

		ASSERT_NE(there, nullptr) << name;
		EXPECT_STREQ(there->name, "sync_file_range2");
		EXPECT_EQ(there->kind, usual->kind);
		EXPECT_EQ(there->group, usual->group);
		EXPECT_EQ(there->fd, 0);
		EXPECT_EQ(there->flags, 1);
		EXPECT_EQ(there->offset, 2);
		EXPECT_EQ(there->size, 3);
		EXPECT_EQ(arch_number(arch_of(name), row("sync_file_range")), -1);
	}
}

TEST(Arch, NamesAreComparedWhole)
{
	for (const char *name : {"", "x86_6", "x86_64 ", "aarch64_be", "arm", "i686", "sparc64"})
		EXPECT_EQ(arch_of(name), nullptr) << name;
}

TEST(Arch, BitsOfThisMachineAreThoseOfItsHeaders)
{
	EXPECT_EQ(arch_here()->open.direct, unsigned(O_DIRECT));
	EXPECT_EQ(arch_here()->open.directory, unsigned(O_DIRECTORY));
	EXPECT_EQ(arch_here()->open.no_follow, unsigned(O_NOFOLLOW));
	for (uint32_t bit = 1; bit; bit <<= 1)
		EXPECT_EQ(arch_open_flags(arch_here(), bit), bit);
}

TEST(Arch, FlagsOfOpenHaveTheBitsOfThisMachine)
{
	const arch *arm = arch_of("aarch64"), *ppc = arch_of("ppc64le"), *x86 = arch_of("x86_64");

	EXPECT_EQ(arch_open_flags(arm, 0040000), unsigned(O_DIRECTORY));
	EXPECT_EQ(arch_open_flags(arm, 0100000), unsigned(O_NOFOLLOW));
	EXPECT_EQ(arch_open_flags(arm, 0200000), unsigned(O_DIRECT));
	EXPECT_EQ(arch_open_flags(arm, 0400000), arch_here()->open.large_file);
	EXPECT_EQ(arch_open_flags(ppc, 0200000), arch_here()->open.large_file);
	EXPECT_EQ(arch_open_flags(ppc, 0400000), unsigned(O_DIRECT));
	EXPECT_EQ(arch_open_flags(x86, 0200000), unsigned(O_DIRECTORY));
	EXPECT_EQ(arch_open_flags(arm, 020040002), unsigned(O_TMPFILE | O_RDWR));
	EXPECT_EQ(arch_open_flags(arm, 02002101),
		  unsigned(O_CLOEXEC | O_APPEND | O_CREAT | O_WRONLY));
	EXPECT_EQ(arch_open_flags(arm, UINT32_MAX), UINT32_MAX);
}

/* Returns the arguments of a call of `name` that began with these there. */
std::vector<uint64_t> arguments(const std::string &arch, const std::string &call,
				std::vector<uint64_t> arg)
{
	arg.resize(EVENT_ARGS);
	arch_arguments(arch_of(arch), row(call), arg.data());
	return arg;
}

TEST(Arch, ArgumentsAreThoseOfThisMachine)
{
	using Args = std::vector<uint64_t>;
	const uint64_t direct = O_DIRECT;

	EXPECT_EQ(arguments("aarch64", "openat", {3, 7, 0200001, 0600}),
		  (Args{3, 7, direct | O_WRONLY, 0600, 0, 0}));
	EXPECT_EQ(arguments("ppc64le", "open", {7, 0400002}),
		  (Args{7, direct | O_RDWR, 0, 0, 0, 0}));
	EXPECT_EQ(arguments("aarch64", "fcntl", {3, F_SETFL, 0200000}),
		  (Args{3, F_SETFL, direct, 0, 0, 0}));
	EXPECT_EQ(arguments("aarch64", "fcntl", {3, F_DUPFD, 0200000}),
		  (Args{3, F_DUPFD, 0200000, 0, 0, 0}));
	EXPECT_EQ(arguments("aarch64", "pwrite64", {3, 7, 0200000, 0200000}),
		  (Args{3, 7, 0200000, 0200000, 0, 0}));
	EXPECT_EQ(arguments("s390x", "clone", {1, 2, 3}), (Args{2, 1, 3, 0, 0, 0}));
	EXPECT_EQ(arguments("riscv64", "clone", {1, 2, 3}), (Args{1, 2, 3, 0, 0, 0}));
}

TEST(Arch, RequestsOfIoctlAreThoseOfTheTable)
{
	const std::map<uint64_t, uint64_t> ppc = {
		{0x20006601, 0x5451},     {0x20006602, 0x5450},     {0x20005441, 0x5441},
		{0x80182103, 0x40182103}, {0x40045467, 0x80045467}, {0xc0182103, 0xc0182103},
	};

	for (const auto &[there, usual] : ppc)
		EXPECT_EQ(arguments("ppc64le", "ioctl", {3, there})[1], usual) << std::hex << there;
	EXPECT_EQ(arguments("aarch64", "ioctl", {3, 0x5451})[1], 0x5451U);
}

/* A capture of aarch64: the number of its openat is that of newfstat or of another call elsewhere. */
class Aarch64 : public ::testing::Test
{
      protected:
	void open()
	{
		c.info.machine = machine;
		d.reset(c.open());
		ASSERT_NE(d, nullptr);
		EXPECT_TRUE(warnings(d.get()).empty()) << warnings(d.get()).at(0);
	}

	int send(const Raw &raw, uint32_t index)
	{
		sample s = raw.sample(index);

		return decode_sample(d.get(), &s, false, &e);
	}

	int send(const fact &f)
	{
		Raw raw(FACT_SIZE_MAX);

		raw.bytes.resize(fact_encode(&f, raw.bytes.data(), raw.bytes.size()));
		return send(raw, facts);
	}

	char machine[8] = "aarch64";
	Capture c;
	uint32_t facts = c.add_facts();
	Decoder d{nullptr, decode_free};
	event e;
};

TEST_F(Aarch64, CallsByNumber)
{
	uint32_t enter = c.add_saved("raw_syscalls", "sys_enter"),
		 exit = c.add_saved("raw_syscalls", "sys_exit");

	open();
	ASSERT_EQ(send(Raw(64).put(8, 8, 56).put(16, 8, 3).put(32, 8, 040000), enter), 1);
	EXPECT_EQ(e.enter.call, row("openat"));
	EXPECT_EQ(e.enter.arg[0], 3U);
	EXPECT_EQ(e.enter.arg[2], unsigned(O_DIRECTORY));
	ASSERT_EQ(send(Raw().put(8, 8, 221).put(16, 8, 0), exit), 1);
	EXPECT_EQ(e.exit.call, row("execve"));
	EXPECT_EQ(send(Raw().put(8, 8, 257).put(16, 8, 0), exit), 0);
}

TEST_F(Aarch64, CallsByName)
{
	uint32_t enter = c.add_saved("syscalls", "sys_enter_openat");

	open();
	ASSERT_EQ(send(Raw(48).put(32, 8, 040000), enter), 1);
	EXPECT_EQ(e.enter.arg[2], unsigned(O_DIRECTORY));
}

TEST_F(Aarch64, RecordsOfBpf)
{
	uint32_t bpf = c.add_event(BPF_RECORD_EVENT_NAME, PERF_TYPE_SOFTWARE, 10);
	Raw raw;

	open();
	raw.bytes = BpfRecord(BPF_RECORD_CALL, 56, 4000, {7, 8, 0200000}, 3).file(3, {"a"}).bytes();
	ASSERT_EQ(send(raw, bpf), 1);
	EXPECT_EQ(e.pair.call, row("openat"));
	EXPECT_EQ(e.pair.arg[2], unsigned(O_DIRECT));
	EXPECT_EQ(e.pair.file[0].flags, arch_open_flags(arch_of("aarch64"), 0x8002));
	EXPECT_EQ(e.pair.file[0].flags & O_NOFOLLOW, unsigned(O_NOFOLLOW));
	raw.bytes = BpfRecord(BPF_RECORD_ENTER, 57, 0, {7}).bytes();
	ASSERT_EQ(send(raw, bpf), 1);
	EXPECT_EQ(e.enter.call, row("close"));
}

TEST_F(Aarch64, Facts)
{
	fact f{};

	open();
	f.kind = FACT_FD;
	f.number[FACT_FD_flags] = 040001;
	ASSERT_EQ(send(f), 1);
	EXPECT_EQ(e.fact.number[FACT_FD_flags], unsigned(O_DIRECTORY | O_WRONLY));
	f.number[FACT_FD_flags] = UINT64_MAX;
	ASSERT_EQ(send(f), 1);
	EXPECT_EQ(e.fact.number[FACT_FD_flags], UINT64_MAX);
	f.kind = FACT_PATH;
	f.number[FACT_PATH_number] = 35;
	ASSERT_EQ(send(f), 1);
	EXPECT_EQ(e.fact.number[FACT_PATH_number], row("unlinkat"));
}

TEST(Arch, CallsThatAreNotFollowedHaveNames)
{
	const arch *arm = arch_of("aarch64");
	struct arch_name room;
	size_t named = 0;

	for (const auto &[name, number] : header_calls) {
		const char *found = arch_call_name(arch_here(), number, &room);

		if (!found || arch_call(arch_here(), number) != CALL_ID_NONE)
			continue;
		EXPECT_EQ(found, name);
		named++;
	}
	EXPECT_GT(named, 100u);
	EXPECT_STREQ(arch_call_name(arm, 56, &room), "openat");
	EXPECT_STREQ(arch_call_name(arm, 226, &room), "mprotect");
	for (long number : {-1L, -10001L, 5000L, 1L << 40})
		EXPECT_EQ(arch_call_name(arm, number, &room), nullptr) << number;
}
} // namespace
