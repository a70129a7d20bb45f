/*
 * Records of BPF programs: what they become, and that nothing in them is believed.
 */
#include "bpf_build.h"
#include "decode_capture.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/syscall.h>

namespace
{

using Decoder = std::unique_ptr<decode, decltype(&decode_free)>;

enum : uint32_t {
	PIPEFS = 0x50495045,
	SOCKFS = 0x534f434b,
	ANON_INODE = 0x09041934,
	TMPFS = 0x01021994,
	NSFS = 0x6e736673,
};

class Bpf : public ::testing::Test
{
      protected:
	Bpf()
	{
		c.add_facts();
		index = c.add_event(BPF_RECORD_EVENT_NAME, PERF_TYPE_SOFTWARE, 10);
		d.reset(c.open());
	}

	/* The bytes end where their memory does, so that a sanitizer sees who reads on. */
	int send(const std::vector<uint8_t> &bytes, uint64_t time = 5000)
	{
		raw.bytes = bytes;
		raw.bytes.shrink_to_fit();
		sample s = raw.sample(index);

		s.time = time;
		memset(static_cast<void *>(&e), 0xaa, sizeof(e));
		return decode_sample(d.get(), &s, false, &e);
	}

	int send(const BpfRecord &record)
	{
		return send(record.bytes());
	}

	std::string name_of(const BpfRecord &record, int file = 0)
	{
		return send(record) == 1 ? text_of(e.pair.file[file].name) : "(refused)";
	}

	/* The record is one, and one byte less is none, nor is any less than that. */
	void expect_no_truncation(std::vector<uint8_t> bytes)
	{
		const uint64_t before = c.count(TALLY_malformed), size = bytes.size();

		ASSERT_EQ(send(bytes), 1);
		while (!bytes.empty()) {
			bytes.pop_back();
			EXPECT_EQ(send(bytes), 0) << bytes.size();
		}
		EXPECT_EQ(c.count(TALLY_malformed), before + size);
		expect_balance();
	}

	void expect_balance()
	{
		EXPECT_EQ(c.count(TALLY_samples), c.count(TALLY_events) + c.count(TALLY_ignored) +
							  c.count(TALLY_malformed));
	}

	static BpfRecord openat()
	{
		return BpfRecord(BPF_RECORD_CALL, SYS_openat, 4000, {7, 8, 9}, 3);
	}

