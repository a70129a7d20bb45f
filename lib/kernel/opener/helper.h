/*
 * helper: what runs in the opener's process.
 */
#ifndef KERNEL_OPENER_HELPER_H
#define KERNEL_OPENER_HELPER_H

#include "opener.h"

/* Answers requests until the other end of the socket is closed; then the process ends. */
void __attribute__((noreturn)) helper_main(int socket, const struct opener_table *table);

#endif
