/*
 * naming: a row for each placeholder. What a job's launcher tells its processes stands in the environment; each launcher
 * has its own names for it, the most specific first: a step of Slurm may run mpirun, which then knows better.
 */
#include "naming.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_MOST = 256 };

static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
				   "MV2_COMM_WORLD_RANK",  "PALS_RANKID",  "ALPS_APP_PE",
				   "FLUX_TASK_RANK",       "SLURM_PROCID", "JSM_NAMESPACE_RANK",
				   "LSF_PM_TASKID",        "PBS_VNODENUM", NULL};
static const char *const local_rank[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
					 "MV2_COMM_WORLD_LOCAL_RANK",  "PALS_LOCAL_RANKID",
					 "FLUX_TASK_LOCAL_ID",         "SLURM_LOCALID",
					 "JSM_NAMESPACE_LOCAL_RANK",   NULL};
static const char *const node[] = {"SLURM_NODEID", "PBS_NODENUM", "PALS_NODEID", NULL};
static const char *const job[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
				  "FLUX_JOB_ID",  "COBALT_JOBID", NULL};

static const struct row {
	char letter;
	const char *help;
	const char *const *variables; /* NULL: known of every process */
} rows[] = {
	{'h', "the host's name", NULL},
	{'p', "the process id of iotrace", NULL},
	{'t', "when the recording began: YYYYmmdd-HHMMSS", NULL},
	{'j', "the number of the job", job},
	{'r', "the rank in the job", rank},
	{'l', "the rank on its node", local_rank},
	{'n', "the number of the node in the job", node},
	{'%', "a percent sign", NULL},
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

static const char *first_set(const struct naming *naming, const char *const *variables)
{
	for (; *variables; variables++) {
		const char *value = naming->variable(*variables);

		if (value && *value)
			return value;
	}
	return NULL;
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
	const char *text = row->variables ? first_set(naming, row->variables) : NULL;

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
	/* A value is part of a name and leads to no other directory. */
	for (char *at = value; (at = strchr(at, '/'));)
		*at = '_';
	return *value;
}

/* Names the variables that were looked for. */
static void unknown_value(const struct row *row, const char *what, struct error *err)
{
	char names[512] = "";
	size_t used = 0;

	for (const char *const *name = row->variables; name && *name; name++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", *name);
	error_say(err, EINVAL, "%s: %%%c, %s, is not known: the environment has none of %s", what,
		  row->letter, row->help, names);
}

static void unknown_letter(const char *at, const char *what, struct error *err)
{
	char letters[ROWS * 3 + 1] = "";

	for (int i = 0; i < ROWS; i++)
		snprintf(letters + (i ? i * 3 - 1 : 0), 5, "%s%%%c", i ? " " : "", rows[i].letter);
	error_say(err, EINVAL, "%s: there is no placeholder '%%%.1s'; there are %s", what, at,
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
		char *longer;

		if (at[plain] && (!row || !at[plain + 1])) {
			unknown_letter(at + plain + 1, what, err);
			goto fail;
		}
		if (row && !value_of(naming, row, value)) {
			unknown_value(row, what, err);
			goto fail;
		}
		longer = mem_format("%s%.*s%s", name, (int)plain, at, row ? value : "");
		free(name);
		name = longer;
		at += plain + (row ? 2 : 0);
	}
	return name;
fail:
	free(name);
	return NULL;
}

bool naming_has_ranks(const struct naming *naming)
{
	return first_set(naming, rank) != NULL;
}

char *naming_default(const struct naming *naming)
{
	char stamp[VALUE_MOST] = "";

	put_time(naming, stamp);
	return mem_format("iotrace-%s-%s-%ld", naming->host, stamp, naming->pid);
}

void naming_help(FILE *out)
{
	for (int i = 0; i < ROWS; i++)
		fprintf(out, "  %%%c  %s\n", rows[i].letter, rows[i].help);
}