	Capture c;
	uint32_t index;
	Decoder d{nullptr, decode_free};
	Raw raw;
	event e;
};

TEST_F(Bpf, ACallHasBothItsTimes)
{
	ASSERT_EQ(send(BpfRecord(BPF_RECORD_CALL, SYS_pread64, 4000, {1, 2, 3, 4, 5, 6}, -5)
			       .position(99)),
		  1);
	EXPECT_EQ(e.kind, EVENT_CALL);
	EXPECT_STREQ(call_row(e.pair.call)->name, "pread64");
	EXPECT_FALSE(e.pair.is_in_flight);
	EXPECT_EQ(e.pair.begin, 4000U);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(e.pid, 100U);
	EXPECT_EQ(e.tid, 101U);
	for (uint64_t i = 0; i < EVENT_ARGS; i++)
		EXPECT_EQ(e.pair.arg[i], i + 1);
	EXPECT_EQ(e.pair.result, -5);
	EXPECT_EQ(e.pair.position, 99U);
	EXPECT_EQ(e.pair.path[0].at, nullptr);
	EXPECT_EQ(e.pair.path[1].at, nullptr);
	EXPECT_EQ(e.pair.file[0].fd, -1);
	EXPECT_EQ(e.pair.file[1].fd, -1);
	EXPECT_EQ(c.count(TALLY_events), 1U);
}

TEST_F(Bpf, ACallInFlightSaysSo)
{
	ASSERT_EQ(send(BpfRecord(BPF_RECORD_IN_FLIGHT, SYS_read, 4000, {1})), 1);
	EXPECT_EQ(e.kind, EVENT_CALL);
	EXPECT_TRUE(e.pair.is_in_flight);
}

TEST_F(Bpf, EnterAndExitAreThoseOfPerf)
{
	ASSERT_EQ(send(BpfRecord(BPF_RECORD_ENTER, SYS_renameat2, 5000, {1, 2})
			       .path("b", 1)
			       .path("a")),
		  1);
	EXPECT_EQ(e.kind, EVENT_SYSCALL_ENTER);
	EXPECT_STREQ(call_row(e.enter.call)->name, "renameat2");
	EXPECT_EQ(e.enter.arg[1], 2U);
	EXPECT_EQ(text_of(e.enter.path[0]), "a");
	EXPECT_EQ(text_of(e.enter.path[1]), "b");

	ASSERT_EQ(send(BpfRecord(BPF_RECORD_EXIT, SYS_close, 4000, {3}, -9)), 1);
	EXPECT_EQ(e.kind, EVENT_SYSCALL_EXIT);
	EXPECT_STREQ(call_row(e.exit.call)->name, "close");
	EXPECT_EQ(e.exit.result, -9);
	EXPECT_EQ(e.exit.counters, 0U);
}

TEST_F(Bpf, PathsEndAtTheirNulAndTornOnesAreLeftOut)
{
	ASSERT_EQ(send(openat().path(std::string("x/y\0z", 5)).path("half", 1, BPF_PART_TORN)), 1);
	EXPECT_EQ(text_of(e.pair.path[0]), "x/y");
	EXPECT_EQ(e.pair.path[1].at, nullptr);
	ASSERT_EQ(send(openat().path("")), 1);
	EXPECT_EQ(text_of(e.pair.path[0]), "");
}

TEST_F(Bpf, AFileSaysWhatItsDescriptorIs)
{
	ASSERT_EQ(send(openat().path("../a").file(3, {"a", "data", "srv"})), 1);
	const event_file &f = e.pair.file[0];

	EXPECT_EQ(f.fd, 3);
	EXPECT_EQ(f.flags, 0x8002U);
	EXPECT_EQ(f.mode, 0100644U);
	EXPECT_EQ(f.position, 5U);
	EXPECT_EQ(f.dev, makedev(8, 300));
	EXPECT_EQ(f.ino, 77U);
	EXPECT_EQ(f.mnt_id, 21U);
	EXPECT_EQ(text_of(f.name), "/srv/data/a");
	EXPECT_EQ(e.pair.file[1].fd, -1);
}

TEST_F(Bpf, NamesAreThoseOfReadlink)
{
	EXPECT_EQ(name_of(openat().file(3, {})), "/");
	EXPECT_EQ(name_of(openat().file(3, {"a", "tmp"}, BPF_PART_DELETED)), "/tmp/a");
	EXPECT_TRUE(e.pair.file[0].is_deleted);
	EXPECT_EQ(name_of(openat().file(3, {"a (deleted)", "tmp"})), "/tmp/a (deleted)");
	EXPECT_FALSE(e.pair.file[0].is_deleted);
	EXPECT_EQ(name_of(openat().file(3, {""}, BPF_PART_SPECIAL, PIPEFS)), "pipe:[77]");
	EXPECT_EQ(name_of(openat().file(3, {"TCP"}, BPF_PART_SPECIAL, SOCKFS)), "socket:[77]");
	EXPECT_EQ(name_of(openat().file(3, {}, BPF_PART_SPECIAL, SOCKFS)), "socket:[77]");
	EXPECT_EQ(name_of(openat().file(3, {"[eventfd]"}, BPF_PART_SPECIAL, ANON_INODE)),
		  "anon_inode:[eventfd]");
	EXPECT_EQ(name_of(openat().file(3, {"memfd:a/b"}, BPF_PART_SPECIAL, TMPFS)), "/memfd:a/b");
	EXPECT_EQ(name_of(openat().file(3, {"memfd:x"}, BPF_PART_DETACHED, TMPFS)), "/memfd:x");
}

TEST_F(Bpf, ANameThatCannotBeToldIsAbsent)
{
	EXPECT_EQ(name_of(openat().file(3, {"a"}, BPF_PART_TORN)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {"a", "b"}, BPF_PART_DETACHED)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {"a"}, BPF_PART_DETACHED, TMPFS)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {}, BPF_PART_DETACHED)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {"mnt"}, BPF_PART_SPECIAL, NSFS)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {}, BPF_PART_SPECIAL, ANON_INODE)), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {std::string(5000, 'x')})), "(none)");
	EXPECT_EQ(name_of(openat().file(3, {"memfd:" + std::string(5000, 'x')}, BPF_PART_SPECIAL,
					TMPFS)),
		  "(none)");
	EXPECT_EQ(c.count(TALLY_malformed), 0U);
}

TEST_F(Bpf, TheLongestNameFits)
{
	const std::string leaf(255, 'x');
	std::vector<std::string> names(16, leaf);
	std::string path;

	for (const std::string &name : names)
		path += "/" + name;
	ASSERT_EQ(path.size(), 4096U);
	EXPECT_EQ(name_of(openat().file(3, names)), path);
	names.emplace_back("1234567890123456");
	EXPECT_EQ(name_of(openat().file(3, names, BPF_PART_DELETED)), "(none)");
}

