/*
 * static_probe: a static probe as <sys/sdt.h> makes one: a nop, and a note that says where it is, and where its arguments are.
 *
 * semaphore: "0", or the name of a variable. operands: "8@%0 -4@%1", followed by what %0 and %1 are, as assembler statements have them.
 */
#pragma once

#define STATIC_PROBE(provider, name, semaphore, operands, ...)                                     \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b\n"                                                      \
			 ".8byte 0\n"                                                              \
			 ".8byte " semaphore "\n"                                                  \
			 ".asciz \"" provider "\"\n"                                               \
			 ".asciz \"" name "\"\n"                                                   \
			 ".asciz \"" operands "\"\n"                                               \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n" ::__VA_ARGS__)
