/*
 * machine: what is sampled of the whole machine at each interval.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include "facts.h"
#include "procfs.h"

/* Adds the facts MEMORY and PRESSURE, as far as the kernel says them. */
void machine_sample(const struct procfs *proc, struct facts *facts);

#endif