TEST_F(Bpf, ADirectoryIsAFileWithoutADescriptor)
{
	BpfRecord chdir(BPF_RECORD_CALL, SYS_chdir, 4000);

	chdir.directory({"b", "a"});
	EXPECT_EQ(name_of(chdir), "/a/b");
	EXPECT_EQ(e.pair.file[0].fd, -1);
	BpfRecord gone(BPF_RECORD_CALL, SYS_chdir, 4000);

	gone.directory({"b", "a"}, BPF_PART_DELETED);
	EXPECT_EQ(name_of(gone), "(none)");
	EXPECT_EQ(name_of(BpfRecord(BPF_RECORD_CALL, SYS_chdir, 4000)), "(none)");
}

TEST_F(Bpf, ARelativePathHasTheDirectoryThatItStartsAt)
{
	BpfRecord rename(BPF_RECORD_CALL, SYS_renameat2, 4000);

	rename.path("a").base({"d", "srv"}, 0).path("b", 1).base({}, 1);
	ASSERT_EQ(send(rename), 1);
	EXPECT_EQ(text_of(e.pair.base[0]), "/srv/d");
	EXPECT_EQ(text_of(e.pair.base[1]), "/");
	BpfRecord lost(BPF_RECORD_CALL, SYS_renameat2, 4000);

	lost.path("a")
		.base({"d"}, 0, BPF_PART_DELETED)
		.path("b", 1)
		.base({"d"}, 1, BPF_PART_DETACHED);
	ASSERT_EQ(send(lost), 1);
	EXPECT_EQ(e.pair.base[0].at, nullptr);
	EXPECT_EQ(e.pair.base[1].at, nullptr);
}

TEST_F(Bpf, APairHasTwoFiles)
{
	BpfRecord pipe(BPF_RECORD_CALL, SYS_pipe2, 4000, {0, 0}, 0);

	pipe.file(4, {""}, BPF_PART_SPECIAL, PIPEFS, 1).file(3, {""}, BPF_PART_SPECIAL, PIPEFS, 0);
	ASSERT_EQ(send(pipe), 1);
	EXPECT_EQ(e.pair.file[0].fd, 3);
	EXPECT_EQ(e.pair.file[1].fd, 4);
	EXPECT_EQ(text_of(e.pair.file[0].name), "pipe:[77]");
	EXPECT_EQ(text_of(e.pair.file[1].name), "pipe:[77]");
}

TEST_F(Bpf, WhatIsUnknownIsSteppedOver)
{
	BpfRecord later(BPF_RECORD_KINDS + 3);
	BpfRecord parts = openat();
	bpf_part part{};

	EXPECT_EQ(send(later), 0);
	EXPECT_EQ(c.count(TALLY_ignored), 1U);
	EXPECT_EQ(send(BpfRecord(BPF_RECORD_CALL, SYS_getpid, 4000)), 0);
	EXPECT_EQ(c.count(TALLY_ignored), 2U);

	part.kind = BPF_PART_KINDS + 1;
	parts.add(&part, sizeof(part), "abc");
	parts.path("a").path("third", EVENT_PATHS).file(9, {"b"}, 0, 0, 9);
	ASSERT_EQ(send(parts), 1);
	EXPECT_EQ(text_of(e.pair.path[0]), "a");
	EXPECT_EQ(e.pair.file[0].fd, -1);
	EXPECT_EQ(e.pair.file[1].fd, -1);
	EXPECT_EQ(c.count(TALLY_malformed), 0U);
	expect_balance();
}

TEST_F(Bpf, ALongerFixedPartIsOfALaterVersion)
{
	std::vector<uint8_t> bytes = openat().path("a").bytes();
	auto size = static_cast<uint16_t>(sizeof(bpf_record_call) + 16);

	bytes.insert(bytes.begin() + sizeof(bpf_record_call), 16, 0xee);
	memcpy(&bytes[offsetof(bpf_record_head, size)], &size, sizeof(size));
	ASSERT_EQ(send(bytes), 1);
	EXPECT_EQ(text_of(e.pair.path[0]), "a");
}

