/*
 * program: information in the file of a program or a library: the locations of functions and static probes (SDT), and the source
 * lines of addresses.
 *
 * Symbols and lines come from the file, or from a separate file with its debug information (/usr/lib/debug), as elfutils finds
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;
struct program;

/*
 * `name` is the path for messages, and for the search for debug information; the descriptor is not taken over. Returns NULL with
 * a message if it is no ELF file, a 32-bit one, or of another architecture.
 */
struct program *program_open(int fd, const char *name, struct error *err);
void program_close(struct program *program);

/* A location in the file at which a probe can be placed. */
struct probe_point {
	uint64_t offset;    /* offset of the instruction in the file */
	uint64_t semaphore; /* static probe: offset of the counter that enables it; 0: none */
	const char *words;  /* static probe: the locations of its arguments. Lent by the program */
};

/*
 * Finds a function: "NAME", "NAME+0x10", or an address as nm(1) shows it, "0x1234". Returns 0, or -errno with a message that
 * contains the nearest name.
 */
int program_function(struct program *program, const char *symbol, struct probe_point *point,
		     struct error *err);
/*
 * Calls back with each location of a static probe: the compiler may have made several. Returns their number, or -ENOENT with a
 * message that contains the nearest name.
 */
int program_markers(struct program *program, const char *provider, const char *name,
		    void (*call)(void *context, const struct probe_point *point), void *context,
		    struct error *err);
/* Returns the kernel's name of the register with this argument of a function ("%di"); NULL after the last. */
const char *program_register(uint32_t argument);
/*
 * Returns the location of an argument of a static probe, in the kernel's syntax ("%ax", "-8(%bp)"), and its type ("s32"), from
 * the words of the probe: "-4@%eax 8@-8(%rbp)". To be freed. NULL with a message if there is no such argument, or the kernel
 * cannot fetch it.
 */
char *program_operand(const char *words, uint32_t argument, char type[8], struct error *err);

struct program_frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* of the source; NULL: unknown */
	uint32_t line;        /* 0: unknown */
	bool is_inline;       /* it was inlined into the function of the next frame */
};

/*
 * Calls back with the function at this offset in the file, after the functions that were inlined into it, the innermost first.
 * is_return: the offset is a return address. Returns their number; 0: unknown. Frames are lent for the call.
 */
uint32_t program_frames(struct program *program, uint64_t offset, bool is_return,
			void (*call)(void *context, const struct program_frame *frame),
			void *context);

/* The kernel's functions, from an open /proc/kallsyms. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_read(int fd);
/* Returns the function that contains the address, lent; NULL: unknown. */
const char *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address);
void kernel_symbols_free(struct kernel_symbols *symbols);
