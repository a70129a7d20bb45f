/* errname: error names of the C library, and a table of errors that no program should see (Linux, include/linux/errno.h). */
#include <iotrace/errname.h>

#include <stddef.h>
#include <string.h>

static const char interrupted[] = "interrupted by a signal";

static const struct {
	int error;
	const char *name, *text;
} inner[] = {
	{512, "ERESTARTSYS", interrupted},
	{513, "ERESTARTNOINTR", interrupted},
	{514, "ERESTARTNOHAND", interrupted},
	{515, "ENOIOCTLCMD", "no such ioctl"},
	{516, "ERESTART_RESTARTBLOCK", interrupted},
	{517, "EPROBE_DEFER", "driver asks to be probed again"},
	{518, "EOPENSTALE", "open found a stale entry"},
	{519, "ENOPARAM", "parameter not supported"},
	{521, "EBADHANDLE", "NFS: bad file handle"},
	{522, "ENOTSYNC", "NFS: update out of step"},
	{523, "EBADCOOKIE", "NFS: stale cookie of a directory"},
	{524, "ENOTSUPP", "operation is not supported"},
	{525, "ETOOSMALL", "buffer or request is too small"},
	{526, "ESERVERFAULT", "error of the server"},
	{527, "EBADTYPE", "NFS: type is not supported by the server"},
	{528, "EJUKEBOX", "NFS: request takes long"},
	{529, "EIOCBQUEUED", "request is queued"},
	{530, "ERECALLCONFLICT", "conflict with a recalled state"},
};

/* Returns its row, or -1. */
static int find(int error)
{
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (inner[i].error == error)
			return (int)i;
	return -1;
}

const char *errname(int error)
{
	int row = find(error);

	return row < 0 ? strerrorname_np(error) : inner[row].name;
}

const char *errname_text(int error)
{
	int row = find(error);

	return row < 0 ? strerror(error) : inner[row].text;
}

bool errname_is_interrupted(int error)
{
	int row = find(error);

	return row >= 0 && inner[row].text == interrupted;
}
