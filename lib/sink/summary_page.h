/*
 * summary_page: the tables of the summary for people. Each prints nothing if there is nothing to tell.
 */
#ifndef IOTRACE_SUMMARY_PAGE_H
#define IOTRACE_SUMMARY_PAGE_H

#include "page.h"
#include "summary.h"

#ifdef __cplusplus
extern "C" {
#endif

void summary_processes(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_files(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_calls(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_devices(const struct summary *summary, const struct page *page, uint32_t rows);
void summary_groups(const struct summary *summary, const struct page *page, uint32_t rows);

#ifdef __cplusplus
}
#endif
#endif
