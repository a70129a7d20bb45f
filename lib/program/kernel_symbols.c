/*
 * kernel_symbols: /proc/kallsyms, sorted: "ADDRESS TYPE NAME [MODULE]". Without the right to see addresses, all are 0.
 */
#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol {
	uint64_t address;
	uint32_t name; /* offset in the text */
};

struct kernel_symbols {
	struct symbol *symbol;
	uint32_t symbols, cap;
	char *text;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Returns the contents of the file, whose size is not known before. */
static char *read_all(int fd)
{
	size_t size = 0, cap = 1 << 20;
	char *text = mem_alloc(cap);
	ssize_t got;

	while ((got = read(fd, text + size, cap - size - 1)) > 0) {
		size += (size_t)got;
		if (cap - size > 1)
			continue;
		cap *= 2;
		text = mem_resize(text, cap);
	}
	text[size] = '\0';
	return text;
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

struct kernel_symbols *kernel_symbols_read(int fd)
{
	struct kernel_symbols *symbols = mem_zero(sizeof(*symbols));
	char *rest, *line;

	symbols->text = rest = read_all(fd);
	while ((line = strsep(&rest, "\n"))) {
		char *end;
		uint64_t address = strtoull(line, &end, 16);

		if (!address || *end != ' ' || !is_function(end[1]) || end[2] != ' ')
			continue;
		end[3 + strcspn(end + 3, "\t ")] = '\0';
		MEM_GROW(symbols->symbol, symbols->cap, symbols->symbols + 1);
		symbols->symbol[symbols->symbols++] =
			(struct symbol){address, (uint32_t)(end + 3 - symbols->text)};
	}
	if (symbols->symbols)
		qsort(symbols->symbol, symbols->symbols, sizeof(*symbols->symbol), by_address);
	return symbols;
}

const char *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address)
{
	uint32_t low = 0, high = symbols->symbols;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symbols->symbol[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? symbols->text + symbols->symbol[low - 1].name : NULL;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols->text);
	free(symbols);
}
