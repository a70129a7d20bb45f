/*
 * Private to the files that write definitions: strings on demand, and the references of the system
 * tree.
 *
 * A string is defined just before the first definition that uses it.
 */
#ifndef OTF2_DEFS_H
#define OTF2_DEFS_H

#include "otf2.h"

enum { NODE_MACHINE, NODE_HOST }; /* SystemTreeNodeRefs */

OTF2_StringRef define_string(struct sink *sink, const char *bytes, size_t length);
OTF2_StringRef define_text(struct sink *sink, const char *text);
OTF2_StringRef define_model(struct sink *sink, str_id id);
/* The words of an argv, with a space between. */
OTF2_StringRef define_words(struct sink *sink, str_id argv);

#endif
