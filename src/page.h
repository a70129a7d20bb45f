/*
 * page: what iotrace keeps in mapped files of its own (cold.h), and cannot read back.
 */
#ifndef SRC_PAGE_H
#define SRC_PAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* From here on a page of a mapped file that the disk does not give back ends iotrace with a sentence. */
void page_guard(void);

#ifdef __cplusplus
}
#endif
#endif
