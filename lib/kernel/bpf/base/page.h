/*
 * page: what counts in pages.
 */
#ifndef BPF_PAGE_H
#define BPF_PAGE_H

#include "kernel.h"

const volatile uint32_t page_shift;

#endif
