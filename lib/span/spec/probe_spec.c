/*
 * probe_spec: see <iotrace/probe_spec.h>.
 */
#include <iotrace/probe_spec.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/hash.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char of_function[] = "uprobe:", of_marker[] = "usdt:", of_return[] = "%return";

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

bool probe_spec_is(const char *word)
{
	return begins_with(word, of_function) || begins_with(word, of_marker);
}

/* Cuts off the text after the last colon, and the colon. Returns NULL if there is none, or no text after it. */
static char *take_last(char *text)
{
	char *colon = strrchr(text, ':');

	if (!colon || !colon[1])
		return NULL;
	*colon = '\0';
	return mem_strdup(colon + 1);
}

static void take_return(struct probe_spec *spec)
{
	size_t length = strlen(spec->symbol), more = strlen(of_return);

	spec->is_return = length > more && !strcmp(spec->symbol + length - more, of_return);
	if (spec->is_return)
		spec->symbol[length - more] = '\0';
}

static bool take_words(struct probe_spec *spec)
{
	char *last = take_last(spec->path);

	if (!last)
		return false;
	if (!spec->is_marker) {
		spec->symbol = last;
		take_return(spec);
		return *spec->path;
	}
	spec->name = last;
	spec->symbol = take_last(spec->path);
	return spec->symbol && *spec->path;
}

int probe_spec_parse(struct probe_spec *spec, const char *word, struct error *err)
{
	*spec = (struct probe_spec){.is_marker = begins_with(word, of_marker)};
	spec->path = mem_strdup(word + strlen(spec->is_marker ? of_marker : of_function));
	if (!take_words(spec))
		return error_say(err, EINVAL, "'%s' is not a probe: expected %s", word,
				 spec->is_marker ? "usdt:PATH:PROVIDER:NAME"
						 : "uprobe:PATH:SYMBOL[+OFFSET][%return]");
	if (spec->is_return && strchr(spec->symbol, '+'))
		return error_say(err, EINVAL, "'%s': %%return cannot be combined with an offset",
				 word);
	return 0;
}

void probe_spec_release(struct probe_spec *spec)
{
	free(spec->path);
	free(spec->symbol);
	free(spec->name);
	*spec = (struct probe_spec){0};
}

static const char *const types[] = {"u8",  "u16", "u32", "u64", "s8",  "s16",   "s32",
				    "s64", "x8",  "x16", "x32", "x64", "string"};

static bool take_type(struct probe_field *field, const char *text)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i], text) != 0)
			continue;
		memcpy(field->type, types[i], strlen(types[i]) + 1);
		return true;
	}
	return false;
}

/* Reads the base, "arg1" or "retval". Returns the text after it, or NULL. */
static const char *take_base(struct probe_field *field, const char *at)
{
	char *end;

	if (begins_with(at, "retval"))
		return at + strlen("retval");
	if (!begins_with(at, "arg") || !isdigit((unsigned char)at[3]))
		return NULL;
	field->argument = (uint32_t)strtoul(at + 3, &end, 10);
	return field->argument && field->argument <= PROBE_ARGS ? end : NULL;
}

/* Reads "+4(" and its contents. The outermost access is the last one. */
static const char *take_memory(struct probe_field *field, const char *at)
{
	int64_t offset[PROBE_DEPTH];
	uint32_t depth = 0;
	char *end;

	while (*at == '+' || *at == '-') {
		if (depth == PROBE_DEPTH || !isdigit((unsigned char)at[1]))
			return NULL;
		offset[depth++] = strtoll(at, &end, 0);
		if (*end != '(')
			return NULL;
		at = end + 1;
	}
	at = take_base(field, at);
	for (; at && field->depth < depth; field->depth++, at++) {
		if (*at != ')')
			return NULL;
		field->offset[field->depth] = offset[depth - 1 - field->depth];
	}
	return at;
}

/* Returns the word that was meant for the first one in the field that is none, or NULL. */
static const char *nearest_word(const char *text)
{
	static const char *const bases[] = {"arg1", "arg2",   "arg3", "arg4", "arg5", "arg6",
					    "arg7", "retval", "pid",  "tid",  "cpu",  "comm"};
	const char *base = strrchr(text, '(') ? strrchr(text, '(') + 1 : text;
	char word[PROBE_NAME_SIZE];
	struct nearest nearest;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(base, "):"), base);
	nearest_init(&nearest, word);
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (!strcmp(word, bases[i]))
			nearest.word = NULL;
	if (!nearest.word) { /* then it is the type */
		nearest_init(&nearest, strchr(base, ':') ? strchr(base, ':') + 1 : "");
		for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
			nearest_try(&nearest, types[i]);
		return nearest.best;
	}
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		nearest_try(&nearest, bases[i]);
	return nearest.best;
}

int probe_field_parse(struct probe_field *field, const char *text, struct error *err)
{
	const char *end, *meant;

	*field = (struct probe_field){0};
	end = take_memory(field, text);
	if (end && (!*end || (*end == ':' && take_type(field, end + 1)))) {
		if (strcmp(field->type, "string") != 0 || field->depth)
			return 0;
		return error_say(err, EINVAL, "'%s': a string is in memory; write +0(%.*s):string",
				 text, (int)(end - text), text);
	}
	meant = nearest_word(text);
	return error_say(
		err, EINVAL,
		"'%s' is not a field of a probe%s%s%s: expected arg1 to arg6, retval (with %%return), memory "
		"behind them such as +16(arg2):u64 or +0(+8(arg1)):string, pid, tid, cpu and comm; "
		"types are u8 to u64, s8 to s64, x8 to x64 and string",
		text, meant ? " (did you mean '" : "", meant ? meant : "", meant ? "'?)" : "");
}

void probe_field_name(const struct probe_field *field, char name[PROBE_NAME_SIZE])
{
	char *text = field->argument ? mem_format("arg%u", field->argument) : mem_strdup("retval");

	for (uint32_t i = 0; i < field->depth; i++)
		mem_append(&text, "_%s%" PRIu64, field->offset[i] < 0 ? "m" : "",
			   (uint64_t)llabs(field->offset[i]));
	if (*field->type)
		mem_append(&text, "_%s", field->type);
	if (strlen(text) < PROBE_NAME_SIZE)
		memcpy(name, text, strlen(text) + 1);
	else /* the kernel's limit */
		snprintf(name, PROBE_NAME_SIZE, "%.6s_%016" PRIx64, text,
			 hash_bytes((struct hash_key){1, 2}, text, strlen(text)));
	free(text);
}

char *probe_field_fetch(const struct probe_field *field, const char *base, const char *type)
{
	char *text = mem_strdup(base);

	for (uint32_t i = 0; i < field->depth; i++) {
		char *outer = mem_format("%+" PRId64 "(%s)", field->offset[i], text);

		free(text);
		text = outer;
	}
	mem_append(&text, ":%s", *field->type ? field->type : type);
	return text;
}
