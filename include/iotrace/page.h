/* page: errors when iotrace reads back its own mapped files (cold.h). */
#pragma once

/* From now on, if a page of a mapped file cannot be read back, the process ends with a message and status 125. */
void page_guard(void);
