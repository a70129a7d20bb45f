#include <iotrace/job.h>

#include <stdlib.h>
#include <string.h>

enum job_system {
#define JOB_SYSTEM(id, name) SYSTEM_##id,
#include <iotrace/job.def>
};

static const char *const system_name[] = {
#define JOB_SYSTEM(id, name) [SYSTEM_##id] = name,
#include <iotrace/job.def>
};

static const struct row {
	enum job_value value;
	enum job_system system;
	const char *variable;
} rows[] = {
#define JOB_VARIABLE(value, system, variable) {JOB_##value, SYSTEM_##system, variable},
#include <iotrace/job.def>
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), SLURM_SPECIAL_STEPS = 0xfffffff0 };

/* Returns the first row of the value that is set, or -1. */
static int first(const char *const found[ROWS], enum job_value value)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].value == value && found[i] && *found[i])
			return i;
	return -1;
}

/* Returns whether the launcher of this row counts the same ranks: it gives the same rank, or it is the one that gave the rank. */
static bool counts_alike(const char *const found[ROWS], int row, const char *rank)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].value == JOB_RANK && rows[i].system == rows[row].system)
			return found[i] && !strcmp(found[i], rank);
	return false;
}

/* A batch job may have more tasks than the mpirun in it, so only a size for these ranks counts. */
static const char *size_of(const char *const found[ROWS], const char *rank)
{
	for (int i = 0; rank && i < ROWS; i++)
		if (rows[i].value == JOB_SIZE && found[i] && counts_alike(found, i, rank))
			return found[i];
	return NULL;
}

/* Returns the value that this launcher gives, or NULL. */
static const char *value_of_system(const char *const found[ROWS], enum job_system system,
				   enum job_value value)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].system == system && rows[i].value == value && found[i] && *found[i])
			return found[i];
	return NULL;
}

/*
 * Slurm sets rank 0 in the environment of a batch script, which is not a task of a step, and processes that it starts inherit
 * this. If scripts and shells are steps, their step numbers are special.
 */
static bool is_script_of_slurm(const char *const found[ROWS])
{
	const char *step = value_of_system(found, SYSTEM_SLURM, JOB_STEP);

	return !step || strtoul(step, NULL, 10) >= SLURM_SPECIAL_STEPS;
}

/* The script of a PBS job is task 1 on the first virtual node. */
static bool is_script_of_pbs(const char *const found[ROWS])
{
	const char *task = value_of_system(found, SYSTEM_PBS, JOB_TASK);
	const char *node = value_of_system(found, SYSTEM_PBS, JOB_RANK);

	return task && node && !strcmp(task, "1") && !strcmp(node, "0");
}

/* A batch script has no rank. */
static void drop_script(const char *found[ROWS], enum job_system system)
{
	static const bool is_of_ranks[JOB_VALUES] = {[JOB_RANK] = true,
						     [JOB_SIZE] = true,
						     [JOB_LOCAL_RANK] = true,
						     [JOB_LOCAL_SIZE] = true,
						     [JOB_LOCAL_RANKS] = true};

	for (int i = 0; i < ROWS; i++)
		if (rows[i].system == system && is_of_ranks[rows[i].value])
			found[i] = NULL;
}

static void choose(struct job_facts *facts, const char *found[ROWS])
{
	int id = first(found, JOB_ID);

	if (is_script_of_slurm(found))
		drop_script(found, SYSTEM_SLURM);
	if (is_script_of_pbs(found))
		drop_script(found, SYSTEM_PBS);
	for (int value = 0; value < JOB_VALUES; value++) {
		int row = first(found, (enum job_value)value);

		facts->value[value] = row < 0 ? NULL : found[row];
	}
	facts->value[JOB_SIZE] = size_of(found, facts->value[JOB_RANK]);
	facts->system = id < 0 ? NULL : system_name[rows[id].system];
}

void job_read(struct job_facts *facts, const char *(*variable)(const char *name))
{
	const char *found[ROWS];

	for (int i = 0; i < ROWS; i++)
		found[i] = variable(rows[i].variable);
	choose(facts, found);
}

static void take(const char *found[ROWS], const char *entry)
{
	for (int i = 0; i < ROWS; i++) {
		const char *name = rows[i].variable;
		size_t length;

		if (*entry != *name)
			continue;
		length = strlen(name);
		if (!strncmp(entry, name, length) && entry[length] == '=' && !found[i])
			found[i] = entry + length + 1;
	}
}

void job_read_block(struct job_facts *facts, const char *block, size_t length)
{
	const char *found[ROWS] = {NULL}, *end = block + length;

	for (; block < end; block += strlen(block) + 1)
		take(found, block);
	choose(facts, found);
}

const char *job_variable(enum job_value value, uint32_t index)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].value == value && !index--)
			return rows[i].variable;
	return NULL;
}

bool job_number(const struct job_facts *facts, enum job_value value, uint32_t *number)
{
	const char *text = facts->value[value];
	unsigned long parsed;

	if (!text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
		return false;
	parsed = strtoul(text, NULL, 10);
	*number = (uint32_t)parsed;
	return *text && parsed < UINT32_MAX;
}