TEST_F(Bpf, CallsOfAnotherMachineAreIgnored)
{
	Capture other;
	char machine[] = "vax";
	uint32_t i = other.add_event(BPF_RECORD_EVENT_NAME, PERF_TYPE_SOFTWARE, 10);

	other.info.machine = machine;
	Decoder decoder(other.open(), decode_free);

	raw.bytes = openat().bytes();
	sample s = raw.sample(i);

	EXPECT_EQ(decode_sample(decoder.get(), &s, false, &e), 0);
	EXPECT_EQ(other.count(TALLY_ignored), 1U);
}

TEST_F(Bpf, ARecordWithoutTimesIsRefusedAtOnce)
{
	Capture other;
	error err{};

	other.add_event(BPF_RECORD_EVENT_NAME, PERF_TYPE_SOFTWARE, 10);
	other.events[0].attr.sample_type &= ~static_cast<uint64_t>(PERF_SAMPLE_TIME);
	EXPECT_EQ(other.open(&err), nullptr);
	EXPECT_STREQ(err.text, "event iotrace:bpf was recorded without times (perf record -T)");
}

TEST_F(Bpf, EveryTruncationIsMalformed)
{
	expect_no_truncation(openat().path("some/path", 0).file(3, {"path", "some"}).bytes());
}

TEST_F(Bpf, AHeadAloneIsMalformed)
{
	for (uint16_t kind = BPF_RECORD_NONE; kind < BPF_RECORD_KINDS; kind++) {
		bpf_record_head head{};

		head.kind = kind;
		head.size = sizeof(head);
		EXPECT_EQ(send(bytes_of(head)), 0) << kind;
	}
	EXPECT_EQ(c.count(TALLY_malformed), uint64_t{BPF_RECORD_KINDS});
}

TEST_F(Bpf, EveryTruncationOfARequestIsMalformed)
{
	bpf_record_request request{};

	request.head.kind = BPF_RECORD_REQUEST;
	request.head.size = sizeof(request);
	expect_no_truncation(bytes_of(request));
}

bpf_record_aio aio_record()
{
	bpf_record_aio r{};

	r.head.kind = BPF_RECORD_AIO;
	r.head.size = sizeof(r);
	r.step = AIO_COMPLETE;
	r.api = AIO_URING;
	r.opcode = 18; /* IORING_OP_OPENAT */
	r.flags = AIO_MORE;
	r.fd = 4;
	r.index = 2;
	r.queue = 0x1000;
	r.key = 0x2000;
	r.user_data = 77;
	r.offset = 4096;
	r.bytes = 512;
	r.result = 9;
	r.file = 0x3000;
	return r;
}

TEST_F(Bpf, EveryTruncationOfAnAsynchronousRequestIsMalformed)
{
	bpf_record_aio r = aio_record();

	expect_no_truncation(bytes_of(r));
	r.head.size = offsetof(bpf_record_aio, file);
	std::vector<uint8_t> old = bytes_of(r);

	old.resize(r.head.size);
	expect_no_truncation(old);
}

TEST_F(Bpf, AFixedFileHasNoDescriptor)
{
	bpf_record_aio r = aio_record();
	std::string parts = BpfRecord(0).file(-1, {"b", "a"}).parts;

	r.head.parts = 1;
	ASSERT_EQ(send(bytes_of(r, parts)), 1);
	EXPECT_EQ(e.aio.step.file, 0x3000U);
	EXPECT_EQ(e.aio.file.fd, -1);
	EXPECT_EQ(std::string(e.aio.file.name.at, e.aio.file.name.length), "/a/b");
	r.file = 0;
	EXPECT_EQ(send(bytes_of(r, parts)), 0)
		<< "what has no name of the kernel's is a descriptor";
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
}

TEST_F(Bpf, AnAsynchronousRequestOfAnOldCaptureHasNoFixedFile)
{
	bpf_record_aio r = aio_record();
	std::vector<uint8_t> bytes;

	r.head.size = offsetof(bpf_record_aio, file);
	r.head.parts = 1;
	bytes = bytes_of(r, BpfRecord(0).file(9, {"b", "a"}).parts);
	bytes.erase(bytes.begin() + offsetof(bpf_record_aio, file), bytes.begin() + sizeof(r));
	ASSERT_EQ(send(bytes), 1);
	EXPECT_EQ(e.aio.step.result, 9);
	EXPECT_EQ(e.aio.step.file, 0U);
	EXPECT_EQ(e.aio.file.fd, 9);
}

TEST_F(Bpf, AStepOrAnInterfaceThatIsNoneIsMalformed)
{
	bpf_record_aio step = aio_record(), api = aio_record();

	step.step = AIO_STEPS;
	api.api = AIO_APIS;
	EXPECT_EQ(send(bytes_of(step)), 0);
	EXPECT_EQ(send(bytes_of(api)), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 2U);
}

