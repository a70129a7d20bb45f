/* arch_here: the architecture that this is built for: its row in arch.c, and its column in call_numbers.def. */
#pragma once

#if defined(__x86_64__) && defined(__LP64__)
#define ARCH_HERE                              X86_64
#define HERE_OF(x86_64, generic, ppc64, s390x) x86_64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH_HERE                              PPC64LE
#define HERE_OF(x86_64, generic, ppc64, s390x) ppc64
#elif defined(__powerpc64__)
#define ARCH_HERE                              PPC64
#define HERE_OF(x86_64, generic, ppc64, s390x) ppc64
#elif defined(__s390x__)
#define ARCH_HERE                              S390X
#define HERE_OF(x86_64, generic, ppc64, s390x) s390x
#else
#define HERE_OF(x86_64, generic, ppc64, s390x) generic
#if defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH_HERE AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH_HERE RISCV64
#elif defined(__loongarch64)
#define ARCH_HERE LOONGARCH64
#else
#error "the numbers of this machine's system calls: add a column to call_numbers.def, and a row to arch.c"
#endif
#endif
