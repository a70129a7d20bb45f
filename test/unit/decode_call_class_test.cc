// The kinds of calls by which numbers of file systems are divided, and the descriptors that lead to their files.
#include <gtest/gtest.h>

#include <cstring>
#include <iotrace/call_class.h>
#include <set>
#include <string>

namespace
{

const struct call_row *row_of(const char *name)
{
	call_id id = call_by_name(name, strlen(name));

	return id == CALL_ID_NONE ? nullptr : call_row(id);
}

TEST(CallClass, IsOfTheCall)
{
	const struct {
		const char *name;
		enum call_class kind;
		uint8_t fd;
	} expected[] = {
		{"pread64", CALL_CLASS_READ, 0},
		{"writev", CALL_CLASS_WRITE, 0},
		{"sendfile64", CALL_CLASS_COPY, 1},
		{"lseek", CALL_CLASS_SEEK, 0},
		{"fdatasync", CALL_CLASS_SYNC, 0},
		{"sync", CALL_CLASS_SYNC, CALL_FD_NONE},
		{"openat", CALL_CLASS_OPEN, CALL_FD_RESULT},
		{"open_by_handle_at", CALL_CLASS_OPEN, CALL_FD_RESULT},
		{"close", CALL_CLASS_CLOSE, 0},
		{"newfstatat", CALL_CLASS_META, CALL_FD_NONE},
		{"unlink", CALL_CLASS_META, CALL_FD_NONE},
		{"fchmod", CALL_CLASS_META, 0},
		{"getdents64", CALL_CLASS_DIR, 0},
		{"flock", CALL_CLASS_LOCK, 0},
		{"mmap", CALL_CLASS_MAP, 4},
		{"munmap", CALL_CLASS_NONE, CALL_FD_NONE},
		{"socket", CALL_CLASS_NONE, CALL_FD_NONE},
		{"dup2", CALL_CLASS_NONE, 0},
		{"execve", CALL_CLASS_NONE, CALL_FD_NONE},
	};

	for (const auto &one : expected) {
		const struct call_row *row = row_of(one.name);

		ASSERT_TRUE(row) << one.name;
		EXPECT_EQ(call_class_of(row), one.kind) << one.name;
		EXPECT_EQ(call_class_fd(row), one.fd) << one.name;
	}
}

TEST(CallClass, NamesAreDifferent)
{
	std::set<std::string> names;

	for (uint32_t i = 0; i < CALL_CLASSES; i++)
		EXPECT_TRUE(names.insert(call_class_name(i)).second) << i;
	EXPECT_STREQ(call_class_name(CALL_CLASSES), "other");
}

TEST(CallClass, DescriptorIsAnArgument)
{
	for (call_id id = 0; id < call_count(); id++)
		EXPECT_LE(call_class_fd(call_row(id)), CALL_FD_RESULT) << call_row(id)->name;
}

} // namespace
