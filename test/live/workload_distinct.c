/*
 * distinct N DIR: makes, closes and deletes N files in DIR, each with a name of its own. Then says "done" and waits for the end
 * of its input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long files = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	char path[4096], byte;

	for (long i = 0; i < files; i++) {
		snprintf(path, sizeof(path), "%s/a-file-of-the-run-with-number-%ld", argv[2], i);
		int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

		if (fd < 0) {
			perror(path);
			return 1;
		}
		close(fd);
		unlink(path);
	}
	puts("done");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return files ? 0 : 1;
}
