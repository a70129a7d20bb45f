/* number_name: names of numbers that no format of the kernel has: "group FIELD as TABLE". */
#pragma once

#include <stdint.h>

/* Returns the name of the number in the table, "OPEN", or NULL: there is no such table, or it has no such number. */
const char *number_name(const char *table, uint64_t number);
