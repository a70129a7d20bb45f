/*
 * environment: the kernel puts the arguments, the environment and the name of the program one after the other in memory, each
 * with its NUL (binfmt_elf, all versions). The loader removes variables from the list of pointers, but the texts stay.
 */
#include "environment.h"

#include <iotrace/mem.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { ENVIRONMENT_MAX = 64 << 20 }; /* more than execve(2) takes */

char **environment_with(char *const environment[], char *variable)
{
	uint32_t count = 0;
	char **list;

	while (environment[count])
		count++;
	list = mem_array(count + 2, sizeof(*list));
	list[0] = variable;
	memcpy(list + 1, environment, (count + 1) * sizeof(*list));
	return list;
}

static char **pointers_to(char *at, const char *end)
{
	char **list = NULL;
	uint32_t count = 0, capacity = 0;

	for (; at < end; at += strlen(at) + 1) {
		MEM_GROW(list, capacity, count + 1);
		list[count++] = at;
	}
	MEM_GROW(list, capacity, count + 1);
	list[count] = NULL;
	return list;
}

char **environment_of_caller(char *const argv[])
{
	char *program = (char *)getauxval(AT_EXECFN); /* it follows the environment in memory */
	char *const *last = argv;
	char *first;

	if (!getauxval(AT_SECURE))
		return environ;
	while (last[1])
		last++;
	first = *last + strlen(*last) + 1;
	if (!program || (uintptr_t)program - (uintptr_t)first > ENVIRONMENT_MAX)
		return environ;
	return pointers_to(first, program);
}
