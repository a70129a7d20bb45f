/*
 * stream_fixture: a capture with one event, for tests of the reader.
 */
#ifndef STREAM_FIXTURE_H
#define STREAM_FIXTURE_H

#include "stream_build.h"

extern "C" {
#include "capture_format.h"
#include "capture_private.h"
}

/* The bytes of all rounds. */
inline std::vector<std::string> rounds_of(capture *c, int *rc = nullptr)
{
	std::vector<std::string> rounds;
	capture_round round;
	int result;

	while ((result = capture_next_round(c, &round, nullptr)) > 0) {
		rounds.emplace_back(reinterpret_cast<char *>(round.bytes), round.size);
		capture_round_free(&round);
	}
	if (rc)
		*rc = result;
	return rounds;
}

inline capture_header header_of(const std::string &bytes)
{
	capture_header header;

	memcpy(&header, bytes.data(), sizeof(header));
	return header;
}

inline void set_header(std::string *bytes, const capture_header &header)
{
	memcpy(bytes->data(), &header, sizeof(header));
}

class Capture : public testing::Test
{
      protected:
	Capture()
	{
		file.add_event("a:b", {1, 2});
	}
	void TearDown() override
	{
		capture_close(c);
	}
	std::string bytes()
	{
		return read_file(file.write());
	}
	std::string path_with(const std::string &content)
	{
		std::string path = file.scratch.path("changed.data");

		write_file(path, content);
		return path;
	}

	StreamFile file;
	capture *c = nullptr;
};

#endif
