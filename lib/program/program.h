/* program: what the files of this layer share. */
#pragma once

#include <elfutils/libdwfl.h>
#include <iotrace/program.h>

struct program {
	char *name;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;         /* the file itself; owned by the module */
	GElf_Addr bias;   /* difference between dwfl's addresses and those of the file */
	bool has_symbols; /* has a full symbol table, not only exported symbols */
};

/* Converts an address of the file to an offset, and back. Returns false if the file has nothing there. */
bool program_offset(const struct program *program, uint64_t address, uint64_t *offset);
bool program_address(const struct program *program, uint64_t offset, uint64_t *address);
