/* machine: what is known of the whole machine. */
#pragma once

#include "proc/facts.h"
#include "proc/procfs.h"

/* Adds the facts MEMORY and PRESSURE, if the kernel provides them. */
void machine_sample(const struct procfs *proc, struct facts *facts);
/* Returns for how long, in us since boot, at least one task waited for a CPU; 0: the kernel does not say. */
uint64_t machine_cpu_some(const struct procfs *proc);
