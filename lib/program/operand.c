/*
 * operand: the locations of arguments of functions and static probes, in the syntax of the kernel's uprobe_events.
 *
 * A static probe uses the assembler's syntax of operands: "-4@%eax" is a signed number of 4 bytes, "8@-16(%rbp)" is in memory,
 * "4@$5" is a constant. The kernel cannot fetch other operands, such as those with an index register or a global variable.
 */
#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
static const char *const registers[] = {"%di", "%si", "%dx", "%cx", "%r8", "%r9"};
#elif defined(__aarch64__)
static const char *const registers[] = {"%x0", "%x1", "%x2", "%x3", "%x4", "%x5"};
#elif defined(__powerpc64__)
static const char *const registers[] = {"%gpr3", "%gpr4", "%gpr5", "%gpr6", "%gpr7", "%gpr8"};
#elif defined(__riscv)
static const char *const registers[] = {"%a0", "%a1", "%a2", "%a3", "%a4", "%a5"};
#elif defined(__s390x__)
static const char *const registers[] = {"%r2", "%r3", "%r4", "%r5", "%r6"};
#else
static const char *const registers[] = {NULL};
#endif

enum { NAME_SIZE = 8, WORD_SIZE = 64 };

const char *program_register(uint32_t argument)
{
	return argument && argument <= sizeof(registers) / sizeof(*registers)
		       ? registers[argument - 1]
		       : NULL;
}

/*
 * The kernel knows whole registers only: "eax", "ax", "al" and "rax" are its "ax"; "r8d" is "r8". Returns the length of the name
 * that was read.
 */
static size_t take_register(const char *at, char name[NAME_SIZE])
{
	size_t length = 0, used;

	while (isalnum((unsigned char)at[length]))
		length++;
	used = length;
	if (!length || length >= NAME_SIZE)
		return 0;
	memcpy(name, at, length);
	name[length] = '\0';
#if defined(__x86_64__)
	if (*name == 'r' && isdigit((unsigned char)name[1]))
		name[1 + strspn(name + 1, "0123456789")] = '\0';
	else if (length == 3 && (*name == 'r' || *name == 'e'))
		memmove(name, name + 1, length);
	else if (length == 2 && name[1] == 'l')
		name[1] = 'x';
	else if (length == 3 && name[2] == 'l')
		name[2] = '\0';
#elif defined(__aarch64__)
	if (*name == 'w')
		*name = 'x';
#endif
	return used;
}

#if defined(__aarch64__)
/* Translates "x0", "[sp, 16]", "[x1]", "5". */
static char *translate(const char *at)
{
	char name[NAME_SIZE];
	long offset = 0;
	size_t length;
	char *end;

	if (*at != '[') {
		offset = strtol(at, &end, 0);
		if (end != at && !*end)
			return mem_format("\\%ld", offset);
		length = take_register(at, name);
		return length && !at[length] ? mem_format("%%%s", name) : NULL;
	}
	length = take_register(at + 1, name);
	at += 1 + length;
	if (*at == ',')
		offset = strtol(at + 1, &end, 0);
	else
		end = (char *)(uintptr_t)at;
	return length && !strcmp(end, "]") ? mem_format("%+ld(%%%s)", offset, name) : NULL;
}
#else
/* Translates "%eax", "-16(%rbp)", "(%rax)", "$5". */
static char *translate(const char *at)
{
	char name[NAME_SIZE];
	size_t length;
	long offset;
	char *end;

	if (*at == '%') {
		length = take_register(at + 1, name);
		return length && !at[1 + length] ? mem_format("%%%s", name) : NULL;
	}
	offset = strtol(*at == '$' ? at + 1 : at, &end, 0);
	if (*at == '$')
		return *end ? NULL : mem_format("\\%ld", offset);
	if (strncmp(end, "(%", 2) != 0)
		return NULL;
	length = take_register(end + 2, name);
	if (!length || strcmp(end + 2 + length, ")") != 0 || !strcmp(name, "ip"))
		return NULL;
	return mem_format("%+ld(%%%s)", offset, name);
}
#endif

/* Copies word `index` (from 1) of the words. A blank inside brackets does not separate words. */
static bool copy_word(const char *words, uint32_t index, char word[WORD_SIZE])
{
	bool is_inside = false;
	size_t length = 0;

	for (; *words; words++) {
		is_inside = *words == '[' || (is_inside && *words != ']');
		if (*words == ' ' && !is_inside) {
			index -= words[1] && words[1] != ' ';
			continue;
		}
		if (index == 1 && *words != ' ') {
			if (length + 1 == WORD_SIZE)
				return false;
			word[length++] = *words;
		}
	}
	word[length] = '\0';
	return length;
}

char *program_operand(const char *words, uint32_t argument, char type[8], struct error *err)
{
	char word[WORD_SIZE], *end, *operand;
	long size;

	if (!copy_word(words, argument, word)) {
		error_say(err, ENOENT, "the static probe has no arg%u; its arguments are: %s",
			  argument, *words ? words : "none");
		return NULL;
	}
	size = strtol(word, &end, 10);
	operand = *end == '@' && (labs(size) == 1 || labs(size) == 2 || labs(size) == 4 ||
				  labs(size) == 8)
			  ? translate(end + 1)
			  : NULL;
	if (!operand)
		error_say(err, ENOTSUP,
			  "arg%u of the static probe is '%s', which the kernel cannot fetch",
			  argument, word);
	else
		snprintf(type, 8, "%c%ld", size < 0 ? 's' : 'u', labs(size) * 8);
	return operand;
}
