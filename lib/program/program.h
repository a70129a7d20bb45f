/* program: what the files of this layer share. */
#pragma once

#include <elfutils/libdwfl.h>
#include <iotrace/program.h>

/* The ranges of code of all compilation units, in the order of their addresses. Initially all 0. */
struct units {
	struct unit_range *range;
	uint32_t count, cap;
	bool are_read;
};

struct program {
	char *name;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;         /* the file itself; owned by the module */
	GElf_Addr bias;   /* difference between dwfl's addresses and those of the file */
	bool has_symbols; /* has a full symbol table, not only exported symbols */
	struct units units;
};

/* Converts an address of the file to an offset, and back. Returns false if the file has nothing there. */
bool program_offset(const struct program *program, uint64_t address, uint64_t *offset);
bool program_address(const struct program *program, uint64_t offset, uint64_t *address);

/*
 * Finds the compilation unit of an address of dwfl, and the difference between dwfl's addresses and those of the unit. Returns false if
 * there is none.
 */
bool program_unit(struct program *program, Dwarf_Addr address, Dwarf_Die *unit, Dwarf_Addr *bias);
void program_forget_units(struct program *program);
