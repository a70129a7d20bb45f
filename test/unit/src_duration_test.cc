// Times on the command line that several commands take.
#include <gtest/gtest.h>

extern "C" {
#include "option/duration.h"

#include <iotrace/error.h>
}

namespace
{

TEST(Duration, Intervals)
{
	const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"10ms", 10000000},
		    {"0.25", 250000000},
		    {"1h", UINT64_C(3600000000000)},
		    {"60m", UINT64_C(3600000000000)}};
	for (const auto &one : good) {
		struct error err = {};
		uint64_t ns = 0;
		EXPECT_EQ(duration_parse_interval(&ns, one.text, &err), 0) << err.text;
		EXPECT_EQ(ns, one.ns) << one.text;
		EXPECT_TRUE(duration_is_interval(ns));
	}
	for (const char *text : {"9.9ms", "1us", "3600001ms", "2h"}) {
		struct error err = {};
		uint64_t ns = 7;
		EXPECT_EQ(duration_parse_interval(&ns, text, &err), -EINVAL) << text;
		EXPECT_EQ(ns, 7u) << "is not changed";
		EXPECT_EQ(std::string(err.text),
			  "invalid interval '" + std::string(text) + "': expected 10ms to 1h");
	}
	struct error err = {};
	uint64_t ns;
	EXPECT_EQ(duration_parse_interval(&ns, "soon", &err), -EINVAL);
	EXPECT_NE(std::string(err.text).find("invalid time 'soon'"), std::string::npos) << err.text;
	EXPECT_FALSE(duration_is_interval(9999999));
	EXPECT_FALSE(duration_is_interval(UINT64_C(3600000000001)));
}

} // namespace
