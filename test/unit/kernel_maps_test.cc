/*
 * What a process has mapped so that it can be executed, from a saved /proc/PID/maps.
 */
#include "proc/maps.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace
{

struct Row {
	uint64_t begin, end, offset;
	std::string file;
};

std::vector<Row> rows_of(const std::string &text)
{
	char dir[] = "/tmp/maps-test-XXXXXX";
	std::string place = mkdtemp(dir);
	std::vector<Row> rows;

	mkdir((place + "/12").c_str(), 0700);
	FILE *file = fopen((place + "/12/maps").c_str(), "w");
	fputs(text.c_str(), file);
	fclose(file);
	struct procfs proc = {open(dir, O_RDONLY | O_DIRECTORY)};
	for (uint32_t pid : {12U, 13U})
		maps_read(
			&proc, pid,
			[](void *context, const struct maps_row *row) {
				static_cast<std::vector<Row> *>(context)->push_back(
					{row->begin, row->end, row->offset, row->file});
			},
			&rows);
	procfs_close(&proc);
	unlink((place + "/12/maps").c_str());
	rmdir((place + "/12").c_str());
	rmdir(dir);
	return rows;
}

TEST(Maps, HaveOnlyCode)
{
	auto rows = rows_of(
		"55d0c0a00000-55d0c0a01000 r--p 00000000 fe:00 123                        /usr/bin/app\n"
		"55d0c0a01000-55d0c0a05000 r-xp 00001000 fe:00 123                        /usr/bin/app\n"
		"7f0000000000-7f0000010000 rwxp 00000000 00:00 0 \n"
		"7f0000020000-7f0000030000 r-xp 00002000 fe:00 9                          /a b/c (deleted)\n"
		"7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n"
		"nonsense\n");

	ASSERT_EQ(rows.size(), 4U);
	EXPECT_EQ(rows[0].begin, 0x55d0c0a01000U);
	EXPECT_EQ(rows[0].end, 0x55d0c0a05000U);
	EXPECT_EQ(rows[0].offset, 0x1000U);
	EXPECT_EQ(rows[0].file, "/usr/bin/app");
	EXPECT_EQ(rows[1].file, "/a b/c (deleted)");
	EXPECT_EQ(rows[2].file, "[vdso]");
	EXPECT_EQ(rows[3].file, "[vsyscall]");
}

} // namespace
