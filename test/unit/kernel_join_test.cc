/*
 * What guest and host say to each other: the options that all commands have in common, and what each wants for itself.
 */
#include "error_lines.h"
#include "join/same.h"
#include "join/selection.h"

#include <iotrace/error.h>

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace
{

std::string compare(const char *host, const char *guest)
{
	struct error err = {};

	return join_compare(host, guest, &err) ? error_lines(err) : "";
}

std::string refusal(const std::string &its, const std::string &ours)
{
	return "--join: the recorder of this node has " + its + ", but this command has " + ours +
	       ": it must be the same for all commands of a recorder\n"
	       "Give all commands the same value, or record this one with --alone and another -o";
}

TEST(JoinOptions, TheSameAreTheSame)
{
	EXPECT_EQ(compare("", ""), "");
	EXPECT_EQ(compare("--source=perf\n--quiet", "--source=perf\n--quiet"), "");
}

TEST(JoinOptions, AnotherValueIsNamedWithBoth)
{
	EXPECT_EQ(compare("--source=perf\n--quiet", "--source=bpf\n--quiet"),
		  refusal("--source=perf", "--source=bpf"));
	EXPECT_EQ(compare("--source=perf", "--source=perfect"),
		  refusal("--source=perf", "--source=perfect"));
}

TEST(JoinOptions, OneThatOnlyOneSideHasIsNamed)
{
	EXPECT_EQ(compare("--source=perf\n--quiet", "--source=perf"),
		  refusal("--quiet", "no --quiet"));
	EXPECT_EQ(compare("--quiet", "--quiet\n--ring-size=1M"),
		  refusal("no --ring-size", "--ring-size=1M"));
	EXPECT_EQ(compare("--block-mode=both", "--block=own\n--block-mode=both"),
		  refusal("no --block", "--block=own"));
}

TEST(JoinOptions, AGroupIsThereOrNot)
{
	EXPECT_EQ(compare("--syscalls=+fault", "--syscalls=+fault\n--syscalls=+uring"),
		  refusal("no --syscalls=+uring", "--syscalls=+uring"));
}

struct recording_selection selection_of(const char *comm, const char *path, const char *excluded)
{
	struct recording_selection selection = {};

	selection.groups = 5;
	if (comm)
		text_list_add(&selection.comms, comm);
	if (path)
		text_list_add(&selection.paths, path);
	if (excluded)
		text_list_add(&selection.excluded, excluded);
	return selection;
}

TEST(JoinSelection, ArrivesAsItWasSent)
{
	struct recording_selection sent = selection_of("dd", "/a/*", "/a/b"), got;
	struct join_selection packed, other;
	struct error err = {};

	text_list_add(&sent.paths, "");
	ASSERT_EQ(join_selection_pack(&packed, &sent, &err), 0);
	join_selection_unpack(&got, &packed);
	EXPECT_EQ(got.groups, 5u);
	ASSERT_EQ(got.comms.count, 1u);
	EXPECT_STREQ(got.comms.item[0], "dd");
	ASSERT_EQ(got.paths.count, 2u);
	EXPECT_STREQ(got.paths.item[0], "/a/*");
	EXPECT_STREQ(got.paths.item[1], "");
	ASSERT_EQ(got.excluded.count, 1u);
	EXPECT_STREQ(got.excluded.item[0], "/a/b");
	EXPECT_TRUE(join_selection_has_same_names(&sent, &got));
	ASSERT_EQ(join_selection_pack(&other, &got, &err), 0);
	EXPECT_TRUE(join_selection_is_same(&packed, &other));
	join_selection_release(&sent);
	join_selection_release(&got);
}

TEST(JoinSelection, IsAnotherOneIfAnythingDiffers)
{
	struct recording_selection row[] = {selection_of(nullptr, nullptr, nullptr),
					    selection_of("dd", nullptr, nullptr),
					    selection_of(nullptr, "dd", nullptr),
					    selection_of(nullptr, nullptr, "dd"),
					    selection_of("dc", nullptr, nullptr)};
	struct join_selection packed[5];
	struct error err = {};

	for (int i = 0; i < 5; i++)
		ASSERT_EQ(join_selection_pack(&packed[i], &row[i], &err), 0);
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 5; k++)
			EXPECT_EQ(join_selection_is_same(&packed[i], &packed[k]), i == k);
	EXPECT_FALSE(join_selection_has_same_names(&row[1], &row[4]));
	EXPECT_FALSE(join_selection_has_same_names(&row[0], &row[4]));
	EXPECT_TRUE(join_selection_has_same_names(&row[0], &row[2]));
	for (struct recording_selection &selection : row)
		join_selection_release(&selection);
}

TEST(JoinSelection, IsRefusedIfItIsTooLong)
{
	const std::string glob(JOIN_GLOBS_SIZE - 1, 'x');
	struct recording_selection selection = selection_of(nullptr, glob.c_str(), nullptr);
	struct join_selection packed;
	struct error err = {};

	EXPECT_EQ(join_selection_pack(&packed, &selection, &err), -E2BIG);
	EXPECT_EQ(error_lines(err), "--join: the patterns of --comm, --path and --exclude-path are "
				    "longer than 8000 bytes in total");
	join_selection_release(&selection);
}

/* A message is bytes of another process. */
TEST(JoinSelection, IsReadOnlyAsFarAsItGoes)
{
	struct join_selection packed = {};
	struct recording_selection got;

	packed.size = UINT32_MAX;
	memset(packed.globs, 'p', sizeof(packed.globs));
	join_selection_unpack(&got, &packed);
	EXPECT_EQ(got.paths.count, 0u);
	join_selection_release(&got);
	memcpy(packed.globs, "p/a\0q/b\0p", 9);
	packed.size = 9;
	join_selection_unpack(&got, &packed);
	EXPECT_EQ(got.paths.count, 1u);
	join_selection_release(&got);
}

} // namespace
