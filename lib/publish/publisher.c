/*
 * publisher: writes a publication: see publisher.h of <iotrace/>.
 *
 * The file grows under another name and is complete when it gets its own. Its space is reserved, so a full file system cannot kill the
 * writer later.
 */
#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/publisher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64, MODE = 0644 };

struct publisher {
	struct publication_head *head; /* the mapped file */
	size_t size;
	struct publication_slot *slot; /* that is being written; NULL: none */
};

static size_t slot_size(const struct publisher_options *options)
{
	size_t size = sizeof(struct publication_slot) + (size_t)options->rows * options->row_size;

	return (size + LINE - 1) / LINE * LINE;
}

static void write_head(struct publication_head *head, const struct publisher_options *options)
{
	_Static_assert(sizeof(*head) <= PAGE, "it has a page");
	head->version = PUBLICATION_VERSION;
	head->head_size = PAGE;
	head->slot_size = (uint32_t)slot_size(options);
	head->slots = options->slots;
	head->row_size = options->row_size;
	head->rows = options->rows;
	head->pid = (uint32_t)getpid();
	head->start = options->start;
	head->interval = options->interval;
	snprintf(head->boot_id, sizeof(head->boot_id), "%s", options->boot_id);
	snprintf(head->program, sizeof(head->program), "iotrace %s", IOTRACE_VERSION);
	memcpy(head->magic, options->magic, sizeof(head->magic));
}

static int map_file(struct publisher *publisher, int fd, const struct publisher_options *options)
{
	void *memory;
	int code;

	publisher->size = PAGE + options->slots * slot_size(options);
	code = posix_fallocate(fd, 0, (off_t)publisher->size);
	if (code)
		return -code;
	if (fchmod(fd, MODE)) /* whatever the umask is */
		return -errno;
	memory = mmap(NULL, publisher->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	publisher->head = memory;
	write_head(publisher->head, options);
	return 0;
}

/* Only root could have left that name, since nobody else may write here. */
static int create(struct publisher *publisher, int dir, const struct publisher_options *options)
{
	char *name = mem_format(".%s.new", options->name);
	int fd, code;

	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	code = fd < 0 ? -errno : map_file(publisher, fd, options);
	if (!code && renameat(dir, name, dir, options->name))
		code = -errno;
	if (code && fd >= 0)
		unlinkat(dir, name, 0);
	if (fd >= 0)
		close(fd);
	free(name);
	return code;
}

struct publisher *publisher_open(const struct publisher_options *options, struct error *err)
{
	struct publisher *publisher = mem_zero(sizeof(*publisher));
	int dir = open(options->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = dir < 0 ? -errno : create(publisher, dir, options);

	if (dir >= 0)
		close(dir);
	if (!code)
		return publisher;
	if (publisher->head)
		munmap(publisher->head, publisher->size);
	free(publisher);
	error_set(err, -code, "cannot publish %s/%s", options->directory, options->name);
	return NULL;
}

static struct publication_slot *slot_at(const struct publisher *publisher, uint64_t generation)
{
	const struct publication_head *head = publisher->head;

	return (struct publication_slot *)((uint8_t *)publisher->head + head->head_size +
					   generation % head->slots * head->slot_size);
}

struct publication_slot *publisher_next(struct publisher *publisher)
{
	uint64_t generation = publisher->head->generation + 1, sequence;
	struct publication_slot *slot = slot_at(publisher, generation);

	sequence = slot->sequence | 1;
	__atomic_store_n(&slot->sequence, sequence, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memset((uint8_t *)slot + sizeof(sequence), 0, sizeof(*slot) - sizeof(sequence));
	slot->generation = generation;
	publisher->slot = slot;
	return slot;
}

void *publisher_row(struct publisher *publisher, uint32_t index)
{
	return (uint8_t *)(publisher->slot + 1) + (size_t)index * publisher->head->row_size;
}

void publisher_put(struct publisher *publisher)
{
	struct publication_slot *slot = publisher->slot;

	__atomic_store_n(&slot->sequence, slot->sequence + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&publisher->head->generation, slot->generation, __ATOMIC_RELEASE);
	publisher->slot = NULL;
}

void publisher_uncounted(struct publisher *publisher, uint64_t since, uint64_t uncounted)
{
	__atomic_store_n(&publisher->head->uncounted, uncounted, __ATOMIC_RELEASE);
	__atomic_store_n(&publisher->head->uncounted_since, since, __ATOMIC_RELEASE);
}

void publisher_close(struct publisher *publisher)
{
	if (!publisher)
		return;
	__atomic_store_n(&publisher->head->is_stopped, 1, __ATOMIC_RELEASE);
	munmap(publisher->head, publisher->size);
	free(publisher);
}
