// remote: strings in memory of which the next page is not there. The process is this one.
#include "proc/remote.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

class Remote : public testing::Test
{
      protected:
	const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
	char *memory = nullptr; /* two pages, and one that cannot be read */
	char out[4096] = {};

	void SetUp() override
	{
		void *at = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(at, MAP_FAILED);
		memory = static_cast<char *>(at);
		ASSERT_EQ(mprotect(memory + 2 * page, page, PROT_NONE), 0);
	}

	void TearDown() override
	{
		munmap(memory, 3 * page);
	}

	ssize_t read(size_t at, size_t size)
	{
		return remote_string(static_cast<uint32_t>(getpid()),
				     reinterpret_cast<uintptr_t>(memory + at), out, size);
	}
};

TEST_F(Remote, AStringGoesOnInTheNextPage)
{
	strcpy(memory + page - 5, "/in/two/pages");
	EXPECT_EQ(read(page - 5, sizeof(out)), 13);
	EXPECT_STREQ(out, "/in/two/pages");
}

TEST_F(Remote, AStringMayEndWhereNoMorePageIs)
{
	strcpy(memory + 2 * page - 9, "/the/end");
	EXPECT_EQ(read(2 * page - 9, sizeof(out)), 8);
	EXPECT_STREQ(out, "/the/end");
}

TEST_F(Remote, AStringWithoutAnEndIsNone)
{
	memset(memory, 'x', 2 * page);
	EXPECT_EQ(read(2 * page - 100, sizeof(out)), -EFAULT);
	EXPECT_EQ(read(0, 100), -ENAMETOOLONG);
	EXPECT_EQ(read(2 * page, sizeof(out)), -EFAULT);
}

} // namespace
