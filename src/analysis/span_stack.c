/*
 * span_stack: the functions of stacks, from program files, which are opened once, and from the kernel's table of symbols.
 */
#include "span_stack.h"

#include "span_run.h"

#include <fcntl.h>
#include <iotrace/hash.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <iotrace/process.h>
#include <iotrace/program.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct opened {
	char *name;
	struct program *program; /* NULL: it is unreadable */
};

struct span_stacks {
	struct span_symbols symbols;
	const struct span_run *run;
	struct opened *opened;
	uint32_t count, cap;
	int kallsyms; /* -1: closed */
	struct kernel_symbols *kernel;
	struct map same,
		by_looks; /* the stack that stands for each; by a hash of functions and lines */
};

/* Passes the symbols of one stack to a function. */
struct walk {
	struct span_symbol symbol;
	void (*call)(void *context, const struct span_symbol *symbol);
	void *context;
};

static struct program *add(struct span_stacks *stacks, const char *name, int fd)
{
	struct opened *opened;

	MEM_GROW(stacks->opened, stacks->cap, stacks->count + 1);
	opened = &stacks->opened[stacks->count++];
	*opened = (struct opened){.name = mem_strdup(name)};
	if (fd < 0)
		return NULL;
	opened->program = program_open(fd, name, NULL);
	close(fd);
	return opened->program;
}

/* When the process has ended, its file may have no path here: it was replaced, or it is in a container. */
static void add_running(struct span_stacks *stacks, uint32_t pid)
{
	char *path = process_program(pid), *name = process_link(pid, "exe");

	if (name)
		add(stacks, name, open(path, O_RDONLY | O_CLOEXEC));
	free(path);
	free(name);
}

struct span_stacks *span_stacks_new(const struct recording *recording)
{
	struct span_stacks *stacks = mem_zero(sizeof(*stacks));

	stacks->kallsyms = process_kernel_symbols();
	for (uint32_t i = 0; i < recording->pids.count; i++)
		add_running(stacks, recording->pids.item[i]);
	return stacks;
}

void span_stacks_free(struct span_stacks *stacks)
{
	if (!stacks)
		return;
	for (uint32_t i = 0; i < stacks->count; i++) {
		program_close(stacks->opened[i].program);
		free(stacks->opened[i].name);
	}
	if (stacks->kallsyms >= 0)
		close(stacks->kallsyms);
	kernel_symbols_free(stacks->kernel);
	map_release(&stacks->same);
	map_release(&stacks->by_looks);
	free(stacks->opened);
	free(stacks);
}

/* A process may have mapped a file whose name is now that of a pipe. Returns a descriptor, or -1. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat_of;

	if (fd < 0 || (!fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* Opens the file as a process of -p sees it, which may be in a container. */
static int open_file(const struct span_stacks *stacks, const char *name)
{
	const struct number_list *pids = &stacks->run->options->record.recording.pids;
	int fd = -1;

	if (*name != '/')
		return -1;
	for (uint32_t i = 0; i < pids->count && fd < 0; i++) {
		char *path = process_path(pids->item[i], name);

		fd = open_regular(path);
		free(path);
	}
	return fd < 0 ? open_regular(name) : fd;
}

static struct program *program_of(struct span_stacks *stacks, const char *name)
{
	for (uint32_t i = 0; i < stacks->count; i++)
		if (!strcmp(stacks->opened[i].name, name))
			return stacks->opened[i].program;
	return add(stacks, name, open_file(stacks, name));
}

static void take_frame(void *context, const struct program_frame *frame)
{
	struct walk *walk = context;

	walk->symbol.function = frame->function;
	walk->symbol.source = frame->file;
	walk->symbol.line = frame->line;
	walk->symbol.is_inline = frame->is_inline;
	walk->call(walk->context, &walk->symbol);
}

static void symbolize_kernel(struct span_stacks *stacks, struct walk *walk)
{
	if (!stacks->kernel && stacks->kallsyms >= 0)
		stacks->kernel = kernel_symbols_read(stacks->kallsyms);
	walk->symbol.file = "[kernel]";
	walk->symbol.function = stacks->kernel
					? kernel_symbols_find(stacks->kernel, walk->symbol.address)
					: NULL;
	walk->call(walk->context, &walk->symbol);
}

static void symbolize_frame(struct span_stacks *stacks, const struct span_frame *frame,
			    struct walk *walk)
{
	const char *file = span_engine_file(stacks->run->engine, frame);
	struct program *program;

	walk->symbol = (struct span_symbol){.file = *file ? file : NULL, .address = frame->offset};
	if (frame->is_kernel) {
		symbolize_kernel(stacks, walk);
		return;
	}
	program = *file ? program_of(stacks, file) : NULL;
	if (!program || !program_frames(program, frame->offset, frame->is_return, take_frame, walk))
		walk->call(walk->context, &walk->symbol);
}

static void symbolize_stack(void *self, uint32_t stack,
			    void (*call)(void *context, const struct span_symbol *symbol),
			    void *context)
{
	struct span_stacks *stacks = self;
	struct walk walk = {.call = call, .context = context};
	const struct span_frame *frame;

	for (uint32_t i = 0; (frame = span_engine_frame(stacks->run->engine, stack, i)); i++)
		symbolize_frame(stacks, frame, &walk);
}

/* A compiler may repeat a call in a loop, so lines are more useful than addresses. */
static void add_looks(void *context, const struct span_symbol *symbol)
{
	char **looks = context;

	mem_append(looks, "%s|%s|%s|%u|%llx\n", symbol->file ? symbol->file : "",
		   symbol->function ? symbol->function : "", symbol->source ? symbol->source : "",
		   symbol->line, symbol->function ? 0ULL : (unsigned long long)symbol->address);
}

uint32_t span_stacks_same(void *self, uint32_t stack)
{
	struct span_stacks *stacks = self;
	uint32_t first = map_get(&stacks->same, stack);
	char *looks;
	uint64_t hash;

	if (first != MAP_NONE)
		return first;
	looks = mem_strdup("");
	symbolize_stack(stacks, stack, add_looks, &looks);
	hash = hash_bytes(hash_key_of_process(), looks, strlen(looks));
	free(looks);
	first = map_get(&stacks->by_looks, hash);
	if (first == MAP_NONE)
		first = stack;
	map_set(&stacks->by_looks, hash, first);
	map_set(&stacks->same, stack, first);
	return first;
}

const struct span_symbols *span_stacks_symbols(struct span_stacks *stacks,
					       const struct span_run *run)
{
	if (!stacks)
		return NULL;
	stacks->run = run;
	stacks->symbols = (struct span_symbols){.of = symbolize_stack, .self = stacks};
	return &stacks->symbols;
}
