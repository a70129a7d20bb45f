/*
 * unit: finds the compilation unit of an instruction.
 *
 * libdw finds units by the section .debug_aranges, which clang does not write. For what it does not find, a table has the ranges that
 * the units themselves say. It is built once, because units are many and stacks are, too.
 */
#include "program.h"

#include <elfutils/libdw.h>
#include <iotrace/mem.h>
#include <stdlib.h>

struct unit_range {
	Dwarf_Addr low, high;
	Dwarf_Off unit;
};

static void add_unit(struct units *units, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		MEM_GROW(units->range, units->cap, units->count + 1);
		units->range[units->count++] = (struct unit_range){low, high,
								   dwarf_dieoffset(unit)};
	}
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *one = a, *two = b;

	return one->low < two->low ? -1 : one->low > two->low;
}

static void read_units(struct units *units, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	units->are_read = true;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		add_unit(units, &unit);
	if (units->count)
		qsort(units->range, units->count, sizeof(*units->range), compare);
}

/* Returns the last range that begins at the address or before it, if it contains the address. */
static const struct unit_range *range_of(const struct units *units, Dwarf_Addr address)
{
	uint32_t first = 0, last = units->count;

	while (first < last) {
		uint32_t middle = first + (last - first) / 2;

		if (units->range[middle].low <= address)
			first = middle + 1;
		else
			last = middle;
	}
	return first && address < units->range[first - 1].high ? &units->range[first - 1] : NULL;
}

bool program_unit(struct program *program, Dwarf_Addr address, Dwarf_Die *unit, Dwarf_Addr *bias)
{
	Dwarf_Die *known = dwfl_module_addrdie(program->module, address, bias);
	Dwarf *dwarf = dwfl_module_getdwarf(program->module, bias);
	const struct unit_range *range;

	if (known)
		*unit = *known;
	if (known || !dwarf)
		return known;
	if (!program->units.are_read)
		read_units(&program->units, dwarf);
	range = range_of(&program->units, address - *bias);
	return range && dwarf_offdie(dwarf, range->unit, unit);
}

void program_forget_units(struct program *program)
{
	free(program->units.range);
	program->units = (struct units){0};
}
