// errname: names of errors, those of the kernel alone too.
#include <iotrace/errname.h>

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

namespace
{

TEST(Errname, ThoseOfPrograms)
{
	EXPECT_STREQ(errname(ENOENT), "ENOENT");
	EXPECT_STREQ(errname_text(ENOENT), strerror(ENOENT));
	EXPECT_FALSE(errname_is_interrupted(EINTR)) << "the program was told";
	EXPECT_FALSE(errname_is_interrupted(0));
	EXPECT_EQ(errname(4000), nullptr);
	EXPECT_STREQ(errname_text(4000), "Unknown error 4000");
}

TEST(Errname, ThoseThatTheKernelKeepsToItself)
{
	EXPECT_STREQ(errname(512), "ERESTARTSYS");
	EXPECT_STREQ(errname(516), "ERESTART_RESTARTBLOCK");
	EXPECT_STREQ(errname_text(513), "interrupted by a signal");
	EXPECT_STREQ(errname(524), "ENOTSUPP");
	EXPECT_EQ(errname(520), nullptr);
	for (int error : {512, 513, 514, 516})
		EXPECT_TRUE(errname_is_interrupted(error)) << error;
	for (int error : {511, 515, 517, 530, 531})
		EXPECT_FALSE(errname_is_interrupted(error)) << error;
}

} // namespace
