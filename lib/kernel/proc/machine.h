/*
 * machine: what is sampled of the whole machine at each interval.
 */
#pragma once

#include "facts.h"
#include "procfs.h"

/* Adds the facts MEMORY and PRESSURE, as far as the kernel says them. */
void machine_sample(const struct procfs *proc, struct facts *facts);
