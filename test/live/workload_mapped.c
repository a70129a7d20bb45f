/*
 * Makes a device of the device mapper that keeps each request for 60 ms and gives it to another device then, from a worker of the kernel.
 * Prints its name below /dev when it is there. The device stays, so this is for machines that are thrown away.
 *
 * workload_mapped DEVICE SECTORS
 */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct table {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char words[256];
};

static void ask(int control, unsigned long request, struct table *table)
{
	table->head.version[0] = DM_VERSION_MAJOR;
	table->head.data_size = sizeof(*table);
	table->head.data_start = sizeof(table->head);
	strcpy(table->head.name, "slow");
	if (!ioctl(control, request, table))
		return;
	perror("workload_mapped");
	exit(1);
}

int main(int argc, char **argv)
{
	int control = open("/dev/mapper/control", O_RDWR);
	struct table create = {0}, load = {0}, resume = {0};
	unsigned int device;

	if (argc != 3 || control < 0)
		return 1;
	ask(control, DM_DEV_CREATE, &create);
	load.head.target_count = 1;
	load.target.length = strtoull(argv[2], NULL, 10);
	strcpy(load.target.target_type, "delay");
	snprintf(load.words, sizeof(load.words), "%s 0 60", argv[1]);
	ask(control, DM_TABLE_LOAD, &load);
	ask(control, DM_DEV_SUSPEND, &resume); /* without a flag, it resumes */
	device = (unsigned int)create.head.dev;
	mknod("/dev/slow", S_IFBLK | 0600, makedev(device >> 8 & 0xfff, device & 0xff));
	puts("slow");
	return 0;
}
