/* otf2_text: strings of the archive, by their ids. Bytes that are not valid UTF-8 are escaped. */
#include "otf2_text.h"

#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <string.h>

enum { ARGUMENTS_MOST = 4096 }; /* arguments of a program: a record must fit into a buffer */

static const char words_cut[] = "[...]";

OTF2_StringRef otf2_string(struct sink *sink, const char *bytes, size_t length)
{
	size_t escaped = escape_utf8(sink->scratch, SCRATCH_SIZE / 2, bytes, length);

	return strtab_add(sink->strings, sink->scratch, escaped);
}

OTF2_StringRef otf2_text(struct sink *sink, const char *text)
{
	return otf2_string(sink, text, strlen(text));
}

OTF2_StringRef otf2_trace_string(struct sink *sink, str_id id)
{
	const struct strtab *strings = trace_strings(sink->trace);

	return otf2_string(sink, strtab_text(strings, id), strtab_length(strings, id));
}

OTF2_StringRef otf2_known_string(struct sink *sink, str_id id)
{
	MEM_GROW(sink->ref_of_string, sink->ref_of_string_capacity, id + 1);
	if (!sink->ref_of_string[id])
		sink->ref_of_string[id] = otf2_trace_string(sink, id) + 1;
	return sink->ref_of_string[id] - 1;
}

OTF2_StringRef otf2_cgroup_string(struct sink *sink, uint32_t cgroup)
{
	const struct trace_cgroup *group = trace_cgroup(sink->trace, cgroup);
	OTF2_StringRef ref = otf2_known_string(sink, group->name);

	if (!group->is_known)
		map_set(&sink->cgroup_of_ref, ref, cgroup);
	return ref;
}

const char *otf2_final_text(struct sink *sink, OTF2_StringRef string)
{
	uint32_t cgroup = map_get(&sink->cgroup_of_ref, string);
	const struct strtab *strings = trace_strings(sink->trace);

	if (cgroup == MAP_NONE)
		return strtab_text(sink->strings, string);
	str_id name = trace_cgroup(sink->trace, cgroup)->name;

	escape_utf8(sink->scratch, SCRATCH_SIZE / 2, strtab_text(strings, name),
		    strtab_length(strings, name));
	return sink->scratch;
}

OTF2_StringRef *otf2_words(struct sink *sink, const struct trace_process *process, uint32_t *count)
{
	const struct strtab *strings = trace_strings(sink->trace);
	const char *at = strtab_text(strings, process->argv);
	const char *end = at + strtab_length(strings, process->argv), *stop;
	OTF2_StringRef *word = mem_array(ARGUMENTS_MOST + 1, sizeof(*word));

	*count = 0;
	if (at == end) {
		word[(*count)++] = otf2_trace_string(sink, process->name);
		return word;
	}
	do {
		stop = memchr(at, '\0', (size_t)(end - at));
		if (!stop)
			stop = end;
		word[(*count)++] = otf2_string(sink, at, (size_t)(stop - at));
		at = stop + 1;
	} while (stop < end && *count < ARGUMENTS_MOST);
	if (process->is_argv_cut || stop < end)
		word[(*count)++] = otf2_text(sink, words_cut);
	return word;
}
