/* hotplug: receives the kernel's uevents. Two looks at /sys would not show a CPU that went offline and came back between them. */
#include "hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GROUP_OF_KERNEL = 1, MESSAGE_SIZE = 4096 };

int hotplug_open(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = GROUP_OF_KERNEL};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	int code = errno;

	close(fd);
	return -code;
}

int hotplug_cpu(const char *message)
{
	unsigned cpu;
	int end = 0;

	if (sscanf(message, "online@/devices/system/cpu/cpu%5u%n", &cpu, &end) != 1 || message[end])
		return -1;
	return (int)cpu;
}

int hotplug_take(int fd, void (*came)(void *context, uint32_t cpu), void *context)
{
	char message[MESSAGE_SIZE];
	ssize_t n;

	while ((n = read(fd, message, sizeof(message) - 1)) > 0) {
		int cpu;

		message[n] = '\0';
		cpu = hotplug_cpu(message);
		if (cpu >= 0)
			came(context, (uint32_t)cpu);
	}
	return n < 0 && errno == ENOBUFS ? -ENOBUFS : 0;
}
