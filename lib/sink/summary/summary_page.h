/* summary_page: the tables of the summary for people. Each prints nothing if there is nothing to tell. */
#pragma once

#include "print/page.h"
#include "summary.h"

/* A command line may have thousands of bytes; this is enough where there are no columns. Paths stay whole there. */
enum { SUMMARY_COMMAND_MOST = 240 };

void summary_processes(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_files(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_calls(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_devices(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_groups(const struct summary *summary, const struct page *page, uint32_t rows);
