/* feed: a child that does not want to end. */
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <iotrace/feed.h>
#include <unistd.h>

namespace
{

using Clock = std::chrono::steady_clock;
const int WAIT_MS = 300, LINE_US = 20000, LINES = 250;

/* Writes for five seconds, whatever it is asked. */
int ignore_signals(void *)
{
	std::signal(SIGINT, SIG_IGN);
	std::signal(SIGTERM, SIG_IGN);
	for (int i = 0; i < LINES; i++) {
		if (write(STDOUT_FILENO, "line\n", 5) != 5)
			return 1;
		usleep(LINE_US);
	}
	return 0;
}

TEST(Feed, AChildThatIgnoresItsEndAndGoesOnWritingIsAwaitedOnce)
{
	struct error err = {};
	struct feed *feed = feed_new(ignore_signals, nullptr, &err);
	const char *line;
	enum feed_event event;
	int lines = 0;

	ASSERT_TRUE(feed) << err.text;
	feed_ignore_keys(feed);
	ASSERT_EQ(feed_wait(feed, 10000, &line), FEED_LINE);
	feed_stop(feed);
	const auto begin = Clock::now();
	do {
		event = feed_wait(feed, WAIT_MS, &line);
		lines += event == FEED_LINE;
	} while (event != FEED_TIMEOUT && event != FEED_END);
	EXPECT_EQ(event, FEED_TIMEOUT);
	EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
	EXPECT_GT(lines, 0) << "what it writes until then is read";
	EXPECT_EQ(feed_end(feed), 128 + SIGKILL);
}

TEST(Feed, LinesThatAreStillThereDoNotProlongIt)
{
	struct error err = {};
	struct feed *feed = feed_new(ignore_signals, nullptr, &err);
	const char *line;

	ASSERT_TRUE(feed) << err.text;
	feed_ignore_keys(feed);
	ASSERT_EQ(feed_wait(feed, 10000, &line), FEED_LINE);
	feed_stop(feed);
	usleep(2 * WAIT_MS * 1000);
	EXPECT_EQ(feed_wait(feed, WAIT_MS, &line), FEED_TIMEOUT);
	EXPECT_EQ(feed_end(feed), 128 + SIGKILL);
}

} // namespace
