/* number_name: names of numbers that are in no format of the kernel: "group FIELD as TABLE". */
#pragma once

#include <stdint.h>

/*
 * Returns the name of the number in the table, such as "OPEN". Returns NULL if the table does not exist or does not have the
 * number.
 */
const char *number_name(const char *table, uint64_t number);
