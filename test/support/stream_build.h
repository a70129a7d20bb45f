/*
 * stream_build: captures made by hand, record by record, for tests of the stream layer.
 */
#ifndef STREAM_BUILD_H
#define STREAM_BUILD_H

#include "scratch_dir.h"

#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

constexpr uint64_t OUR_LAYOUT = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;

inline std::string read_file(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);

	return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::string &path, const std::string &bytes)
{
	std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class StreamFile
{
      public:
	StreamFile()
	{
		capture_info_init(&info);
	}
	~StreamFile()
	{
		capture_info_release(&info);
	}
	StreamFile(const StreamFile &) = delete;
	StreamFile &operator=(const StreamFile &) = delete;

	uint32_t add_event(const std::string &name, std::vector<uint64_t> ids,
			   uint64_t sample_type = OUR_LAYOUT, bool sample_id_all = true,
			   uint64_t read_format = 0)
	{
		perf_event_attr attr{};

		attr.type = PERF_TYPE_TRACEPOINT;
		attr.size = sizeof(attr);
		attr.config = 100 + info.events;
		attr.sample_type = sample_type;
		attr.read_format = read_format;
		attr.sample_id_all = sample_id_all;
		if (!capture_info_add_event(&info, &attr, name.c_str(), ids.data(),
					    static_cast<uint32_t>(ids.size()), nullptr))
			abort();
		return info.events - 1;
	}

	void put(const sample &s, uint32_t event = 0)
	{
		uint8_t out[UINT16_MAX];
		size_t size = sample_write(&s, &info.event[event].layout, out, sizeof(out));

		if (!size)
			abort();
		records.append(reinterpret_cast<char *>(out), size);
	}

	/* `tag` is the tid, by which tests distinguish records. */
	void put_sample(uint32_t cpu, uint64_t time, uint32_t tag = 0, uint32_t event = 0)
	{
		static const uint8_t raw[12] = {1, 2, 3};
		sample s{};

		s.type = PERF_RECORD_SAMPLE;
		s.cpu = cpu;
		s.time = time;
		s.tid = tag;
		s.id = info.event[event].ids ? info.event[event].id[0] : 0;
		s.raw = raw;
		s.raw_size = sizeof(raw);
		put(s, event);
	}

	void put_other(uint32_t type, uint32_t cpu, uint64_t time, uint32_t tag = 0)
	{
		static const uint8_t body[16] = {9};
		sample s{};

		s.type = type;
		s.cpu = cpu;
		s.time = time;
		s.tid = tag;
		s.id = info.event[0].ids ? info.event[0].id[0] : 0;
		s.body = body;
		s.body_size = sizeof(body);
		put(s);
	}

	void put_bytes(uint32_t type, const std::string &body, size_t claimed = 0)
	{
		perf_event_header header{};

		header.type = type;
		header.size = static_cast<uint16_t>(claimed ? claimed
							    : sizeof(header) + body.size());
		records.append(reinterpret_cast<char *>(&header), sizeof(header));
		records += body;
	}

	void put_round()
	{
		put_bytes(CAPTURE_RECORD_FINISHED_ROUND, "");
	}

	/* Returns the path of a file that is complete. */
	std::string write(const std::string &name = "x.data")
	{
		std::string path = scratch.path(name);
		capture_writer *writer;
		error err{};

		std::filesystem::remove(path);
		writer = capture_create(path.c_str(), &info, &err);
		if (!writer || capture_write(writer, records.data(), records.size(), &err) ||
		    capture_finish(writer, &err)) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
		return path;
	}

	struct capture_info info;
	std::string records;
	ScratchDir scratch;
};

/* Returns the message with which a file is refused. */
inline std::string refused(const std::string &path)
{
	error err{};
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

	EXPECT_EQ(c, nullptr);
	capture_close(c);
	EXPECT_NE(err.code, 0);
	return err.text;
}

inline capture *opened(const std::string &path)
{
	error err{};
	capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

	EXPECT_NE(c, nullptr) << err.text;
	return c;
}

struct Seen {
	uint32_t tag;
	uint64_t time;
	bool is_late;
	uint32_t type;
	uint32_t event;
	uint64_t until;
};

inline bool operator==(const Seen &a, const Seen &b)
{
	return a.tag == b.tag && a.time == b.time && a.is_late == b.is_late && a.type == b.type &&
	       a.event == b.event;
}

inline void drain_order(order *o, std::vector<Seen> *seen)
{
	sample s;
	bool is_late;

	while (order_next(o, &s, &is_late))
		seen->push_back({s.tid, s.time, is_late, s.type, s.event, s.until});
}

/* Reads a whole capture, as convert does. Returns the records; *rc is -errno of the reader. */
inline std::vector<Seen> read_ordered(capture *c, tally *books, int *rc = nullptr,
				      error *err = nullptr)
{
	std::vector<Seen> seen;
	order *o = order_new(c, books);
	capture_round round;
	int result;

	while ((result = capture_next_round(c, &round, err)) > 0) {
		order_add_round(o, &round);
		drain_order(o, &seen);
	}
	order_end(o);
	drain_order(o, &seen);
	order_free(o);
	if (rc)
		*rc = result;
	return seen;
}

inline std::vector<uint32_t> tags_of(const std::vector<Seen> &seen)
{
	std::vector<uint32_t> tags;

	for (const Seen &s : seen)
		tags.push_back(s.tag);
	return tags;
}

#endif
