/*
 * marker: static probes (SDT). Each is a note with three addresses (of the probe, of a section that prelink(8) may have moved,
 * and of the semaphore) and three texts (provider, name and arguments).
 */
#include "program.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/nearest.h>
#include <stdio.h>
#include <string.h>

enum { SDT_TYPE = 3, NAME_SIZE = 128, ADDRESSES = 3 };

struct note {
	uint64_t address[ADDRESSES]; /* probe, base, semaphore */
	const char *provider, *name, *words;
};

struct search {
	const char *provider, *name;
	uint32_t notes;
	int found;
	struct nearest nearest;
	char best[NAME_SIZE];
};

/* Returns the text and the position after it, or NULL if it does not end. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static bool read_note(const char *at, size_t size, struct note *note)
{
	const char *end = at + size;

	if (size < sizeof(note->address))
		return false;
	memcpy(note->address, at, sizeof(note->address));
	at += sizeof(note->address);
	note->provider = take_text(&at, end);
	note->name = note->provider ? take_text(&at, end) : NULL;
	note->words = note->name ? take_text(&at, end) : NULL;
	return note->words;
}

static bool find_section(const struct program *program, const char *wanted, Elf_Scn **section,
			 GElf_Shdr *header)
{
	size_t names;

	*section = NULL;
	if (elf_getshdrstrndx(program->elf, &names))
		return false;
	while ((*section = elf_nextscn(program->elf, *section))) {
		const char *name = gelf_getshdr(*section, header)
					   ? elf_strptr(program->elf, names, header->sh_name)
					   : NULL;

		if (name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

static bool is_it(struct search *search, const struct note *note)
{
	char full[NAME_SIZE];

	search->notes++;
	if (!strcmp(note->provider, search->provider) && !strcmp(note->name, search->name))
		return true;
	snprintf(full, sizeof(full), "%s:%s", note->provider, note->name);
	nearest_try(&search->nearest, full);
	if (search->nearest.best == full) {
		memcpy(search->best, full, sizeof(full));
		search->nearest.best = search->best;
	}
	return false;
}

static bool point_of(const struct program *program, const struct note *note, uint64_t moved,
		     struct probe_point *point)
{
	*point = (struct probe_point){.words = note->words};
	return program_offset(program, note->address[0] + moved, &point->offset) &&
	       (!note->address[2] ||
		program_offset(program, note->address[2] + moved, &point->semaphore));
}

static int refuse(const struct program *program, const struct search *search, struct error *err)
{
	if (!search->notes)
		return error_say(err, ENOENT, "%s: it has no static probes (SDT)", program->name);
	return error_say(err, ENOENT, "%s: there is no static probe '%s:%s'%s%s%s", program->name,
			 search->provider, search->name,
			 search->nearest.best ? "; did you mean '" : "",
			 search->nearest.best ? search->best : "",
			 search->nearest.best ? "'?" : "");
}

int program_markers(struct program *program, const char *provider, const char *name,
		    void (*call)(void *context, const struct probe_point *point), void *context,
		    struct error *err)
{
	struct search search = {.provider = provider, .name = name};
	size_t offset = 0, next, name_at, at;
	char wanted[NAME_SIZE];
	Elf_Data *data = NULL;
	Elf_Scn *section;
	GElf_Shdr header;
	GElf_Nhdr one;
	uint64_t base = 0;

	snprintf(wanted, sizeof(wanted), "%s:%s", provider, name);
	nearest_init(&search.nearest, wanted);
	if (find_section(program, ".stapsdt.base", &section, &header))
		base = header.sh_addr;
	if (find_section(program, ".note.stapsdt", &section, &header))
		data = elf_getdata(section, NULL);
	for (; data && (next = gelf_getnote(data, offset, &one, &name_at, &at)); offset = next) {
		struct probe_point point;
		struct note note;

		if (one.n_type != SDT_TYPE ||
		    !read_note((const char *)data->d_buf + at, one.n_descsz, &note) ||
		    !is_it(&search, &note) ||
		    !point_of(program, &note, base ? base - note.address[1] : 0, &point))
			continue;
		search.found++;
		call(context, &point);
	}
	return search.found ? search.found : refuse(program, &search, err);
}
