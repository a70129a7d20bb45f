/*
 * A program of 64 bits that makes calls of 32 bits: their numbers are others.
 *
 *   workload_foreign FILE COUNT   writes FILE, reads it COUNT times by int $0x80, reads it once more as usual
 *
 * On other machines than x86-64 it returns 77.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
enum { READ_OF_32_BITS = 3, BYTES = 64 }; /* close() has that number where the program is at home */

static long foreign_read(int fd, void *to, unsigned long bytes)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"((long)READ_OF_32_BITS), "b"((long)fd), "c"(to), "d"(bytes)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0644) : -1;
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (fd < 0 || low == MAP_FAILED || write(fd, low, BYTES) != BYTES)
		return 1;
	for (int i = atoi(argv[2]); i > 0; i--)
		if (lseek(fd, 0, SEEK_SET) || foreign_read(fd, low, BYTES) != BYTES)
			return 2;
	return pread(fd, low, BYTES / 2, 0) == BYTES / 2 ? 0 : 3;
}
#else
int main(void)
{
	return 77;
}
#endif
