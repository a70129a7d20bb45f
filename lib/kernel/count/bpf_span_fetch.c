/* bpf_span_fetch: see bpf_span_fetch.h. */
#include "bpf_span_fetch.h"

#include <asm/ptrace.h>
#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/recording.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 8 };

/* A register as uprobe_events calls it, and its place among those that the kernel saves. */
struct saved_register {
	char name[NAME_SIZE];
	uint16_t at;
};

#if defined(__x86_64__)
#define ROW(name, field)                                                                           \
	{                                                                                          \
		name, offsetof(struct pt_regs, field)                                              \
	}
static const struct saved_register registers[] = {
	ROW("ax", rax),  ROW("bx", rbx),  ROW("cx", rcx),  ROW("dx", rdx),
	ROW("si", rsi),  ROW("di", rdi),  ROW("bp", rbp),  ROW("sp", rsp),
	ROW("r8", r8),   ROW("r9", r9),   ROW("r10", r10), ROW("r11", r11),
	ROW("r12", r12), ROW("r13", r13), ROW("r14", r14), ROW("r15", r15),
};
static const char of_result[] = "ax";
#elif defined(__aarch64__)
static const struct saved_register registers[] = {
	{"sp", offsetof(struct user_pt_regs, sp)},
};
static const char of_result[] = "x0";
#else
static const struct saved_register registers[] = {{"", 0}};
static const char of_result[] = "none";
#endif

static bool find_register(const char *name, size_t length, uint16_t *at)
{
#if defined(__aarch64__)
	char *end;
	unsigned long number = strtoul(name + 1, &end, 10);

	if (*name == 'x' && number < 31 && end == name + length) {
		*at = (uint16_t)(number * sizeof(uint64_t));
		return true;
	}
#endif
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		if (strlen(registers[i].name) != length ||
		    strncmp(registers[i].name, name, length) != 0)
			continue;
		*at = registers[i].at;
		return true;
	}
	return false;
}

static bool fits(long long number)
{
	return number >= INT32_MIN && number <= INT32_MAX;
}

/* Reads "%di", "$retval" or "\5". Returns the text after it, or NULL. */
static const char *take_base(struct bpf_span_fetch *fetch, const char *text)
{
	static const char result[] = "$retval";
	size_t length = strlen(result);
	long long number;
	char *end;

	if (!strncmp(text, result, length))
		return find_register(of_result, strlen(of_result), &fetch->at) ? text + length
									       : NULL;
	if (*text == '\\') {
		number = strtoll(text + 1, &end, 0);
		fetch->is_constant = 1;
		fetch->offset[0] = (int32_t)number;
		return fits(number) && !fetch->depth ? end : NULL;
	}
	if (*text != '%')
		return NULL;
	for (length = 0; isalnum((unsigned char)text[1 + length]);)
		length++;
	return find_register(text + 1, length, &fetch->at) ? text + 1 + length : NULL;
}

/* Reads "+4(+16(%si))". The first offset is that of the last access. Returns the text after it, or NULL. */
static const char *take_place(struct bpf_span_fetch *fetch, const char *text)
{
	int32_t offset[BPF_SPAN_DEPTH];
	char *end;

	while (*text == '+' || *text == '-') {
		/* A sign may follow: "+-16(%bp)". */
		long long number = strtoll(text + (text[1] == '-'), &end, 0);

		if (fetch->depth == BPF_SPAN_DEPTH || !fits(number) || *end != '(')
			return NULL;
		offset[fetch->depth++] = (int32_t)number;
		text = end + 1;
	}
	text = take_base(fetch, text);
	for (uint8_t i = 0; text && i < fetch->depth; i++, text++) {
		if (*text != ')')
			return NULL;
		fetch->offset[i] = offset[fetch->depth - 1 - i];
	}
	return text;
}

