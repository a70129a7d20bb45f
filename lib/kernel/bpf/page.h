/*
 * page: what counts in pages.
 */
#ifndef BPF_PAGE_H
#define BPF_PAGE_H

#include "kernel.h"

/* Weak: the files that include this are linked to one object. */
const volatile uint32_t page_shift __weak;

#endif
