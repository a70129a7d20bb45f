/*
 * workload_rename: opens a file again and again while its directory is moved there and back.
 *
 *   workload_rename DIRECTORY OPENS
 *
 * The file is one of DIRECTORY/here/old/file and DIRECTORY/there/new/file, and nothing else.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_bool is_done;

static void need(int is_true, const char *what)
{
	if (is_true)
		return;
	perror(what);
	exit(1);
}

static void *move(void *unused)
{
	(void)unused;
	while (!is_done) {
		need(!rename("here/old", "there/new"), "rename");
		need(!rename("there/new", "here/old"), "rename");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t mover;
	int directory, fd;

	need(argc == 3 && !chdir(argv[1]), "chdir");
	need(!mkdir("here", 0755) && !mkdir("there", 0755) && !mkdir("here/old", 0755), "mkdir");
	fd = open("here/old/file", O_CREAT | O_WRONLY, 0644);
	need(fd >= 0 && !close(fd), "file");
	directory = open("here/old", O_RDONLY | O_DIRECTORY);
	need(directory >= 0, "directory");
	need(!pthread_create(&mover, NULL, move, NULL), "thread");
	for (int i = 0; i < atoi(argv[2]); i++) {
		fd = openat(directory, "file", O_RDONLY);
		need(fd >= 0 && !close(fd), "openat");
	}
	is_done = 1;
	pthread_join(mover, NULL);
	return 0;
}
