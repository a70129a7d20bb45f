/* page: sizes in pages. */
#pragma once

#include "kernel.h"

const volatile uint32_t page_shift;
