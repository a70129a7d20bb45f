/*
 * Placeholders in names: each row of the table, and what is refused.
 */
#include "error_lines.h"
#include "path/naming.h"

#include <iotrace/error.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <string>
#include <unistd.h>

namespace
{

std::map<std::string, std::string> environment;

const char *variable(const char *name)
{
	auto found = environment.find(name);

	return found == environment.end() ? nullptr : found->second.c_str();
}

class Naming : public testing::Test
{
      protected:
	struct naming naming = {variable, "node7", 4711, 0};
	struct error err = {};

	void SetUp() override
	{
		struct tm tm = {};

		environment.clear();
		tm.tm_year = 126;
		tm.tm_mon = 10;
		tm.tm_mday = 22;
		tm.tm_hour = 13;
		tm.tm_min = 5;
		tm.tm_sec = 9;
		tm.tm_isdst = -1;
		naming.start = mktime(&tm);
	}

	std::string expand(const char *pattern)
	{
		err = {};
		char *name = naming_expand(&naming, "-o", pattern, &err);
		std::string copy = name ? name : std::string("error: ") + error_lines(err);

		free(name);
		return copy;
	}
};

TEST_F(Naming, WhatIsAlwaysKnown)
{
	EXPECT_EQ(expand("plain"), "plain");
	EXPECT_EQ(expand(""), "");
	EXPECT_EQ(expand("dir/%h.%p"), "dir/node7.4711");
	EXPECT_EQ(expand("%t"), "20261122-130509");
	EXPECT_EQ(expand("100%%"), "100%");
	EXPECT_EQ(expand("%%p%%%p%%"), "%p%4711%");
	char *name = naming_default(&naming);
	EXPECT_STREQ(name, "iotrace-node7-20261122-130509-4711");
	free(name);
	environment["SLURM_JOB_ID"] = "12/3";
	name = naming_default(&naming);
	EXPECT_STREQ(name, "iotrace-12_3-node7-20261122-130509-4711");
	free(name);
}

TEST_F(Naming, WhatLaunchersSay)
{
	static const struct {
		const char *variable, *pattern;
	} rows[] = {
		{"OMPI_COMM_WORLD_RANK", "%r"},
		{"PMIX_RANK", "%r"},
		{"PMI_RANK", "%r"},
		{"MV2_COMM_WORLD_RANK", "%r"},
		{"PALS_RANKID", "%r"},
		{"ALPS_APP_PE", "%r"},
		{"FLUX_TASK_RANK", "%r"},
		{"SLURM_PROCID", "%r"},
		{"OMPI_COMM_WORLD_LOCAL_RANK", "%l"},
		{"MPI_LOCALRANKID", "%l"},
		{"MV2_COMM_WORLD_LOCAL_RANK", "%l"},
		{"PALS_LOCAL_RANKID", "%l"},
		{"FLUX_TASK_LOCAL_ID", "%l"},
		{"SLURM_LOCALID", "%l"},
		{"SLURM_NODEID", "%n"},
		{"PBS_NODENUM", "%n"},
		{"PALS_NODEID", "%n"},
		{"SLURM_JOB_ID", "%j"},
		{"PBS_JOBID", "%j"},
		{"LSB_JOBID", "%j"},
		{"FLUX_JOB_ID", "%j"},
		{"COBALT_JOBID", "%j"},
	};

	for (const auto &row : rows) {
		environment = {{"SLURM_STEP_ID", "0"}};
		EXPECT_FALSE(naming_has_ranks(&naming));
		environment[row.variable] = "17";
		EXPECT_EQ(expand(row.pattern), "17") << row.variable;
		EXPECT_EQ(naming_has_ranks(&naming), !strcmp(row.pattern, "%r")) << row.variable;
	}
}

/* A step of Slurm that runs mpirun has both. */
TEST_F(Naming, TheNearestLauncherKnowsBest)
{
	environment["SLURM_STEP_ID"] = environment["SLURM_PROCID"] = "0";
	environment["PMIX_RANK"] = "12";
	EXPECT_EQ(expand("%r"), "12");
	environment["PMIX_RANK"] = "";
	EXPECT_EQ(expand("%r"), "0");
}

TEST_F(Naming, ABatchScriptIsToldWhyItHasNoRank)
{
	environment["SLURM_PROCID"] = "0";
	EXPECT_FALSE(naming_has_ranks(&naming));
	EXPECT_NE(expand("%r").find("\nSlurm's rank 0 of a batch script is none"),
		  std::string::npos);
}

TEST_F(Naming, AValueLeadsToNoOtherDirectory)
{
	environment["PBS_JOBID"] = "../12/[3]";
	EXPECT_EQ(expand("t.%j"), "t..._12_[3]");
}

TEST_F(Naming, WhatIsRefused)
{
	EXPECT_EQ(expand("a%z"),
		  "error: -o: unknown placeholder '%z': expected one of %h %p %t %j %r %l %n %%\n"
		  "A percent sign in a name is written %%.");
	EXPECT_EQ(expand("100%").find("error: -o: unknown placeholder '%': "), 0u);
	EXPECT_EQ(expand("%n"),
		  "error: -o: %n, the number of the node in the job, is not known: the "
		  "environment has none of SLURM_NODEID, PBS_NODENUM, PALS_NODEID");
	EXPECT_EQ(expand("%r").find("error: -o: %r, the rank in the job, is not known"), 0u);
}

TEST_F(Naming, OfThisProcess)
{
	naming_init(&naming);
	EXPECT_EQ(expand("%p"), std::to_string(getpid()));
	EXPECT_TRUE(std::regex_match(expand("%h"), std::regex("[^./]+")));
}

TEST_F(Naming, RanksOfTheNode)
{
	EXPECT_EQ(naming_local_size(&naming), 0U);
	environment = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "5"}, {"SLURM_GTIDS", "4,5,6"}};
	EXPECT_EQ(naming_local_size(&naming), 3U);
	/* Not of this rank: mpirun in a task of Slurm, or in its batch script. */
	environment["OMPI_COMM_WORLD_RANK"] = "7";
	EXPECT_EQ(naming_local_size(&naming), 0U);
	environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "16";
	EXPECT_EQ(naming_local_size(&naming), 16U);
	environment = {{"PMIX_RANK", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_GTIDS", "0"}};
	EXPECT_EQ(naming_local_size(&naming), 0U);
	environment = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_GTIDS", "10,11"}};
	EXPECT_EQ(naming_local_size(&naming), 0U);
	/* A batch script is no rank. */
	environment = {{"SLURM_PROCID", "0"}, {"SLURM_GTIDS", "0,1"}};
	EXPECT_EQ(naming_local_size(&naming), 0U);
}

} // namespace
