/* large_file: the kernel's O_LARGEFILE. glibc defines it as 0 on architectures where it is implied. */
#pragma once

#include <fcntl.h>

/* All architectures use the same four bits for four flags, in different order. This is the remaining bit. */
enum { LARGE_FILE = 0740000 & ~(O_DIRECT | O_DIRECTORY | O_NOFOLLOW) };
