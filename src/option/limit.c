#include "limit.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_LEAST = 24 };

static const struct {
	int code; /* code of the error */
	enum __rlimit_resource limit;
	const char *what, *option; /* name in ulimit */
	bool is_for_root;
} rows[] = {
	{EMFILE, RLIMIT_NOFILE, "open files", "-n", true},
	{EFBIG, RLIMIT_FSIZE, "bytes for a file", "-f", true},
	{ENOMEM, RLIMIT_AS, "bytes of memory", "-v", true},
	{EAGAIN, RLIMIT_AS, "bytes of memory", "-v", true},
	{EAGAIN, RLIMIT_NPROC, "processes and threads", "-u", false},
};

static bool may_be_cause(size_t row, const struct error *err, struct rlimit *limit)
{
	return rows[row].code == err->code && (rows[row].is_for_root || geteuid() != 0) &&
	       !getrlimit(rows[row].limit, limit) && limit->rlim_cur != RLIM_INFINITY;
}

void limit_hint(struct error *err)
{
	struct rlimit limit;

	for (const char *hint = error_next_hint(err, NULL); hint; hint = error_next_hint(err, hint))
		if (strstr(hint, "ulimit"))
			return;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		if (may_be_cause(row, err, &limit))
			error_hint(err,
				   "This process may have %llu %s. To raise that limit: ulimit %s",
				   (unsigned long long)limit.rlim_cur, rows[row].what,
				   rows[row].option);
	}
}

int limit_check(struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= FILES_LEAST)
		return 0;
	error_say(err, EMFILE,
		  "this process may have %llu open files, and iotrace needs %d at least",
		  (unsigned long long)limit.rlim_max, FILES_LEAST);
	error_hint(err, "To raise that limit: ulimit -n 256");
	return -EMFILE;
}
