/* number_name: see number_name.h. */
#include "number_name.h"

#include <iotrace/errname.h>
#include <stddef.h>
#include <string.h>

/* The opcodes of <linux/fuse.h>. */
static const char *const fuse_opcode[] = {
	[1] = "LOOKUP",        [2] = "FORGET",         [3] = "GETATTR",
	[4] = "SETATTR",       [5] = "READLINK",       [6] = "SYMLINK",
	[8] = "MKNOD",         [9] = "MKDIR",          [10] = "UNLINK",
	[11] = "RMDIR",        [12] = "RENAME",        [13] = "LINK",
	[14] = "OPEN",         [15] = "READ",          [16] = "WRITE",
	[17] = "STATFS",       [18] = "RELEASE",       [20] = "FSYNC",
	[21] = "SETXATTR",     [22] = "GETXATTR",      [23] = "LISTXATTR",
	[24] = "REMOVEXATTR",  [25] = "FLUSH",         [26] = "INIT",
	[27] = "OPENDIR",      [28] = "READDIR",       [29] = "RELEASEDIR",
	[30] = "FSYNCDIR",     [31] = "GETLK",         [32] = "SETLK",
	[33] = "SETLKW",       [34] = "ACCESS",        [35] = "CREATE",
	[36] = "INTERRUPT",    [37] = "BMAP",          [38] = "DESTROY",
	[39] = "IOCTL",        [40] = "POLL",          [41] = "NOTIFY_REPLY",
	[42] = "BATCH_FORGET", [43] = "FALLOCATE",     [44] = "READDIRPLUS",
	[45] = "RENAME2",      [46] = "LSEEK",         [47] = "COPY_FILE_RANGE",
	[48] = "SETUPMAPPING", [49] = "REMOVEMAPPING", [50] = "SYNCFS",
	[51] = "TMPFILE",      [52] = "STATX",
};

const char *number_name_fuse(uint64_t opcode)
{
	return opcode < sizeof(fuse_opcode) / sizeof(*fuse_opcode) ? fuse_opcode[opcode] : NULL;
}

static const char *fuse_name(uint64_t number, const struct arch *arch, struct arch_name *room)
{
	(void)arch, (void)room;
	return number_name_fuse(number);
}

/* A negative number is an error code that the function returns. */
static const char *errno_name(uint64_t number, const struct arch *arch, struct arch_name *room)
{
	int error = (int)(int32_t)number;

	(void)arch, (void)room;
	return error ? errname(error < 0 ? -error : error) : NULL;
}

static const char *call_name(uint64_t number, const struct arch *arch, struct arch_name *room)
{
	return arch ? arch_call_name(arch, (long)number, room) : NULL;
}

const char *number_name(const char *table, uint64_t number, const struct arch *arch,
			struct arch_name *room)
{
	static const struct {
		const char *table;
		const char *(*name)(uint64_t, const struct arch *, struct arch_name *);
	} row[] = {{"fuse_opcode", fuse_name}, {"errno", errno_name}, {"syscall", call_name}};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (!strcmp(row[i].table, table))
			return row[i].name(number, arch, room);
	return NULL;
}
