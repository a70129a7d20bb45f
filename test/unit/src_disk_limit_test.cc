/*
 * --limit: what is on the disk, and what is sure to come there, ends a recording; nothing else does.
 */
#include "record/disk_limit.h"
#include "record/record_places.h"

#include <iotrace/error.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

constexpr uint64_t MIB = 1 << 20;

class DiskLimit : public ::testing::Test
{
      protected:
	char directory[32] = "/tmp/disk_limit.XXXXXX";
	struct record_places places = {};
	struct disk_limit limit = {};

	void SetUp() override
	{
		struct error err = {};

		ASSERT_NE(mkdtemp(directory), nullptr);
		places.place = place_open("-o", (std::string(directory) + "/trace").c_str(), &err);
		ASSERT_NE(places.place, nullptr) << err.text;
		ASSERT_EQ(mkdirat(dir(), PLACE_ARCHIVE, 0700), 0);
		limit.bytes = 8 * MIB;
	}

	void TearDown() override
	{
		place_give_up(places.place);
		place_close(places.place);
		EXPECT_EQ(rmdir(directory), 0);
	}

	int dir() const
	{
		return place_dir(places.place);
	}

	void put(const char *name, uint64_t bytes)
	{
		int fd = openat(dir(), name, O_CREAT | O_WRONLY, 0600);

		ASSERT_EQ(posix_fallocate(fd, 0, off_t(bytes)), 0);
		close(fd);
	}

	bool look(uint64_t converted = UINT64_MAX)
	{
		limit.next_ns = 0;
		limit.converted = converted;
		return disk_limit_look(&limit, &places, nullptr);
	}
};

/* However fast it came. */
TEST_F(DiskLimit, WhatIsBelowItEndsNothing)
{
	put(PLACE_SPOOL, 5 * MIB);
	EXPECT_FALSE(look());
	put(PLACE_ARCHIVE "/events", 2 * MIB);
	EXPECT_FALSE(look());
	put(PLACE_ARCHIVE "/more", 3 * MIB / 4);
	EXPECT_FALSE(look());
	EXPECT_FALSE(look());
	put(PLACE_ARCHIVE "/last", MIB / 4);
	EXPECT_TRUE(look());
	unlinkat(dir(), PLACE_ARCHIVE "/events", 0);
	EXPECT_TRUE(look()) << "it stays reached";
}

/* It goes before the end is written in its place. */
TEST_F(DiskLimit, TheReserveOfTheArchiveIsNotCounted)
{
	put(PLACE_SPOOL, 5 * MIB);
	put(PLACE_ARCHIVE "/.reserve", 4 * MIB);
	EXPECT_FALSE(look());
}

/* The holes of the spool take no room. */
TEST_F(DiskLimit, WhatWasTrimmedIsNotCounted)
{
	put(PLACE_SPOOL, 2 * MIB);
	int fd = openat(dir(), PLACE_SPOOL, O_WRONLY);

	ASSERT_EQ(ftruncate(fd, off_t(100 * MIB)), 0);
	close(fd);
	EXPECT_FALSE(look());
}

/* What is not converted yet will take as much of the archive as what was. */
TEST_F(DiskLimit, WhatIsToBeConvertedIsCounted)
{
	put(PLACE_SPOOL, 4 * MIB);
	put(PLACE_ARCHIVE "/events", 2 * MIB);
	EXPECT_FALSE(look(3 * MIB)); /* 6 and 2/3 */
	EXPECT_TRUE(look(2 * MIB));  /* 6 and 2 */
}

/* Even if nothing came since the last check. */
TEST_F(DiskLimit, NearItALookComesSoon)
{
	put(PLACE_SPOOL, 8 * MIB - MIB / 2);
	EXPECT_FALSE(look());
	EXPECT_FALSE(look());
	EXPECT_LE(limit.next_ns, probe_now() + 2000000);
	limit.bytes = 800 * MIB;
	EXPECT_FALSE(look());
	EXPECT_GT(limit.next_ns, limit.looked_ns + 19000000);
}

TEST_F(DiskLimit, ALookIsNotAlwaysDue)
{
	limit.next_ns = UINT64_MAX;
	put(PLACE_SPOOL, 9 * MIB);
	EXPECT_FALSE(disk_limit_look(&limit, &places, nullptr));
	limit.bytes = 0;
	EXPECT_FALSE(look()) << "there is none";
}

} // namespace
