/* bpf_span_name: groups that are texts, and those that are files. */
#include "bpf_span_private.h"

#include <iotrace/bpf_name.h>
#include <iotrace/event.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <string.h>

struct bpf_span_name {
	char room[BPF_NAME_ROOM], text[BPF_NAME_ROOM];
};

/* Programs may write other names at this moment, but never change one. */
static const char *name_of(struct bpf_span *span, uint64_t number)
{
	const struct bpf_part_file *part = (const void *)&span->names[number - 1];
	size_t size = part->part.size,
	       most = span->names_size - (number - 1) * sizeof(*span->names);
	struct event_string name = {0};

	if (!span->name)
		span->name = mem_zero(sizeof(*span->name));
	if (part->part.kind == BPF_SPAN_INODE) {
		snprintf(span->name->text, sizeof(span->name->text), "inode:[%u:%u %llu]",
			 part->major, part->minor, (unsigned long long)part->ino);
		return span->name->text;
	}
	if (size < sizeof(*part) || size > most ||
	    !bpf_file_name(span->name->room, part, (const char *)(part + 1), size - sizeof(*part),
			   &name) ||
	    !name.at)
		return "";
	memcpy(span->name->text, name.at, name.length);
	span->name->text[name.length] = '\0';
	return span->name->text;
}

const char *bpf_span_text(struct bpf_span *span, uint64_t group)
{
	const struct bpf_span_spec *spec = &span->plan.spec;

	if (spec->chunks && group == BPF_SPAN_RING)
		return "anon_inode:[io_uring]";
	if (spec->chunks)
		return group && group <= spec->chunks ? name_of(span, group) : "";
	if (!spec->has_group_text)
		return NULL;
	return span->texts + spec->text_size * (group <= spec->texts ? group : 0);
}
