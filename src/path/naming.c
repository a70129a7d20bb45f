/* naming: a row for each placeholder. The facts about a job come from <iotrace/job.h>. */
#include "naming.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/job.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_MOST = 256 };

static const struct row {
	char letter;
	const char *help;
	enum job_value value; /* JOB_VALUES: known for every process */
} rows[] = {
	{'h', "the host's name", JOB_VALUES},
	{'p', "the process id of iotrace", JOB_VALUES},
	{'t', "when the recording began: YYYYmmdd-HHMMSS", JOB_VALUES},
	{'j', "the number of the job", JOB_ID},
	{'r', "the rank in the job", JOB_RANK},
	{'l', "the rank on its node", JOB_LOCAL_RANK},
	{'n', "the number of the node in the job", JOB_NODE},
	{'%', "a percent sign", JOB_VALUES},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char *environment(const char *name)
{
	return getenv(name);
}

void naming_init(struct naming *naming)
{
	*naming = (struct naming){.variable = environment, .host = "localhost", .pid = getpid()};
	naming->start = time(NULL);
	gethostname(naming->host, sizeof(naming->host) - 1);
	naming->host[strcspn(naming->host, "./")] = '\0';
}

static const struct row *find(char letter)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

/* Returns NULL if it is unknown. */
static const char *value_in_job(const struct naming *naming, enum job_value value)
{
	struct job_facts facts;

	job_read(&facts, naming->variable);
	return facts.value[value];
}

static void put_time(const struct naming *naming, char value[VALUE_MOST])
{
	struct tm tm;

	if (localtime_r(&naming->start, &tm))
		strftime(value, VALUE_MOST, "%Y%m%d-%H%M%S", &tm);
}

/* Returns whether it is known. */
static bool value_of(const struct naming *naming, const struct row *row, char value[VALUE_MOST])
{
	const char *text = row->value == JOB_VALUES ? NULL : value_in_job(naming, row->value);

	value[0] = '\0';
	if (row->letter == 'h')
		snprintf(value, VALUE_MOST, "%s", naming->host);
	else if (row->letter == 'p')
		snprintf(value, VALUE_MOST, "%ld", naming->pid);
	else if (row->letter == 't')
		put_time(naming, value);
	else if (row->letter == '%')
		snprintf(value, VALUE_MOST, "%%");
	else if (text)
		snprintf(value, VALUE_MOST, "%s", text);
	/* A value must not contain a slash, because it is part of a file name. */
	for (char *at = value; (at = strchr(at, '/'));)
		*at = '_';
	return *value;
}

/* Names the variables in which the value was searched. */
static void unknown_value(const struct naming *naming, const struct row *row, const char *what,
			  struct error *err)
{
	char names[512] = "";
	size_t used = 0;
	const char *name;

	for (uint32_t i = 0; (name = job_variable(row->value, i)); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", name);
	error_say(err, EINVAL, "%s: %%%c, %s, is not known: the environment has none of %s", what,
		  row->letter, row->help, names);
	if ((row->value == JOB_RANK || row->value == JOB_LOCAL_RANK) &&
	    naming->variable("SLURM_PROCID"))
		error_hint(err,
			   "Slurm's rank 0 of a batch script is none: only what srun or mpirun "
			   "starts has a rank.");
}

static void unknown_letter(const char *at, const char *what, struct error *err)
{
	char letters[ROWS * 3 + 1] = "";

	for (int i = 0; i < ROWS; i++)
		snprintf(letters + (i ? i * 3 - 1 : 0), 5, "%s%%%c", i ? " " : "", rows[i].letter);
	error_say(err, EINVAL, "%s: unknown placeholder '%%%.1s': expected one of %s", what, at,
		  letters);
	error_hint(err, "A percent sign in a name is written %%%%.");
}

char *naming_expand(const struct naming *naming, const char *what, const char *pattern,
		    struct error *err)
{
	char *name = mem_strdup("");
	char value[VALUE_MOST];

	for (const char *at = pattern; *at;) {
		size_t plain = strcspn(at, "%");
		const struct row *row = at[plain] ? find(at[plain + 1]) : NULL;

		if (at[plain] && (!row || !at[plain + 1])) {
			unknown_letter(at + plain + 1, what, err);
			goto fail;
		}
		if (row && !value_of(naming, row, value)) {
			unknown_value(naming, row, what, err);
			goto fail;
		}
		mem_append(&name, "%.*s%s", (int)plain, at, row ? value : "");
		at += plain + (row ? 2 : 0);
	}
	return name;
fail:
	free(name);
	return NULL;
}

bool naming_has_ranks(const struct naming *naming)
{
	return value_in_job(naming, JOB_RANK) != NULL;
}

static bool has_any(const char *pattern, const char *letters)
{
	for (const char *at = pattern; (at = strchr(at, '%')) && at[1]; at += 2)
		if (strchr(letters, at[1]))
			return true;
	return false;
}

bool naming_is_of_process(const char *pattern)
{
	return has_any(pattern, "prl");
}

bool naming_has_time(const char *pattern)
{
	return has_any(pattern, "t");
}

/* If the launcher does not name the job, its ranks have the same parent process. */
char *naming_job(const struct naming *naming)
{
	const char *number = value_in_job(naming, JOB_ID), *part = value_in_job(naming, JOB_STEP);

	if (!number && !part)
		return mem_format("parent-%ld", (long)getppid());
	return mem_format("job-%s-%s", number ? number : "", part ? part : "");
}

/*
 * Returns the number of ranks in a list that contains this rank, or 0. A Slurm task may be a launcher with ranks of its own,
 * which inherit a list that has only the launcher.
 */
static unsigned count_ranks(const char *list, const char *rank)
{
	unsigned count = 0;
	bool has_rank = false;

	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ",");

		has_rank |= length == strlen(rank) && !strncmp(at, rank, length);
		count++;
		at += length + (at[length] == ',');
	}
	return has_rank && count > 1 ? count : 0;
}

unsigned naming_local_size(const struct naming *naming)
{
	const char *size = value_in_job(naming, JOB_LOCAL_SIZE);
	const char *list = value_in_job(naming, JOB_LOCAL_RANKS);
	const char *rank = value_in_job(naming, JOB_RANK);

	if (size)
		return (unsigned)strtoul(size, NULL, 10);
	return list && rank ? count_ranks(list, rank) : 0;
}

char *naming_default(const struct naming *naming)
{
	static const struct row id = {'j', NULL, JOB_ID};
	char stamp[VALUE_MOST] = "", job[VALUE_MOST];

	put_time(naming, stamp);
	if (!value_of(naming, &id, job))
		return mem_format("iotrace-%s-%s-%ld", naming->host, stamp, naming->pid);
	return mem_format("iotrace-%s-%s-%s-%ld", job, naming->host, stamp, naming->pid);
}
