/* summary_page: the tables of the summary for people. Empty tables are not printed. */
#pragma once

#include "print/page.h"
#include "summary.h"

/* Limit for command lines if the output has no columns; they may have thousands of bytes. Paths are not cut there. */
enum { SUMMARY_COMMAND_MOST = 240 };

void summary_processes(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_files(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_calls(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_devices(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_groups(const struct summary *summary, const struct page *page, uint32_t rows);
