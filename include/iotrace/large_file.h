/*
 * large_file: the kernel's O_LARGEFILE, which glibc defines as 0 where it is implied.
 */
#pragma once

#include <fcntl.h>

/* Architectures give four flags these four bits, in different order. This is the one that is left. */
enum { LARGE_FILE = 0740000 & ~(O_DIRECT | O_DIRECTORY | O_NOFOLLOW) };
