/* machine: samples of the whole machine at each interval. */
#pragma once

#include "facts.h"
#include "procfs.h"

/* Adds the facts MEMORY and PRESSURE, if the kernel provides them. */
void machine_sample(const struct procfs *proc, struct facts *facts);
