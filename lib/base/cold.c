/* cold: each area has its own file, which only grows. All blocks share one file. */
#include <iotrace/cold.h>

#include <iotrace/mem.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

struct block {
	void *at;
	size_t size;
};

struct cold {
	int directory;
	bool is_refused; /* a file could not be created or could not grow; it is not tried again */
	struct cold_area *area;
	struct block *block;
	uint32_t blocks, blocks_cap;
	int fd; /* file of the blocks, -1: none yet */
	uint64_t filled;
	uint64_t size;
};

struct cold *cold_new(int directory)
{
	struct cold *cold = mem_zero(sizeof(*cold));

	struct statfs at;

	cold->directory = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	cold->fd = -1;
	/* Such a file system (btrfs) writes to other blocks than those that were allocated: on a full disk that causes SIGBUS. */
	cold->is_refused = cold->directory >= 0 && !fstatfs(cold->directory, &at) &&
			   at.f_type == BTRFS_SUPER_MAGIC;
	return cold;
}

void cold_free(struct cold *cold)
{
	if (!cold)
		return;
	for (uint32_t i = 0; i < cold->blocks; i++)
		munmap(cold->block[i].at, cold->block[i].size);
	free(cold->block);
	if (cold->fd >= 0)
		close(cold->fd);
	if (cold->directory >= 0)
		close(cold->directory);
	free(cold);
}

/* The pages of a shared mapping stay in the page cache. Only this process unmaps them. */
void cold_rest(struct cold *cold)
{
	if (!cold)
		return;
	for (const struct cold_area *area = cold->area; area; area = area->next)
		(void)madvise(area->at, area->size, MADV_DONTNEED);
	for (uint32_t i = 0; i < cold->blocks; i++)
		(void)madvise(cold->block[i].at, cold->block[i].size, MADV_DONTNEED);
}

uint64_t cold_size(const struct cold *cold)
{
	return cold ? cold->size : 0;
}

/* Returns a descriptor of an unlinked file, or -1. */
static int open_file(struct cold *cold)
{
	int fd;

	if (cold->is_refused)
		return -1;
	fd = openat(cold->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	cold->is_refused |= fd < 0;
	return fd;
}

static bool extend(struct cold *cold, int fd, uint64_t from, size_t size)
{
	int rc;

	if (cold->is_refused)
		return false;
	do {
		rc = fallocate(fd, 0, (off_t)from, (off_t)size);
	} while (rc && errno == EINTR);
	cold->is_refused = rc != 0;
	cold->size += rc ? 0 : size;
	return !rc;
}

static void *map_file(struct cold *cold, int fd, uint64_t from, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)from);

	cold->is_refused |= at == MAP_FAILED;
	return at == MAP_FAILED ? NULL : at;
}

static size_t round_up(size_t size)
{
	return (size + COLD_STEP - 1) / COLD_STEP * COLD_STEP;
}

void *cold_block(struct cold *cold, size_t size)
{
	void *at;

	if (!cold)
		return NULL;
	size = round_up(size);
	if (cold->fd < 0)
		cold->fd = open_file(cold);
	if (cold->fd < 0 || !extend(cold, cold->fd, cold->filled, size))
		return NULL;
	at = map_file(cold, cold->fd, cold->filled, size);
	cold->filled += size;
	if (!at)
		return NULL;
	MEM_GROW(cold->block, cold->blocks_cap, cold->blocks + 1);
	cold->block[cold->blocks++] = (struct block){at, size};
	return at;
}

void cold_area_init(struct cold_area *area, struct cold *cold)
{
	*area = (struct cold_area){.cold = cold};
}

/* Unmaps the area, and removes it from its store. */
static void area_close(struct cold_area *area)
{
	munmap(area->at, area->size);
	close(area->fd);
	area->cold->size -= area->size;
	*area->link = area->next;
	if (area->next)
		area->next->link = area->link;
	*area = (struct cold_area){.cold = area->cold};
}

void cold_area_release(struct cold_area *area, void *array)
{
	if (area->at)
		area_close(area);
	else
		free(array);
}

/* Moves an array of `used` bytes from ordinary memory to a file. Returns false if that fails. */
static bool area_open(struct cold_area *area, void *array, size_t used, size_t size)
{
	struct cold *cold = area->cold;
	int fd = open_file(cold);
	void *at = fd >= 0 && extend(cold, fd, 0, size) ? map_file(cold, fd, 0, size) : NULL;

	if (!at) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (used)
		memcpy(at, array, used);
	free(array);
	*area = (struct cold_area){cold, at, size, fd, cold->area, &cold->area};
	if (area->next)
		area->next->link = &area->next;
	cold->area = area;
	return true;
}

static bool area_extend(struct cold_area *area, size_t size)
{
	void *at;

	if (!extend(area->cold, area->fd, area->size, size - area->size))
		return false;
	at = mremap(area->at, area->size, size, MREMAP_MAYMOVE);
	if (at == MAP_FAILED) {
		area->cold->size -= size - area->size;
		return false;
	}
	area->at = at;
	area->size = size;
	return true;
}

/* The file could not grow: moves the array back to ordinary memory. */
static void *leave(struct cold_area *area, size_t used)
{
	void *array = mem_dup(area->at, used);

	area_close(area);
	return array;
}

void *cold_grow(struct cold_area *area, void *array, uint32_t *capacity, uint32_t want, size_t size)
{
	size_t used = *capacity * size, bytes = round_up((uint64_t)want * size);
	bool is_large = (uint64_t)want * size > COLD_STEP;

	if (want <= *capacity)
		return array;
	if (!area->cold)
		return mem_grow(array, capacity, want, size);
	if (area->at ? area_extend(area, bytes) : is_large && area_open(area, array, used, bytes)) {
		*capacity = bytes / size > UINT32_MAX ? UINT32_MAX : (uint32_t)(bytes / size);
		return area->at;
	}
	if (area->at)
		array = leave(area, used);
	return mem_grow(array, capacity, want, size);
}
