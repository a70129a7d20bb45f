/* program: what the files of this layer share. */
#pragma once

#include <elfutils/libdwfl.h>
#include <iotrace/program.h>

struct program {
	char *name;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;         /* of the file itself; the module's */
	GElf_Addr bias;   /* what dwfl adds to the file's addresses */
	bool has_symbols; /* local ones, too: not only those that it exports */
};

/* Turns an address of the file into an offset, and back. Returns whether the file has something there. */
bool program_offset(const struct program *program, uint64_t address, uint64_t *offset);
bool program_address(const struct program *program, uint64_t offset, uint64_t *address);
