/* rank: reads only the first 128 KiB of an environment. */
#include "rank.h"

#include "procfs.h"

#include <iotrace/job.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum { ENVIRONMENT_MOST = 128 << 10 };

struct rank rank_read(const struct procfs *proc, uint32_t pid)
{
	char *block = mem_alloc(ENVIRONMENT_MOST);
	ssize_t length = procfs_read(proc, block, ENVIRONMENT_MOST, "%u/environ", pid);
	struct job_facts facts = {{NULL}, NULL};
	struct rank rank = {0};

	if (length > 0)
		job_read_block(&facts, block, (size_t)length);
	rank.is_known = job_number(&facts, JOB_RANK, &rank.rank);
	job_number(&facts, JOB_SIZE, &rank.ranks);
	free(block);
	return rank;
}
