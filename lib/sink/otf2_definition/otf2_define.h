/*
 * Private to the files that write definitions: strings, and the references of the system tree.
 *
 * A string is defined just before the first definition that uses it.
 */
#pragma once

#include "otf2_state.h"

enum {
	NODE_MACHINE,
	NODE_HOST,
	NODE_DEVICES
}; /* SystemTreeNodeRefs; the last one is that of the first device */

/* The first and the last time in the archive. */
struct otf2_span {
	uint64_t first, last;
};
struct otf2_span otf2_span(const struct sink *sink);

static inline bool is_good(OTF2_ErrorCode code)
{
	return code == OTF2_SUCCESS;
}

/* Writes the strings that are not yet written. */
void define_new_strings(struct sink *sink);
OTF2_StringRef define_string(struct sink *sink, const char *bytes, size_t length);
OTF2_StringRef define_text(struct sink *sink, const char *text);
OTF2_StringRef define_format(struct sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
OTF2_StringRef define_str(struct sink *sink, str_id id);
/* Joins the words of an argv with spaces, and appends "[...]" if words are missing. */
OTF2_StringRef define_words(struct sink *sink, str_id argv, bool is_cut);

/* A property of a node, a group or a file. It is written if is_known. */
struct property {
	const char *name;
	bool is_known;
	OTF2_Type type;
	OTF2_AttributeValue value;
};

/* Each returns a property that is known if the value is not 0. */
static inline struct property property_text(struct sink *sink, const char *name, str_id text)
{
	return (struct property){name,
				 text,
				 OTF2_TYPE_STRING,
				 {.stringRef = text ? define_str(sink, text) : 0}};
}

static inline struct property property_number(const char *name, uint64_t number)
{
	return (struct property){name, number, OTF2_TYPE_UINT64, {.uint64 = number}};
}

/* Writes the known properties of `ref`. `write` is the library's function for this kind of definition. */
bool define_properties(struct sink *sink,
		       OTF2_ErrorCode (*write)(OTF2_GlobalDefWriter *, uint32_t ref, OTF2_StringRef,
					       OTF2_Type, OTF2_AttributeValue),
		       uint32_t ref, const struct property *property, size_t count);

/* otf2_defs_device.c: the nodes of the block devices. */
bool otf2_write_devices(struct sink *sink);
/* Returns the name of the group or location of a device, or of the machine's samples. */
OTF2_StringRef define_device_group(struct sink *sink, const struct trace_process *group);
OTF2_StringRef define_device_location(struct sink *sink, const struct trace_thread *location);

/* otf2_defs_rank.c: the nodes of ranks, after those of devices. */
bool otf2_write_ranks(struct sink *sink);
/* Returns the node of a process: that of its rank, or the host's. */
OTF2_SystemTreeNodeRef otf2_node_of(const struct sink *sink, const struct trace_process *process);

/* otf2_defs_metric.c */
bool otf2_write_metrics(struct sink *sink);
