// cold: what lies in files is the same as in memory, leaves the process, and comes back; and what happens without a file.
#include <iotrace/cold.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace
{

class Cold : public testing::Test
{
      protected:
	std::string path = testing::TempDir() + "cold-XXXXXX";
	int directory = -1;
	struct cold *cold = nullptr;
	struct cold_area area = {};
	uint64_t *number = nullptr;
	uint32_t cap = 0;

	void SetUp() override
	{
		ASSERT_NE(mkdtemp(path.data()), nullptr);
		directory = open(path.c_str(), O_RDONLY | O_DIRECTORY);
		cold = cold_new(directory);
		cold_area_init(&area, cold);
	}
	void TearDown() override
	{
		cold_area_release(&area, number);
		cold_free(cold);
		close(directory);
		rmdir(path.c_str());
	}
	void fill(uint32_t from, uint32_t to)
	{
		for (uint32_t i = from; i < to; i++) {
			COLD_GROW(&area, number, cap, i + 1);
			ASSERT_EQ(number[i], 0u);
			number[i] = i * UINT64_C(0x9e3779b97f4a7c15);
		}
	}
	void check(uint32_t to) const
	{
		for (uint32_t i = 0; i < to; i++)
			ASSERT_EQ(number[i], i * UINT64_C(0x9e3779b97f4a7c15));
	}
	/* Returns how many bytes of the array the process has in memory. */
	size_t resident() const
	{
		FILE *maps = fopen("/proc/self/smaps", "r");
		char line[512];
		bool is_here = false;
		size_t kilobytes = 0, found = 0;
		unsigned long from, to;

		while (maps && fgets(line, sizeof(line), maps)) {
			if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
				is_here = from <= reinterpret_cast<uintptr_t>(number) &&
					  reinterpret_cast<uintptr_t>(number) < to;
			else if (is_here && sscanf(line, "Rss: %zu kB", &kilobytes) == 1)
				found = kilobytes << 10;
		}
		if (maps)
			fclose(maps);
		return found;
	}
};

enum { MANY = 1 << 20 };

TEST_F(Cold, SmallArraysStayInMemory)
{
	fill(0, COLD_STEP / sizeof(*number));
	EXPECT_EQ(cold_size(cold), 0u);
	check(COLD_STEP / sizeof(*number));
}

TEST_F(Cold, LargeArraysLieInAFileAndRest)
{
	fill(0, MANY);
	EXPECT_EQ(cold_size(cold), MANY * sizeof(*number));
	EXPECT_GT(resident(), MANY * sizeof(*number) / 2);
	cold_rest(cold);
	EXPECT_EQ(resident(), 0u);
	check(MANY);
	fill(MANY, MANY + 1000);
	check(MANY + 1000);
	EXPECT_EQ(system(("test -z \"$(ls -A " + path + ")\"").c_str()), 0);
}

TEST_F(Cold, BlocksStayWhereTheyAre)
{
	std::vector<char *> block;

	for (int i = 0; i < 8; i++) {
		block.push_back(static_cast<char *>(cold_block(cold, COLD_STEP)));
		ASSERT_NE(block.back(), nullptr);
		memset(block.back(), 'a' + i, COLD_STEP);
		cold_rest(cold);
	}
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(block[static_cast<size_t>(i)][COLD_STEP - 1], 'a' + i);
}

TEST_F(Cold, WithoutAStoreAllIsInMemory)
{
	cold_area_init(&area, nullptr);
	fill(0, MANY);
	check(MANY);
	EXPECT_EQ(area.at, nullptr);
	EXPECT_EQ(cold_block(nullptr, 1), nullptr);
}

/* The file may not grow, as on a full disk: what is in it goes back to memory, and nothing is lost. */
TEST_F(Cold, GoesOnInMemoryWhenTheFileCannotGrow)
{
	struct rlimit old, limit;

	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	limit = old;
	limit.rlim_cur = 3 * COLD_STEP;
	setrlimit(RLIMIT_FSIZE, &limit);
	fill(0, MANY);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	EXPECT_EQ(area.at, nullptr);
	EXPECT_EQ(cold_size(cold), 0u);
	check(MANY);
}

TEST_F(Cold, GoesOnInMemoryWhereNoFileCanBeMade)
{
	struct cold *nowhere = cold_new(-1);

	cold_area_init(&area, nowhere);
	fill(0, MANY);
	check(MANY);
	EXPECT_EQ(area.at, nullptr);
	EXPECT_EQ(cold_block(nowhere, 1), nullptr);
	cold_free(nowhere);
}

} // namespace
