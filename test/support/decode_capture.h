/*
 * decode_capture: the description of a capture and its samples, made by hand for tests of the decoder.
 */
#ifndef DECODE_CAPTURE_H
#define DECODE_CAPTURE_H

#include <iotrace/arch.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/tally.h>

#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "test_source.h"

/* Returns the text of a saved format file, or "". */
inline std::string saved_format(const std::string &system, const std::string &name)
{
	std::ifstream in(test_source("formats/linux-6.18-x86_64/") + system + "/" + name +
			 "/format");

	return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/* Whether the machine of the saved formats has this call. */
inline bool is_call_saved(call_id id)
{
	return arch_number(arch_find("x86_64", strlen("x86_64")), id) >= 0;
}

/* Returns a format file with these fields after those that all tracepoints have. */
inline std::string format_text(const std::string &name, int id, const std::string &fields)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

	return "name: " + name + "\nID: " + std::to_string(id) + "\nformat:\n" + common + fields +
	       "\nprint fmt: \"%d\", REC->common_pid\n";
}

inline uint64_t format_id(const std::string &text)
{
	size_t at = text.find("ID: ");

	return at == std::string::npos ? 0 : std::stoull(text.substr(at + 4));
}

class Capture
{
      public:
	const uint64_t usual = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;

	/* Each returns the index of the event. */
	uint32_t add_event(const std::string &name, uint32_t type, uint64_t config,
			   std::vector<uint64_t> ids = {})
	{
		capture_event event{};

		names.push_back(name);
		event_ids.push_back(ids);
		event.attr.type = type;
		event.attr.config = config;
		event.attr.sample_period = 1;
		event.attr.sample_type = usual;
		event.name = names.back().data();
		event.id = event_ids.back().data();
		event.ids = static_cast<uint32_t>(ids.size());
		events.push_back(event);
		return static_cast<uint32_t>(events.size() - 1);
	}

	uint32_t add_tracepoint(const std::string &system, const std::string &name,
				const std::string &text)
	{
		add_format(system, text);
		return add_event(system + ":" + name, PERF_TYPE_TRACEPOINT, format_id(text));
	}

	uint32_t add_saved(const std::string &system, const std::string &name)
	{
		return add_tracepoint(system, name, saved_format(system, name));
	}

	uint32_t add_facts()
	{
		return add_event(FACT_EVENT_NAME, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	}

	void add_format(const std::string &system, const std::string &text)
	{
		capture_format format{};

		names.push_back(system);
		format.system = names.back().data();
		names.push_back(text);
		format.text = names.back().data();
		formats.push_back(format);
	}

	decode *open(error *err = nullptr)
	{
		info.event = events.data();
		info.events = static_cast<uint32_t>(events.size());
		info.format = formats.data();
		info.formats = static_cast<uint32_t>(formats.size());
		return decode_new(&info, &books, err);
	}

	uint64_t count(tally_counter counter) const
	{
		return books.n[counter];
	}

	struct capture_info info {
	};
	tally books{};
	std::vector<capture_event> events;

      private:
	std::deque<std::string> names;
	std::deque<std::vector<uint64_t>> event_ids;
	std::vector<capture_format> formats;
};

/* Bytes of a sample's raw data, or of a record's body. */
class Raw
{
      public:
	explicit Raw(size_t size = 0) : bytes(size)
	{
	}

	Raw &put(size_t offset, size_t size, uint64_t value)
	{
		if (bytes.size() < offset + size)
			bytes.resize(offset + size);
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && size)
			value <<= 8 * (sizeof(value) - size);
		memcpy(&bytes[offset], &value, size);
		return *this;
	}

	Raw &add(size_t size, uint64_t value)
	{
		return put(bytes.size(), size, value);
	}

	Raw &add(const std::string &text)
	{
		bytes.insert(bytes.end(), text.begin(), text.end());
		return *this;
	}

	struct sample sample(uint32_t event) const
	{
		struct sample s {
		};

		s.type = PERF_RECORD_SAMPLE;
		s.event = event;
		s.pid = 100;
		s.tid = 101;
		s.cpu = 3;
		s.time = 5000;
		s.raw = bytes.data();
		s.raw_size = static_cast<uint32_t>(bytes.size());
		return s;
	}

	struct sample record(uint32_t type, uint16_t misc = 0) const
	{
		struct sample s = sample(UINT32_MAX);

		s.type = type;
		s.misc = misc;
		s.raw = nullptr;
		s.raw_size = 0;
		s.body = bytes.data();
		s.body_size = static_cast<uint32_t>(bytes.size());
		return s;
	}

	std::vector<uint8_t> bytes;
};

inline std::vector<std::string> warnings(const decode *d)
{
	std::vector<std::string> all;

	for (uint32_t i = 0; decode_warning(d, i); i++)
		all.push_back(decode_warning(d, i));
	return all;
}

inline std::string text_of(const event_string &string)
{
	return string.at ? std::string(string.at, string.length) : "(none)";
}

#endif