bpf_record_fault fault_record()
{
	bpf_record_fault r{};

	r.head.kind = BPF_RECORD_FAULT;
	r.head.size = sizeof(r);
	r.begin = 4000;
	r.major = 8;
	r.minor = 3;
	r.ino = 77;
	r.offset = 8192;
	r.bytes = 65536;
	return r;
}

TEST_F(Bpf, APageFault)
{
	ASSERT_EQ(send(bytes_of(fault_record()), 5000), 1);
	EXPECT_EQ(e.kind, EVENT_FAULT);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(e.fault.begin, 4000U);
	EXPECT_EQ(e.fault.dev, makedev(8, 3));
	EXPECT_EQ(e.fault.ino, 77U);
	EXPECT_EQ(e.fault.offset, 8192U);
	EXPECT_EQ(e.fault.bytes, 65536U);
}

TEST_F(Bpf, APageFaultWhoseEndWasSeenLater)
{
	bpf_record_fault r = fault_record();

	r.end = 4500;
	ASSERT_EQ(send(bytes_of(r), 5000), 1);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(e.fault.end, 4500U);
	r.end = 3999;
	EXPECT_EQ(send(bytes_of(r), 5000), 0) << "it ends before it begins";
	r.end = 5001;
	EXPECT_EQ(send(bytes_of(r), 5000), 0) << "it ends after it was seen";
}

TEST_F(Bpf, APageFaultOfAnOldCaptureHasNoEnd)
{
	bpf_record_fault r = fault_record();

	r.head.size = offsetof(bpf_record_fault, end);

	auto bytes = bytes_of(r);

	bytes.resize(offsetof(bpf_record_fault, end));
	ASSERT_EQ(send(bytes, 5000), 1);
	EXPECT_EQ(e.fault.bytes, 65536U);
	EXPECT_EQ(e.fault.end, 0U);
}

TEST_F(Bpf, APageFaultThatIsTornOrEndsBeforeItBeginsIsMalformed)
{
	EXPECT_EQ(send(bytes_of(fault_record()), 3999), 0);
	EXPECT_EQ(send(bytes_of(fault_record()), 4000), 1) << "it took no time";
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
	expect_no_truncation(bytes_of(fault_record()));
}

bpf_record_writeback writeback_record()
{
	bpf_record_writeback r{};

	r.head.kind = BPF_RECORD_WRITEBACK;
	r.head.size = sizeof(r);
	r.begin = 4000;
	r.major = 8;
	r.minor = 3;
	r.ino = 77;
	r.bytes = 65536;
	memcpy(r.name, "kworker/u8:2-fls", 16); /* fills it, without an end */
	return r;
}

TEST_F(Bpf, WritebackOfAFile)
{
	std::vector<uint8_t> bytes = bytes_of(writeback_record());

	ASSERT_EQ(send(bytes, 5000), 1);
	EXPECT_EQ(e.kind, EVENT_WRITEBACK);
	EXPECT_EQ(e.time, 5000U);
	EXPECT_EQ(e.writeback.begin, 4000U);
	EXPECT_EQ(e.writeback.dev, makedev(8, 3));
	EXPECT_EQ(e.writeback.ino, 77U);
	EXPECT_EQ(e.writeback.bytes, 65536U);
	EXPECT_EQ(std::string(e.writeback.name.at, e.writeback.name.length), "kworker/u8:2-fls");
}

