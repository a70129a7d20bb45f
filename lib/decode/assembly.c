/*
 * assembly: builds format files from facts, which contain them in parts.
 *
 * The parts of one format follow each other in the stream of facts; a missing part only makes its own format unusable.
 */
#include "state.h"

#include <iotrace/mem.h>
#include <stdlib.h>

enum { PARTS_MAX = 64 };

void assembly_release(struct assembly *a)
{
	free(a->system);
	free(a->name);
	free(a->text);
	*a = (struct assembly){.left = 0};
}

static bool is_same(const char *text, const struct fact_string *string)
{
	return strlen(text) == string->length && !memcmp(text, string->at, string->length);
}

static char *copy(const struct fact_string *string)
{
	return mem_format("%.*s", (int)string->length, string->length ? string->at : "");
}

/* Returns whether the part begins a format, or follows what is there. */
static bool assembly_accepts(struct assembly *a, const struct fact *fact, uint64_t part,
			     uint64_t parts)
{
	const struct fact_string *system = &fact->string[FACT_FORMAT_system];
	const struct fact_string *name = &fact->string[FACT_FORMAT_name];

	if (a->left && part == a->next && is_same(a->system, system) && is_same(a->name, name))
		return true;
	assembly_release(a);
	/* Writers may count parts from 0 or from 1. */
	if (part > 1 || !parts || parts > PARTS_MAX)
		return false;
	a->system = copy(system);
	a->name = copy(name);
	a->left = parts;
	return true;
}

static void assembly_finish(struct decode *d)
{
	struct assembly *a = &d->assembly;
	struct error err = {.code = 0};

	/* A hint is for a failed set-up, which does not apply here. */
	if (reader_add_format(d, a->system, a->text, a->size, &err))
		warning_add(d, mem_format("%s; its samples cannot be read.", err.text));
	assembly_release(a);
}

void assembly_add(struct decode *d, const struct fact *fact)
{
	const struct fact_string *text = &fact->string[FACT_FORMAT_text];
	uint64_t part = fact->number[FACT_FORMAT_part];
	uint64_t parts = fact->number[FACT_FORMAT_parts];
	struct assembly *a = &d->assembly;

	if (!d->waiting || !assembly_accepts(a, fact, part, parts))
		return;
	a->text = (char *)mem_resize(a->text, a->size + text->length + 1);
	if (text->length)
		memcpy(a->text + a->size, text->at, text->length);
	a->size += text->length;
	a->text[a->size] = 0;
	a->next = part + 1;
	if (!--a->left)
		assembly_finish(d);
}
