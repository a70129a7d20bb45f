/*
 * program: what the file of a program or a library says: where its functions and static probes (SDT) are, and which lines of the
 * source an address belongs to.
 *
 * Symbols and lines come from the file, or from its debug information in another file (/usr/lib/debug), as elfutils finds it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;
struct program;

/*
 * `name` is the path that messages have, and from which debug information is looked for; the descriptor is not taken. Returns NULL
 * with a sentence: it is no ELF file, a 32-bit one, or of another architecture.
 */
struct program *program_open(int fd, const char *name, struct error *err);
void program_close(struct program *program);

/* A place in the file. */
struct probe_point {
	uint64_t offset; /* of the instruction in the file */
	uint64_t
		semaphore; /* of the counter that switches a static probe on, in the file; 0: it has none */
	const char *words; /* of a static probe: where its arguments are. Lent by the program */
};

/*
 * Finds a function: "NAME", "NAME+0x10", or an address as nm(1) shows it, "0x1234". Returns 0, or -errno with a sentence that has the
 * nearest name.
 */
int program_function(struct program *program, const char *symbol, struct probe_point *point,
		     struct error *err);
/*
 * Calls with each place of a static probe: the compiler may have made several. Returns how many there are, or -ENOENT with a sentence
 * that has the nearest name.
 */
int program_markers(struct program *program, const char *provider, const char *name,
		    void (*call)(void *context, const struct probe_point *point), void *context,
		    struct error *err);
/* Returns the registers of the arguments of a function here, as the kernel names them ("%di"); NULL beyond the last. */
const char *program_register(uint32_t argument);
/*
 * Returns where an argument of a static probe is, as the kernel fetches it ("%ax", "-8(%bp)"), with its type ("s32"), from the words
 * of its place: "-4@%eax 8@-8(%rbp)". To be freed. NULL with a sentence: there is no such argument, or it is in no place that the
 * kernel can fetch.
 */
char *program_operand(const char *words, uint32_t argument, char type[8], struct error *err);

struct program_frame {
	const char *function; /* NULL: not known */
	const char *file;     /* of the source; NULL: not known */
	uint32_t line;        /* 0: not known */
	bool is_inline;       /* it is a part of the next frame's function */
};

/*
 * Calls with the function at this offset in the file, before it with those that were inlined into it, the innermost first. is_return:
 * the offset is behind a call. Returns how many; 0: the file says nothing. Frames are lent for the call.
 */
uint32_t program_frames(struct program *program, uint64_t offset, bool is_return,
			void (*call)(void *context, const struct program_frame *frame),
			void *context);

/* The kernel's functions, as an open /proc/kallsyms says them. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_read(int fd);
/* Returns the function that the address is in, lent; NULL: not known. */
const char *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address);
void kernel_symbols_free(struct kernel_symbols *symbols);