/* Reads ":u32", or ":string", whose last access is left to the programs. */
static bool take_type(struct bpf_span_fetch *fetch, const char *text)
{
	unsigned long bits = text[0] == ':' && text[1] && strchr("usx", text[1])
				     ? strtoul(text + 2, NULL, 10)
				     : 0;

	if (!strncmp(text, ":string", 7))
		return fetch->depth-- && !fetch->is_constant;
	fetch->is_signed = text[0] && text[1] == 's';
	fetch->size = (uint8_t)(bits / 8);
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* Returns the text behind "NAME=" in "NAME=FETCH:TYPE NAME=...", or NULL. */
static const char *find_name(const char *fields, const char *name)
{
	size_t length = strlen(name);

	while (*fields) {
		if (!strncmp(fields, name, length) && fields[length] == '=')
			return fields + length + 1;
		fields += strcspn(fields, " ");
		fields += strspn(fields, " ");
	}
	return NULL;
}

static int take_field(struct bpf_span_fetch *fetch, const struct recording_probe *probe,
		      const char *name, bool wants_text, struct error *err)
{
	const char *text = find_name(probe->fields, name);

	if (!text)
		return 0;
	*fetch = (struct bpf_span_fetch){0};
	text = take_place(fetch, text);
	if (!text || !take_type(fetch, text))
		return error_say(err, ENOTSUP, "its field '%s' is not a single number", name);
	if (wants_text != !fetch->size)
		return error_say(err, ENOTSUP, "its field '%s' is not a %s", name,
				 wants_text ? "text" : "single number");
	return 1;
}

struct bpf_span_found bpf_span_find_probe(const struct recording_probes *probes, const char *event)
{
	struct bpf_span_found found = {0};

	for (uint32_t i = 0; probes && event && i < probes->count; i++) {
		if (strcmp(probes->item[i].event, event) != 0)
			continue;
		if (!found.count++)
			found.probe = &probes->item[i];
	}
	return found;
}

/* Where all places have their fields in the same registers, it does not matter which one it is. */
static bool are_alike(const struct bpf_span_found *found)
{
	for (uint32_t i = 1; i < found->count; i++)
		if (strcmp(found->probe[i].fields, found->probe[0].fields) != 0)
			return false;
	return true;
}

int bpf_span_find_sites(struct bpf_span_probe *to, const struct bpf_span_found *found,
			struct error *err)
{
	uint32_t sites = are_alike(found) ? 1 : found->count;

	if (sites > BPF_SPAN_SITES)
		return error_say(err, ENOTSUP, "it is in %u places of the program", sites);
	to->sites = sites;
	for (uint32_t i = 0; i < sites; i++) {
		to->low[i] = (uint32_t)(found->probe[i].offset % BPF_SPAN_SITE);
		for (uint32_t k = 0; k < i; k++)
			if (to->low[k] == to->low[i])
				return error_say(err, ENOTSUP,
						 "two of its places cannot be told apart");
	}
	return 0;
}

int bpf_span_find_field(struct bpf_span_probe *to, const struct bpf_span_found *found,
			uint32_t number, const char *name, bool wants_text, struct error *err)
{
	int code = 1;

	for (uint32_t i = 0; i < to->sites && code > 0; i++)
		code = take_field(&to->site[i].field[number], &found->probe[i], name, wants_text,
				  err);
	return code;
}

int bpf_span_find_kept(struct bpf_span_entry *to, const struct bpf_span_found *found,
		       const struct bpf_span_wish *wish, uint8_t *kept, struct error *err)
{
	struct bpf_span_fetch fetch;
	int code = found->count ? take_field(&fetch, found->probe, wish->name, wish->is_text, err)
				: 0;

	if (code <= 0)
		return code;
	fetch.match = wish->match;
	for (*kept = 0; *kept < to->fields; (*kept)++)
		if (!memcmp(&to->field[*kept], &fetch, sizeof(fetch)))
			return 1;
	if (to->fields == BPF_SPAN_KEPT)
		return error_say(err, ENOTSUP, "it needs more than %d fields of its entry",
				 BPF_SPAN_KEPT);
	to->field[to->fields++] = fetch;
	return 1;
}
