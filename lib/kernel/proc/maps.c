/* maps: see maps.h. A line of the file is "BEGIN-END rwxp OFFSET DEVICE INODE    FILE". */
#include "maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse(char *line, struct maps_row *row)
{
	char rights[5] = "";
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &row->begin,
		   &row->end, rights, &row->offset, &at) != 4 ||
	    !at || rights[2] != 'x')
		return false;
	row->file = line + at;
	return *row->file;
}

void maps_read(const struct procfs *proc, uint32_t pid,
	       void (*call)(void *context, const struct maps_row *row), void *context)
{
	struct maps_row row;
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%u/maps", pid);
	fd = openat(proc->root, path, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (getline(&line, &size, file) > 0)
		if (parse(line, &row))
			call(context, &row);
	free(line);
	fclose(file);
}
