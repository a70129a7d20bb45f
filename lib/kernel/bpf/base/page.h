/* page: sizes in pages, and the flags of pages. */
#pragma once

#include "kernel.h"

/* Their values are those of the running kernel. */
enum pageflags { PG_writeback = 1, PG_uptodate = 3, PG_head = 6 };

const volatile uint32_t page_shift;
