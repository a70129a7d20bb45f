/*
 * What batch systems and launchers say in the environment.
 */
#include <iotrace/job.h>

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace
{

std::map<std::string, std::string> environment;

const char *variable(const char *name)
{
	auto found = environment.find(name);

	return found == environment.end() ? nullptr : found->second.c_str();
}

/* Both ways to read it have to agree. */
std::string value(enum job_value what)
{
	struct job_facts facts, again;
	std::string block;

	for (const auto &[name, text] : environment)
		block += name + "=" + text + std::string(1, '\0');
	job_read(&facts, variable);
	job_read_block(&again, block.c_str(), block.size());
	for (int i = 0; i < JOB_VALUES; i++)
		EXPECT_STREQ(facts.value[i], again.value[i]) << i;
	EXPECT_STREQ(facts.system, again.system);
	return facts.value[what] ? facts.value[what] : "none";
}

class Job : public testing::Test
{
      protected:
	void SetUp() override
	{
		environment = {{"PATH", "/bin"}, {"OMPI", "1"}, {"PMI_RANKS", "2"}};
	}
};

TEST_F(Job, NothingIsKnownOfAnOrdinaryProcess)
{
	struct job_facts facts;
	uint32_t number;

	for (int i = 0; i < JOB_VALUES; i++)
		EXPECT_EQ(value(static_cast<enum job_value>(i)), "none");
	job_read_block(&facts, "", 0);
	EXPECT_EQ(facts.system, nullptr);
	EXPECT_FALSE(job_number(&facts, JOB_RANK, &number));
}

TEST_F(Job, EachVariableIsReadAndIsThereOnce)
{
	std::set<std::string> seen;

	for (int i = 0; i < JOB_VALUES; i++) {
		const auto what = static_cast<enum job_value>(i);
		const char *name;

		ASSERT_NE(job_variable(what, 0), nullptr);
		for (uint32_t k = 0; (name = job_variable(what, k)); k++) {
			EXPECT_TRUE(seen.insert(name).second) << name;
			environment.clear();
			if (what != JOB_STEP)
				environment["SLURM_STEP_ID"] = "0";
			environment[name] = "17";
			if (what != JOB_SIZE)
				EXPECT_EQ(value(what), "17") << name;
			environment[name] = "";
			EXPECT_EQ(value(what), "none") << name;
		}
	}
}

TEST_F(Job, TheNearestLauncherKnowsBest)
{
	environment["SLURM_PROCID"] = "0";
	environment["SLURM_NTASKS"] = "1";
	environment["PMI_RANK"] = "12";
	EXPECT_EQ(value(JOB_RANK), "12");
	EXPECT_EQ(value(JOB_SIZE), "none") << "Slurm counts other ranks";
	environment["PMI_SIZE"] = "16";
	EXPECT_EQ(value(JOB_SIZE), "16");
	environment["OMPI_COMM_WORLD_RANK"] = "3";
	EXPECT_EQ(value(JOB_RANK), "3");
	EXPECT_EQ(value(JOB_SIZE), "none");
}

/* srun --mpi=pmix: PMIx has no variable for the size. */
TEST_F(Job, AnotherThatCountsAlikeKnowsTheSize)
{
	environment["SLURM_STEP_ID"] = "0";
	environment["PMIX_RANK"] = environment["SLURM_PROCID"] = "5";
	environment["SLURM_NTASKS"] = "8";
	EXPECT_EQ(value(JOB_SIZE), "8");
	environment["SLURM_STEP_NUM_TASKS"] = "6";
	EXPECT_EQ(value(JOB_SIZE), "6");
}

/* Slurm 22.05 sets these in a batch script, and an mpirun in it inherits them. */
TEST_F(Job, ABatchScriptOfSlurmIsNoRank)
{
	const std::map<std::string, std::string> script = {{"SLURM_JOB_ID", "5"},
							   {"SLURM_PROCID", "0"},
							   {"SLURM_LOCALID", "0"},
							   {"SLURM_NODEID", "0"},
							   {"SLURM_NTASKS", "4"}};

	environment = script;
	EXPECT_EQ(value(JOB_RANK), "none");
	EXPECT_EQ(value(JOB_LOCAL_RANK), "none");
	EXPECT_EQ(value(JOB_SIZE), "none");
	EXPECT_EQ(value(JOB_ID), "5");
	EXPECT_EQ(value(JOB_NODE), "0");
	for (const char *step : {"4294967291", "4294967290", "4294967292"}) {
		environment["SLURM_STEP_ID"] = step;
		EXPECT_EQ(value(JOB_RANK), "none") << step;
	}
	environment["SLURM_STEP_ID"] = "1";
	EXPECT_EQ(value(JOB_RANK), "0");
	EXPECT_EQ(value(JOB_LOCAL_RANK), "0");
	EXPECT_EQ(value(JOB_SIZE), "4");
	environment = script;
	environment["OMPI_COMM_WORLD_RANK"] = "0";
	EXPECT_EQ(value(JOB_RANK), "0");
	EXPECT_EQ(value(JOB_SIZE), "none") << "of other ranks";
	environment["OMPI_COMM_WORLD_SIZE"] = "2";
	EXPECT_EQ(value(JOB_SIZE), "2");
}

TEST_F(Job, ABatchScriptOfPbsIsNoRank)
{
	environment = {{"PBS_JOBID", "5"},
		       {"PBS_VNODENUM", "0"},
		       {"PBS_TASKNUM", "1"},
		       {"PBS_NP", "4"}};
	EXPECT_EQ(value(JOB_RANK), "none");
	EXPECT_EQ(value(JOB_SIZE), "none");
	environment["PBS_TASKNUM"] = "2";
	EXPECT_EQ(value(JOB_RANK), "0");
	EXPECT_EQ(value(JOB_SIZE), "4");
	environment["PBS_VNODENUM"] = environment["PBS_TASKNUM"] = "1";
	EXPECT_EQ(value(JOB_RANK), "1");
}

TEST_F(Job, TheSystemIsThatOfTheNumber)
{
	struct job_facts facts;

	environment["PBS_JOBID"] = "12.server";
	environment["USER"] = "anna";
	environment["PBS_JOBNAME"] = "heat";
	job_read(&facts, variable);
	EXPECT_STREQ(facts.system, "PBS");
	EXPECT_EQ(value(JOB_NAME), "heat");
	EXPECT_EQ(value(JOB_USER), "anna");
}

TEST_F(Job, NumbersAreOfThirtyTwoBits)
{
	const std::map<std::string, bool> rows = {
		{"0", true},           {"17", true},          {"4294967294", true},
		{"4294967295", false}, {"9999999999", false}, {"18446744073709551617", false},
		{"-1", false},         {"1x", false},         {" 1", false}};

	for (const auto &[text, is_good] : rows) {
		struct job_facts facts;
		uint32_t number = 0;

		environment["PMI_RANK"] = text;
		job_read(&facts, variable);
		EXPECT_EQ(job_number(&facts, JOB_RANK, &number), is_good) << text;
		if (is_good)
			EXPECT_EQ(std::to_string(number), text);
	}
}

} // namespace
