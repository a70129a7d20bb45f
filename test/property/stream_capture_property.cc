/*
 * capture: what is written is read back; a file that was cut or damaged ends cleanly.
 */
#include "stream_build.h"
#include "test_source.h"

#include <gtest/gtest.h>

#include <iotrace/mem.h>

#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace
{

std::string random_text(std::mt19937 &random, size_t most)
{
	std::string text(random() % most, 'x');

	for (char &c : text)
		c = static_cast<char>(1 + random() % 255);
	return text;
}

char *random_field(std::mt19937 &random)
{
	return random() % 4 ? mem_strdup(random_text(random, 200).c_str()) : nullptr;
}

void fill(StreamFile *file, std::mt19937 &random)
{
	struct capture_info *info = &file->info;
	uint32_t events = 1 + random() % 5, systems = random() % 4;
	uint64_t id = 1;

	for (uint32_t i = 0; i < events; i++) {
		std::vector<uint64_t> ids;

		for (uint32_t k = random() % 4; k || ids.empty(); k -= k != 0)
			ids.push_back(id += 1 + random() % 3);
		file->add_event(random_text(random, 100), ids);
	}
	for (uint32_t s = 0; s < systems; s++) {
		for (uint32_t i = random() % 3; i; i--)
			capture_info_add_format(info, ("s" + std::to_string(s)).c_str(),
						("name: " + random_text(random, 300)).c_str());
	}
	info->hostname = random_field(random);
	info->release = random_field(random);
	info->machine = random_field(random);
	info->version = random_field(random);
	info->cmdline = random_field(random);
	info->cpus = random() % 3;
	info->page_size = 4096 << random() % 2;
	info->header_page = mem_strdup("page");
	info->header_event = mem_strdup("event");
	for (uint32_t i = random() % 300; i; i--) {
		uint32_t cpu = random() % 4, tid = 1 + random() % 1000;

		file->put_sample(cpu, tid, i, random() % events);
		if (random() % 9 == 0) {
			cpu = random() % 4;
			file->put_other(PERF_RECORD_COMM, cpu, 1 + random() % 1000, i);
		}
		if (random() % 20 == 0)
			file->put_round();
	}
}

void expect_same_text(const char *a, const char *b)
{
	ASSERT_EQ(a == nullptr, b == nullptr);
	if (a) {
		EXPECT_STREQ(a, b);
	}
}

void expect_same_info(const struct capture_info *a, const struct capture_info *b)
{
	ASSERT_EQ(a->events, b->events);
	for (uint32_t i = 0; i < a->events; i++) {
		const capture_event &x = a->event[i], &y = b->event[i];

		EXPECT_EQ(memcmp(&x.attr, &y.attr, sizeof(x.attr)), 0);
		EXPECT_STREQ(x.name, y.name);
		ASSERT_EQ(x.ids, y.ids);
		EXPECT_EQ(memcmp(x.id, y.id, x.ids * sizeof(*x.id)), 0);
		EXPECT_EQ(x.layout.sample_type, y.layout.sample_type);
	}
	ASSERT_EQ(a->formats, b->formats);
	for (uint32_t i = 0; i < a->formats; i++) {
		EXPECT_STREQ(a->format[i].system, b->format[i].system);
		EXPECT_STREQ(a->format[i].text, b->format[i].text);
	}
	expect_same_text(a->hostname, b->hostname);
	expect_same_text(a->release, b->release);
	expect_same_text(a->machine, b->machine);
	expect_same_text(a->version, b->version);
	expect_same_text(a->cmdline, b->cmdline);
	EXPECT_EQ(a->cpus, b->cpus);
	if (a->formats) {
		EXPECT_EQ(a->page_size, b->page_size);
		expect_same_text(a->header_page, b->header_page);
		expect_same_text(a->header_event, b->header_event);
	}
}

std::string records_of(capture *c, int *rc)
{
	capture_round round;
	std::string all;

	while ((*rc = capture_next_round(c, &round, nullptr)) > 0) {
		all.append(reinterpret_cast<char *>(round.bytes), round.size);
		capture_round_free(&round);
	}
	return all;
}

/* A file in memory: thousands are opened here. */
class MemoryFile
{
      public:
	MemoryFile()
		: fd(memfd_create("capture", MFD_CLOEXEC)),
		  path("/proc/self/fd/" + std::to_string(fd))
	{
	}
	~MemoryFile()
	{
		close(fd);
	}
	MemoryFile(const MemoryFile &) = delete;
	MemoryFile &operator=(const MemoryFile &) = delete;
	const char *holding(const std::string &bytes)
	{
		if (ftruncate(fd, 0) ||
		    pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
			abort();
		return path.c_str();
	}

      private:
	int fd;
	std::string path;
};

std::string golden(const char *name)
{
	return read_file(test_source("golden/captures/perf-record-") + name + ".data");
}

/* Reads all there is; it may be refused, but not crash, and what comes out must be in order. */
void read_anything(const char *path)
{
	error err{};
	capture *c = capture_open(path, nullptr, nullptr, &err);
	tally books{};
	uint64_t reached = 0;

	if (!c) {
		EXPECT_NE(err.code, 0);
		EXPECT_NE(err.text[0], '\0');
		return;
	}
	for (const Seen &s : read_ordered(c, &books, nullptr, &err)) {
		EXPECT_GE(s.time, reached);
		reached = s.time;
	}
	EXPECT_EQ(tally_get(&books, samples), tally_get(&books, malformed));
	capture_close(c);
}

void damage(const std::string &good, uint32_t rounds, uint32_t seed)
{
	std::mt19937 random(seed);
	MemoryFile memory;

	for (uint32_t i = 0; i < rounds; i++) {
		std::string bad = good;

		for (uint32_t k = 1 + random() % 4; k; k--) {
			/* The front of a file decides most. */
			size_t at = random() % 2 ? random() % std::min<size_t>(bad.size(), 1200)
						 : random() % bad.size();

			if (random() % 3)
				bad[at] = static_cast<char>(bad[at] ^ 1 << random() % 8);
			else
				bad[at] = static_cast<char>(random() % 2 ? 0xff : 0);
		}
		read_anything(memory.holding(bad));
	}
}

} // namespace

TEST(CaptureProperty, WhatIsWrittenIsReadBack)
{
	std::mt19937 random(7);

	for (int i = 0; i < 60; i++) {
		StreamFile file;
		std::string want;
		error err{};
		int rc;

		fill(&file, random);
		capture *c = capture_open(file.write().c_str(), nullptr, nullptr, &err);
		ASSERT_NE(c, nullptr) << err.text;
		expect_same_info(&file.info, capture_info(c));
		std::string got = records_of(c, &rc);
		for (size_t at = 0; at < file.records.size();) {
			uint32_t size = sample_record_size(&file.records[at],
							   file.records.size() - at);
			uint32_t type;

			memcpy(&type, &file.records[at], sizeof(type));
			if (type != CAPTURE_RECORD_FINISHED_ROUND)
				want += file.records.substr(at, size);
			at += size;
		}
		EXPECT_EQ(rc, 0);
		EXPECT_TRUE(got == want);
		EXPECT_EQ(capture_torn(c), 0u);
		capture_close(c);
	}
}

TEST(CaptureProperty, AnyTruncationEndsCleanly)
{
	std::mt19937 random(8);
	MemoryFile memory;
	StreamFile file;

	fill(&file, random);
	std::string all = read_file(file.write());
	uint64_t data, size;
	memcpy(&data, all.data() + 40, sizeof(data));
	memcpy(&size, all.data() + 48, sizeof(size));
	ASSERT_GT(size, 1000u);
	std::string want;
	/* Records are multiples of 8 bytes. So each part of one is cut somewhere, also by steps of 7. */
	for (size_t length = 0; length < all.size(); length += length < data + 1000 ? 1 : 7) {
		error err{};
		int rc;
		capture *c = capture_open(memory.holding(all.substr(0, length)), nullptr, nullptr,
					  &err);

		if (length < data) {
			ASSERT_EQ(c, nullptr) << length;
			continue;
		}
		ASSERT_NE(c, nullptr) << length << ": " << err.text;
		std::string got = records_of(c, &rc);
		EXPECT_EQ(rc, 0);
		EXPECT_GE(got.size(), want.size());
		EXPECT_TRUE(got.compare(0, want.size(), want) == 0) << length;
		EXPECT_EQ(capture_torn(c) > 0, length < data + size) << length;
		EXPECT_LE(capture_torn(c), size);
		uint64_t total;
		EXPECT_EQ(capture_position(c, &total) + capture_torn(c), size);
		want = got;
		capture_close(c);
	}
}

TEST(CaptureProperty, AnyTruncationOfAFileOfPerfEndsCleanly)
{
	MemoryFile memory;

	for (const char *name : {"true", "pipe"}) {
		std::string all = golden(name);

		for (size_t length = 0; length < all.size(); length += 61)
			read_anything(memory.holding(all.substr(0, length)));
	}
}

TEST(CaptureProperty, AnyDamageEndsCleanly)
{
	std::mt19937 random(9);
	StreamFile file;

	fill(&file, random);
	damage(read_file(file.write()), 800, 10);
	damage(golden("true"), 300, 11);
	damage(golden("pipe"), 300, 12);
	damage(golden("openat"), 300, 13);
}
