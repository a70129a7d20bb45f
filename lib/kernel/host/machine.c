/* machine: reads files of /proc. Those of pressure stall information are missing in some kernels. */
#include "machine.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 8192 };

/* Returns whether the line has a number behind the key, such as "Dirty:", or "full" ... "total=". */
static bool number_after(const char *text, const char *line, const char *key, uint64_t *number)
{
	const char *at = strstr(text, line);
	const char *end = at ? strchrnul(at + 1, '\n') : NULL;

	at = at ? strstr(at, key) : NULL;
	if (!at || at >= end)
		return false;
	*number = strtoull(at + strlen(key), NULL, 10);
	return true;
}

static void add_memory(const struct procfs *proc, struct facts *facts)
{
	struct fact fact = {.kind = FACT_MEMORY};
	char text[TEXT_SIZE];

	if (procfs_read(proc, text, sizeof(text), "meminfo") <= 0 ||
	    !number_after(text, "\nDirty:", "Dirty:", &fact.number[FACT_MEMORY_dirty]) ||
	    !number_after(text, "\nWriteback:", "Writeback:", &fact.number[FACT_MEMORY_writeback]))
		return;
	fact.number[FACT_MEMORY_dirty] <<= 10; /* the file says KiB */
	fact.number[FACT_MEMORY_writeback] <<= 10;
	facts_add(facts, &fact, 0, clock_now());
}

static void add_pressure(const struct procfs *proc, struct facts *facts)
{
	struct fact fact = {.kind = FACT_PRESSURE};
	char text[TEXT_SIZE];

	if (procfs_read(proc, text, sizeof(text), "pressure/io") <= 0 ||
	    !number_after(text, "some", "total=", &fact.number[FACT_PRESSURE_some_us]))
		return;
	number_after(text, "full", "total=", &fact.number[FACT_PRESSURE_full_us]);
	facts_add(facts, &fact, 0, clock_now());
}

uint64_t machine_cpu_some(const struct procfs *proc)
{
	char text[TEXT_SIZE];
	uint64_t some = 0;

	if (procfs_read(proc, text, sizeof(text), "pressure/cpu") > 0)
		number_after(text, "some", "total=", &some);
	return some;
}

void machine_sample(const struct procfs *proc, struct facts *facts)
{
	add_memory(proc, facts);
	add_pressure(proc, facts);
}
