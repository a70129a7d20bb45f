/*
 * frames: finds the function and the source line of an instruction, and the functions that it was inlined into.
 */
#include "program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

struct walk {
	void (*call)(void *context, const struct program_frame *frame);
	void *context;
	struct program_frame next; /* its function is not yet known */
	uint32_t frames;
};

static void put(struct walk *walk, const char *function, bool is_inline)
{
	walk->next.function = function;
	walk->next.is_inline = is_inline;
	walk->call(walk->context, &walk->next);
	walk->frames++;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

/* The place where the function was inlined is the line of the next frame. */
static void take_call_site(struct walk *walk, Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	size_t count;

	dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file);
	dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line);
	walk->next = (struct program_frame){.line = (uint32_t)line};
	if (!dwarf_getsrcfiles(unit, &files, &count) && file < count)
		walk->next.file = dwarf_filesrc(files, file, NULL, NULL);
}

/* Returns the scopes of an instruction, as they contain each other in the code instead of in the source. */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
	Dwarf_Die innermost;
	int count = dwarf_getscopes(unit, address, scopes);

	if (count <= 0)
		return 0;
	innermost = (*scopes)[0];
	free(*scopes);
	*scopes = NULL;
	count = dwarf_getscopes_die(&innermost, scopes);
	return count > 0 ? count : 0;
}

static void walk_scopes(struct walk *walk, Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Die *scopes = NULL;
	int count = find_scopes(unit, address, &scopes);

	for (int i = 0; i < count; i++) {
		bool is_inline = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;

		if (!is_function(&scopes[i]))
			continue;
		put(walk, name_of(&scopes[i]), is_inline);
		if (!is_inline)
			break;
		take_call_site(walk, unit, &scopes[i]);
	}
	free(scopes);
}

static void take_line(struct walk *walk, Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!line)
		return;
	walk->next.file = dwarf_linesrc(line, NULL, NULL);
	dwarf_lineno(line, &number);
	walk->next.line = (uint32_t)number;
}

uint32_t program_frames(struct program *program, uint64_t offset, bool is_return,
			void (*call)(void *context, const struct program_frame *frame),
			void *context)
{
	struct walk walk = {.call = call, .context = context};
	Dwarf_Addr bias = 0, address;
	const char *symbol;
	Dwarf_Die unit;

	if (!program_address(program, offset, &address))
		return 0;
	address += program->bias;
	address -= is_return; /* the call instruction is before the return address */
	if (program_unit(program, address, &unit, &bias)) {
		take_line(&walk, &unit, address - bias);
		walk_scopes(&walk, &unit, address - bias);
	}
	symbol = walk.frames ? NULL : dwfl_module_addrname(program->module, address);
	if (!walk.frames && (symbol || walk.next.file))
		put(&walk, symbol, false);
	return walk.frames;
}
