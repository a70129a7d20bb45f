/* read_name: names in archives of iotrace contain numbers: "1234 cat" is process 1234. */
#include "reader.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Parses "8:16". */
uint32_t read_device_number(const char *text)
{
	char *end;
	unsigned long high = strtoul(text, &end, 10);

	return *end == ':' ? (uint32_t)makedev(high, strtoul(end + 1, NULL, 10)) : 0;
}

/* Removes everything before `end` from the name. */
static void shorten(struct reader *r, str_id *name, const char *end)
{
	char *rest = mem_strdup(end); /* a copy, because the table of strings may move */

	*name = trace_string(r->trace, rest, strlen(rest));
	free(rest);
}

/* Removes the number from "1234 cat", and returns it; 0 if there is none. */
static uint32_t take_number(struct reader *r, const char *before, str_id *name)
{
	const char *text = trace_text(r->trace, *name);
	size_t length = strlen(before);
	char *end;
	unsigned long number;

	if (strncmp(text, before, length) != 0 || text[length] < '0' || text[length] > '9')
		return 0;
	number = strtoul(text + length, &end, 10);
	if (*end != ' ' || number > UINT32_MAX)
		return 0;
	shorten(r, name, end + 1);
	return (uint32_t)number;
}

/* Removes "rank 3: ". Returns whether it was there. */
static bool take_rank(struct reader *r, str_id *name, struct trace_rank *rank)
{
	const char *text = trace_text(r->trace, *name);
	char *end;

	if (strncmp(text, "rank ", 5) != 0 || text[5] < '0' || text[5] > '9')
		return false;
	rank->number = (uint32_t)strtoul(text + 5, &end, 10);
	if (strncmp(end, ": ", 2) != 0)
		return false;
	rank->is_known = true;
	shorten(r, name, end + 2);
	return true;
}

/* Like take_number(), for "cat (1234)". */
static uint32_t take_number_behind(struct reader *r, str_id *name)
{
	char *text = mem_strdup(trace_text(r->trace, *name)), *open = strrchr(text, '('),
	     *end = NULL;
	unsigned long number = open ? strtoul(open + 1, &end, 10) : 0;
	bool is_there = open > text && end > open + 1 && !strcmp(end, ")") && number <= UINT32_MAX;

	if (is_there) {
		open[-1] = '\0';
		shorten(r, name, text);
	}
	free(text);
	return is_there ? (uint32_t)number : 0;
}

void read_name_process(struct reader *r, struct trace_process *process)
{
	if (read_is(r, process->name, "machine"))
		process->kind = TRACE_MACHINE;
	else if (take_rank(r, &process->name, &process->rank))
		process->pid = take_number_behind(r, &process->name);
	else
		process->pid = take_number(r, "", &process->name);
}

void read_name_thread(struct reader *r, struct trace_thread *thread)
{
	struct trace_rank rank;

	take_rank(r, &thread->name, &rank);
	thread->tid = take_number(r, "thread ", &thread->name);
}