TEST_F(Bpf, WritebackThatIsTornOrEndsBeforeItBeginsIsMalformed)
{
	EXPECT_EQ(send(bytes_of(writeback_record()), 3999), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
	expect_no_truncation(bytes_of(writeback_record()));
}

TEST_F(Bpf, WhatTheArgumentsOfACallDoNotSay)
{
	bpf_record_detail clone{}, lock{};

	clone.head.kind = BPF_RECORD_CLONE;
	lock.head.kind = BPF_RECORD_LOCK;
	clone.head.size = lock.head.size = sizeof(clone);
	clone.value = 0x100000400;
	lock.value = F_WRLCK;
	ASSERT_EQ(send(bytes_of(clone)), 1);
	EXPECT_EQ(e.kind, EVENT_CLONE_FLAGS);
	EXPECT_EQ(e.clone_flags.flags, 0x100000400U);
	ASSERT_EQ(send(bytes_of(lock)), 1);
	EXPECT_EQ(e.kind, EVENT_LOCK);
	EXPECT_EQ(e.lock_type, static_cast<uint32_t>(F_WRLCK));
	expect_no_truncation(bytes_of(lock));
}

TEST_F(Bpf, TheWordsOfAProgram)
{
	const std::string words("tar\0\xff\n\0\0", 8);
	bpf_record_head head{BPF_RECORD_PROGRAM, sizeof(head), 1, 0};
	bpf_part part{BPF_PART_ARGUMENTS, static_cast<uint16_t>(sizeof(part) + words.size()), 0, 0};

	for (bool is_cut : {false, true}) {
		part.flags = is_cut ? BPF_PART_TORN : 0;
		std::vector<uint8_t> bytes = bytes_of(head), tail = bytes_of(part);

		bytes.insert(bytes.end(), tail.begin(), tail.end());
		bytes.insert(bytes.end(), words.begin(), words.end());
		ASSERT_EQ(send(bytes), 1);
		EXPECT_EQ(e.kind, EVENT_ARGUMENTS);
		EXPECT_EQ(std::string(e.arguments.words.at, e.arguments.words.length), words);
		EXPECT_EQ(e.arguments.is_cut, is_cut);
		expect_no_truncation(bytes);
	}
}

TEST_F(Bpf, HowAProcessEnded)
{
	bpf_record_detail status{};

	status.head.kind = BPF_RECORD_STATUS;
	status.head.size = sizeof(status);
	status.value = 0x8b;
	ASSERT_EQ(send(bytes_of(status)), 1);
	EXPECT_EQ(e.kind, EVENT_STATUS);
	EXPECT_EQ(e.status, 0x8b);
	expect_no_truncation(bytes_of(status));
}

TEST_F(Bpf, AFileIsMapped)
{
	const std::map<bpf_record_kind, event_kind> kinds = {{BPF_RECORD_STORES, EVENT_STORES},
							     {BPF_RECORD_LOADS, EVENT_LOADS},
							     {BPF_RECORD_CODE, EVENT_CODE}};

	for (const auto &[record, event] : kinds) {
		bpf_record_detail mapped{};

		mapped.head.kind = static_cast<uint16_t>(record);
		mapped.head.size = sizeof(mapped);
		mapped.value = 7;
		ASSERT_EQ(send(bytes_of(mapped)), 1);
		EXPECT_EQ(e.kind, event);
		EXPECT_EQ(e.mapped, 7);
		expect_no_truncation(bytes_of(mapped));
	}
}

TEST_F(Bpf, ACallOfTheOtherTable)
{
	bpf_record_detail call{};

	call.head.kind = BPF_RECORD_FOREIGN;
	call.head.size = sizeof(call);
	call.value = 3;
	ASSERT_EQ(send(bytes_of(call)), 1);
	EXPECT_EQ(e.kind, EVENT_FOREIGN);
}

TEST_F(Bpf, TheLifeOfATaskThatPerfDoesNotFollow)
{
	bpf_record_task task{};

	task.head.size = sizeof(task);
	task.pid = 77;
	task.tid = 78;
	memcpy(task.name, "sixteen letters.", sizeof(task.name));
	task.head.kind = BPF_RECORD_FORK;
	ASSERT_EQ(send(bytes_of(task)), 1);
	EXPECT_EQ(e.kind, EVENT_FORK);
	EXPECT_EQ(e.fork.child_pid, 77U);
	EXPECT_EQ(e.fork.child_tid, 78U);
	task.head.kind = BPF_RECORD_COMM;
	ASSERT_EQ(send(bytes_of(task)), 1);
	EXPECT_EQ(e.kind, EVENT_COMM);
	EXPECT_TRUE(e.comm.is_exec);
	EXPECT_EQ(std::string(e.comm.name.at, e.comm.name.length), "sixteen letters.");
	task.head.kind = BPF_RECORD_END;
	ASSERT_EQ(send(bytes_of(task)), 1);
	EXPECT_EQ(e.kind, EVENT_EXIT);
	expect_no_truncation(bytes_of(task));
}

TEST_F(Bpf, AnAsynchronousRequestHasItsFile)
{
	bpf_record_aio r = aio_record();

	r.head.parts = 1;
	ASSERT_EQ(send(bytes_of(r, BpfRecord(0).file(9, {"b", "a"}).parts)), 1);
	EXPECT_EQ(e.kind, EVENT_AIO);
	EXPECT_EQ(e.aio.step.step, AIO_COMPLETE);
	EXPECT_EQ(e.aio.step.api, AIO_URING);
	EXPECT_EQ(e.aio.step.action, AIO_OPEN);
	EXPECT_EQ(e.aio.step.opcode, 18U);
	EXPECT_EQ(e.aio.step.flags, static_cast<uint32_t>(AIO_MORE));
	EXPECT_EQ(e.aio.step.fd, 4);
	EXPECT_EQ(e.aio.step.index, 2);
	EXPECT_EQ(e.aio.step.queue, 0x1000U);
	EXPECT_EQ(e.aio.step.key, 0x2000U);
	EXPECT_EQ(e.aio.step.user_data, 77U);
	EXPECT_EQ(e.aio.step.offset, 4096U);
	EXPECT_EQ(e.aio.step.bytes, 512U);
	EXPECT_EQ(e.aio.step.file, 0x3000U);
	EXPECT_EQ(e.aio.step.result, 9);
	EXPECT_EQ(e.aio.file.fd, 9);
	EXPECT_EQ(std::string(e.aio.file.name.at, e.aio.file.name.length), "/a/b");
}

TEST_F(Bpf, SizesThatLieAreMalformed)
{
	const BpfRecord good = openat().path("abc");
	struct {
		const char *what;
		size_t offset;
		uint16_t value;
	} lies[] = {
		{"kind none", offsetof(bpf_record_head, kind), BPF_RECORD_NONE},
		{"head of nothing", offsetof(bpf_record_head, size), 0},
		{"head too small", offsetof(bpf_record_head, size), sizeof(bpf_record_call) - 8},
		{"head not aligned", offsetof(bpf_record_head, size), sizeof(bpf_record_call) + 4},
		{"head too large", offsetof(bpf_record_head, size), 0xfff8},
		{"too many parts", offsetof(bpf_record_head, parts), 2},
		{"part of nothing", sizeof(bpf_record_call) + offsetof(bpf_part, size), 0},
		{"part too small", sizeof(bpf_record_call) + offsetof(bpf_part, size), 7},
		{"part too large", sizeof(bpf_record_call) + offsetof(bpf_part, size), 12},
		{"file too small", sizeof(bpf_record_call) + offsetof(bpf_part, kind),
		 BPF_PART_FILE},
	};

	for (const auto &lie : lies) {
		std::vector<uint8_t> bytes = good.bytes();

		memcpy(&bytes[lie.offset], &lie.value, sizeof(lie.value));
		EXPECT_EQ(send(bytes), 0) << lie.what;
	}
	EXPECT_EQ(c.count(TALLY_malformed), sizeof(lies) / sizeof(lies[0]));
	expect_balance();
}

/* Nothing behind the fixed part gives the lie away. */
TEST_F(Bpf, ASizeOfTheFixedPartThatLiesIsMalformed)
{
	struct {
		uint16_t kind, size;
	} lies[] = {
		{BPF_RECORD_CALL, sizeof(bpf_record_call) - 8},
		{BPF_RECORD_CALL, sizeof(bpf_record_call) + 4},
		{BPF_RECORD_KINDS, 0},
		{BPF_RECORD_KINDS, sizeof(bpf_record_head) - 1},
	};

	for (const auto &lie : lies) {
		BpfRecord record(lie.kind, SYS_read, 4000);
		std::vector<uint8_t> bytes;

		record.call.head.size = lie.size;
		bytes = record.bytes();
		bytes.resize(bytes.size() + 64);
		EXPECT_EQ(send(bytes), 0);
	}
	EXPECT_EQ(c.count(TALLY_malformed), 4U);
}

TEST_F(Bpf, ANameWithoutItsEndIsMalformed)
{
	BpfRecord record = openat();
	bpf_part_file f{};

	f.part.kind = BPF_PART_FILE;
	f.fd = 3;
	EXPECT_EQ(send(record.add(&f, sizeof(f), "abcdefgh")), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
}

TEST_F(Bpf, NamesThatAreNoneAreMalformed)
{
	EXPECT_EQ(send(openat().file(3, {"a", "", "b"})), 0);
	EXPECT_EQ(send(openat().file(3, {"a/b"})), 0);
	EXPECT_EQ(send(openat().file(-1, {"a"})), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 3U);
}

TEST_F(Bpf, ACallThatEndsBeforeItBeginsIsMalformed)
{
	EXPECT_EQ(send(BpfRecord(BPF_RECORD_CALL, SYS_read, 5000).bytes(), 5000), 1);
	EXPECT_EQ(send(BpfRecord(BPF_RECORD_CALL, SYS_read, 5001).bytes(), 5000), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 1U);
}

TEST_F(Bpf, ARequestIsTheOneOfTheBlockTracepoints)
{
	bpf_record_request r{};

	r.head.kind = BPF_RECORD_REQUEST;
	r.head.size = sizeof(r);
	r.step = REQUEST_COMPLETE;
	r.type = REQUEST_WRITE;
	r.letters = BPF_REQUEST_SYNC;
	r.major = 7;
	r.minor = 2;
	r.old_major = 8;
	r.old_minor = 1;
	r.sector = 1234;
	r.old_sector = 99;
	r.sectors = 8;
	r.bytes = 4096;
	r.error = 5;
	r.key = 0xffff888812345678;
	r.inode = 12;
	r.inode_major = 8;
	r.inode_minor = 3;
	r.cgroup = 0x100000007;
	memcpy(r.name, "kworker/u8:1-fl", 16);
	ASSERT_EQ(send(bytes_of(r)), 1);
	EXPECT_EQ(e.kind, EVENT_REQUEST);
	EXPECT_EQ(e.request.step, REQUEST_COMPLETE);
	EXPECT_EQ(e.request.type, REQUEST_WRITE);
	EXPECT_EQ(e.request.dev, makedev(7, 2));
	EXPECT_EQ(e.request.old_dev, makedev(8, 1));
	EXPECT_EQ(e.request.sector, 1234U);
	EXPECT_EQ(e.request.old_sector, 99U);
	EXPECT_EQ(e.request.sectors, 8U);
	EXPECT_EQ(e.request.bytes, 4096U);
	EXPECT_EQ(e.request.error, 5);
	EXPECT_EQ(e.request.key, 0xffff888812345678U);
	EXPECT_EQ(e.request.inode, 12U);
	EXPECT_EQ(e.request.inode_dev, makedev(8, 3));
	EXPECT_EQ(e.request.cgroup, 0x100000007U);
	EXPECT_EQ(text_of(e.request.rwbs), "WS");
	EXPECT_EQ(text_of(e.request.name), "kworker/u8:1-fl");
	memset(r.name, 'x', sizeof(r.name));
	ASSERT_EQ(send(bytes_of(r)), 1);
	EXPECT_EQ(text_of(e.request.name), std::string(16, 'x'));
}

TEST_F(Bpf, RwbsIsWrittenAsTheKernelDoes)
{
	struct {
		enum request_kind type;
		uint32_t letters;
		const char *text;
	} rows[] = {
		{REQUEST_READ, 0, "R"},
		{REQUEST_READ, BPF_REQUEST_AHEAD, "RA"},
		{REQUEST_WRITE, BPF_REQUEST_SYNC | BPF_REQUEST_META, "WSM"},
		{REQUEST_WRITE, BPF_REQUEST_PREFLUSH | BPF_REQUEST_FUA | BPF_REQUEST_SYNC, "FWFS"},
		{REQUEST_FLUSH, BPF_REQUEST_PREFLUSH, "FF"},
		{REQUEST_DISCARD, BPF_REQUEST_SYNC, "DS"},
		{REQUEST_DISCARD, BPF_REQUEST_SECURE | BPF_REQUEST_SYNC, "DES"},
		{REQUEST_ZEROES, BPF_REQUEST_SYNC, "NS"},
		{REQUEST_OTHER, 0, "N"},
		{REQUEST_DISCARD, UINT32_MAX, "FDEFASM"},
	};
	bpf_record_request r{};

	r.head.kind = BPF_RECORD_REQUEST;
	r.head.size = sizeof(r);
	for (const auto &row : rows) {
		r.type = static_cast<uint16_t>(row.type);
		r.letters = row.letters;
		ASSERT_EQ(send(bytes_of(r)), 1);
		EXPECT_EQ(text_of(e.request.rwbs), row.text);
	}
}

TEST_F(Bpf, ARequestThatCannotBeIsMalformed)
{
	bpf_record_request good{}, r;

	good.head.kind = BPF_RECORD_REQUEST;
	good.head.size = sizeof(good);
	r = good;
	r.step = REQUEST_STEPS;
	EXPECT_EQ(send(bytes_of(r)), 0);
	r = good;
	r.type = REQUEST_KINDS;
	EXPECT_EQ(send(bytes_of(r)), 0);
	r = good;
	r.error = -5;
	EXPECT_EQ(send(bytes_of(r)), 0);
	r = good;
	r.head.size -= 8;
	EXPECT_EQ(send(bytes_of(r)), 0);
	EXPECT_EQ(c.count(TALLY_malformed), 4U);
	expect_balance();
}

} /* namespace */
