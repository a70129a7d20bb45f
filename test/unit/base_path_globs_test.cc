/* path_globs: which names --path and --exclude-path choose. */
#include <gtest/gtest.h>
#include <iotrace/path_globs.h>

namespace
{

class PathGlobs : public ::testing::Test
{
      protected:
	struct path_globs globs = {};

	~PathGlobs() override
	{
		path_globs_release(&globs);
	}

	bool wants(const char *name) const
	{
		return path_globs_want(&globs, name);
	}
};

TEST_F(PathGlobs, EverythingIsWantedWithoutPatterns)
{
	EXPECT_TRUE(wants("/data/a"));
	EXPECT_TRUE(wants(""));
}

TEST_F(PathGlobs, OneOfThePathsMustMatch)
{
	path_globs_add(&globs, false, "/data/*");
	path_globs_add(&globs, false, "*.txt");
	EXPECT_TRUE(wants("/data/deep/a"));
	EXPECT_TRUE(wants("/b.txt"));
	EXPECT_FALSE(wants("/b.dat"));
	EXPECT_FALSE(wants("pipe:[1]"));
	EXPECT_FALSE(wants(""));
}

TEST_F(PathGlobs, AnExclusionWins)
{
	path_globs_add(&globs, false, "/data/*");
	path_globs_add(&globs, true, "*/tmp/*");
	EXPECT_TRUE(wants("/data/a"));
	EXPECT_FALSE(wants("/data/tmp/a"));
	EXPECT_FALSE(wants("/tmp/a"));
}

TEST_F(PathGlobs, ExclusionsAloneKeepAllOthers)
{
	path_globs_add(&globs, true, "*");
	EXPECT_FALSE(wants("/data/a"));
	EXPECT_TRUE(wants("")) << "a file without a name";
}

} // namespace
