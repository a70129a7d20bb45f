/* text_word: ids and flags, as lines of events and of definitions contain them. */
#include "text.h"

#include <iotrace/large_file.h>

#include <fcntl.h>

void text_id(FILE *out, char letter, uint32_t id)
{
	if (id == ID_NONE)
		fputs(" -", out);
	else
		fprintf(out, " %c%u", letter, id);
}

/* A flag that contains another comes before it. */
void text_flags(FILE *out, uint32_t flags)
{
	static const char *const access[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
	static const struct {
		uint32_t bits;
		const char *name;
	} row[] = {
		{O_CREAT, "O_CREAT"},        {O_EXCL, "O_EXCL"},
		{O_NOCTTY, "O_NOCTTY"},      {O_TRUNC, "O_TRUNC"},
		{O_APPEND, "O_APPEND"},      {O_NONBLOCK, "O_NONBLOCK"},
		{O_SYNC, "O_SYNC"},          {O_DSYNC, "O_DSYNC"},
		{O_ASYNC, "O_ASYNC"},        {O_DIRECT, "O_DIRECT"},
		{O_TMPFILE, "O_TMPFILE"},    {O_DIRECTORY, "O_DIRECTORY"},
		{O_NOFOLLOW, "O_NOFOLLOW"},  {O_NOATIME, "O_NOATIME"},
		{O_CLOEXEC, "O_CLOEXEC"},    {O_PATH, "O_PATH"},
		{LARGE_FILE, "O_LARGEFILE"},
	};

	fputs(access[flags & O_ACCMODE], out);
	flags &= ~(uint32_t)O_ACCMODE;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if ((flags & row[i].bits) == row[i].bits) {
			fprintf(out, "|%s", row[i].name);
			flags &= ~row[i].bits;
		}
	}
	if (flags)
		fprintf(out, "|0x%x", flags);
}
