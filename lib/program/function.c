/*
 * function: finds functions by their names.
 */
#include "program.h"

#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const char *name;
	uint64_t address, other; /* other: another function with the same name */
	uint32_t found;
	uint32_t functions;
	struct nearest nearest;
};

/* A symbol's name may have a version: "name@VERSION", "name@@VERSION". */
static bool is_called(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(symbol, name, length) && (!symbol[length] || symbol[length] == '@');
}

static void look_at(struct search *search, const char *symbol, uint64_t address)
{
	search->functions++;
	if (!is_called(symbol, search->name)) {
		/* The compiler splits functions into parts with a '.' in their names. */
		if (!strchr(symbol, '.'))
			nearest_try(&search->nearest, symbol);
		return;
	}
	if (search->found && search->address != address)
		search->other = address;
	else
		search->address = address;
	search->found++;
}

static void look_at_all(struct program *program, struct search *search)
{
	int symbols = dwfl_module_getsymtab(program->module);

	for (int i = 1; i < symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(program->module, i, &symbol, &address,
							   &section, NULL, NULL);

		if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
			program->has_symbols = true;
		if (name && section != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			look_at(search, name, address - program->bias);
	}
}

static int refuse(const struct program *program, const struct search *search, struct error *err)
{
	if (!search->functions) {
		error_say(err, ENOENT, "%s: it is stripped, so it has no function '%s'",
			  program->name, search->name);
	} else {
		error_say(err, ENOENT, "%s: there is no function '%s'%s%s%s%s", program->name,
			  search->name, program->has_symbols ? "" : " among those that it exports",
			  search->nearest.best ? "; did you mean '" : "",
			  search->nearest.best ? search->nearest.best : "",
			  search->nearest.best ? "'?" : "");
	}
	if (!program->has_symbols)
		error_hint(err,
			   "It is stripped: install its debug information, or give the address, "
			   "0x1234, in place of the name");
	return -ENOENT;
}

static int find(struct program *program, const char *name, uint64_t *address, struct error *err)
{
	struct search search = {.name = name};

	nearest_init(&search.nearest, name);
	look_at_all(program, &search);
	if (!search.found)
		return refuse(program, &search, err);
	if (search.other) {
		error_say(err, EINVAL,
			  "%s: several functions are called '%s', at 0x%" PRIx64 " and 0x%" PRIx64,
			  program->name, name, search.address, search.other);
		error_hint(err, "Give the address in place of the name");
		return -EINVAL;
	}
	*address = search.address;
	return 0;
}

int program_function(struct program *program, const char *symbol, struct probe_point *point,
		     struct error *err)
{
	size_t length = strcspn(symbol, "+");
	char *name = mem_format("%.*s", (int)length, symbol), *end;
	uint64_t address = strtoull(name, &end, 16), more = 0;
	int code = 0;

	*point = (struct probe_point){0};
	if (strncmp(name, "0x", 2) != 0 || *end)
		code = find(program, name, &address, err);
	free(name);
	end = NULL;
	if (!code && symbol[length])
		more = strtoull(symbol + length + 1, &end, 0);
	if (!code && end && (*end || end == symbol + length + 1))
		code = error_say(err, EINVAL, "'%s': expected a number after '+'", symbol);
	if (!code && !program_offset(program, address + more, &point->offset))
		code = error_say(err, ENOENT, "%s: it has no code at 0x%" PRIx64, program->name,
				 address + more);
	return code;
}
