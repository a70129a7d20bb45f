/* publication: reads what a daemon publishes: see <iotrace/publication.h>. Nothing in the file is believed. */
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/publication.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_MOST = 64 << 20, TRIES = 100, SILENT_INTERVALS = 3 };

static const uint64_t silent_ns = 2000000000;

struct publication_file {
	const struct publication_head *mapped;
	size_t size;
	struct publication_head head; /* a copy that has been checked */
};

/* Returns whether all sizes fit the file. */
static bool is_sound(const struct publication_head *head, size_t size, size_t row_size)
{
	uint64_t slot = sizeof(struct publication_slot) + (uint64_t)head->rows * head->row_size;

	return head->head_size >= sizeof(*head) && head->head_size % sizeof(uint64_t) == 0 &&
	       head->slot_size % sizeof(uint64_t) == 0 && head->row_size % sizeof(uint64_t) == 0 &&
	       head->row_size >= row_size && head->slots && head->slot_size >= slot &&
	       head->head_size + (uint64_t)head->slots * head->slot_size <= size;
}

static int check(struct publication_file *file, const char *path, const char *magic,
		 size_t row_size, struct error *err)
{
	struct publication_head *head = &file->head;

	memcpy(head, file->mapped, sizeof(*head));
	head->boot_id[sizeof(head->boot_id) - 1] = '\0';
	head->program[sizeof(head->program) - 1] = '\0';
	if (memcmp(head->magic, magic, sizeof(head->magic)) != 0)
		return error_say(err, EBADMSG, "%s: it is not a file of iotrace daemon", path);
	if (head->version != PUBLICATION_VERSION) {
		error_say(err, EPROTO,
			  "%s: it has version %u of its layout, and this iotrace knows version %d",
			  path, head->version, PUBLICATION_VERSION);
		error_hint(err, "Use the iotrace of that daemon, or restart it with this one.");
		return -EPROTO;
	}
	return is_sound(head, file->size, row_size)
		       ? 0
		       : error_say(err, EBADMSG, "%s: its sizes do not fit the file", path);
}

static int map_file(struct publication_file *file, int fd, const char *path, struct error *err)
{
	struct stat status;
	void *memory;

	if (fstat(fd, &status))
		return error_set(err, errno, "%s", path);
	if (!S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(file->head) ||
	    status.st_size > SIZE_MOST)
		return error_say(err, EBADMSG, "%s: it is not a file of iotrace daemon", path);
	file->size = (size_t)status.st_size;
	memory = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return error_set(err, errno, "%s", path);
	file->mapped = memory;
	return 0;
}

struct publication_file *publication_open(const char *path, const char *magic, size_t row_size,
					  struct error *err)
{
	struct publication_file *file = mem_zero(sizeof(*file));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), code;

	code = fd < 0 ? error_set(err, errno, "%s", path) : map_file(file, fd, path, err);
	if (fd >= 0)
		close(fd);
	if (!code)
		code = check(file, path, magic, row_size, err);
	if (!code)
		return file;
	publication_close(file);
	return NULL;
}

void publication_close(struct publication_file *file)
{
	if (file && file->mapped)
		munmap((void *)(uintptr_t)file->mapped, file->size);
	free(file);
}

static void copy_rows(const struct publication_head *head, const struct publication_slot *from,
		      struct publication *to)
{
	uint32_t size;

	to->row_size = head->row_size;
	if (to->slot.rows > head->rows)
		to->slot.rows = head->rows;
	size = to->slot.rows * head->row_size;
	MEM_GROW(to->row, to->capacity, size);
	memcpy(to->row, from + 1, size);
}

static int copy_once(const struct publication_file *file, uint64_t generation,
		     struct publication *to)
{
	const struct publication_head *head = &file->head;
	const struct publication_slot *from;
	uint64_t before;

	from = (const void *)((const uint8_t *)file->mapped + head->head_size +
			      generation % head->slots * head->slot_size);
	before = __atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE);
	if (before & 1)
		return -EAGAIN;
	memcpy(&to->slot, from, sizeof(to->slot));
	copy_rows(head, from, to);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&from->sequence, __ATOMIC_RELAXED) != before)
		return -EAGAIN;
	return to->slot.generation == generation ? 0 : -ENODATA;
}

int publication_copy(const struct publication_file *file, uint64_t generation,
		     struct publication *to)
{
	int code = -EAGAIN;

	to->head = file->head;
	for (int i = 0; i < TRIES && code == -EAGAIN; i++) {
		uint64_t newest = __atomic_load_n(&file->mapped->generation, __ATOMIC_ACQUIRE);

		to->head.generation = newest;
		to->head.is_stopped = __atomic_load_n(&file->mapped->is_stopped, __ATOMIC_ACQUIRE);
		to->head.uncounted_since = __atomic_load_n(&file->mapped->uncounted_since,
							   __ATOMIC_ACQUIRE);
		to->head.uncounted = __atomic_load_n(&file->mapped->uncounted, __ATOMIC_ACQUIRE);
		code = newest ? copy_once(file, generation ? generation : newest, to) : -ENODATA;
		/* The writer has gone on meanwhile. */
		if (code == -ENODATA && newest && !generation)
			code = -EAGAIN;
	}
	return code;
}

void publication_release(struct publication *publication)
{
	free(publication->row);
	publication->row = NULL;
	publication->capacity = 0;
}

enum publication_state publication_state(const struct publication *publication, uint64_t now,
					 const char *boot_id)
{
	const struct publication_head *head = &publication->head;
	uint64_t since = now > publication->slot.monotonic ? now - publication->slot.monotonic : 0;

	if (*boot_id && strcmp(head->boot_id, boot_id) != 0)
		return PUBLICATION_OF_ANOTHER_BOOT;
	if (head->is_stopped)
		return PUBLICATION_STOPPED;
	if (head->uncounted_since)
		return PUBLICATION_UNCOUNTED;
	return since / SILENT_INTERVALS > head->interval && since > silent_ns ? PUBLICATION_SILENT
									      : PUBLICATION_RUNS;
}
