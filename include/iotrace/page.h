/*
 * page: what iotrace keeps in mapped files of its own (cold.h), and cannot read back.
 */
#pragma once

/* From here on a page of a mapped file that the disk does not give back ends the process with a sentence and status 125. */
void page_guard(void);
