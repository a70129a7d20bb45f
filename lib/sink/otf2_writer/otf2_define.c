/* otf2_define: strings of definitions. */
#include "otf2_define.h"

#include <iotrace/cold.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

/* A failure shows in library_code: who wants a string could do nothing about it. */
void define_new_strings(struct sink *sink)
{
	while (sink->strings_written < strtab_count(sink->strings)) {
		OTF2_GlobalDefWriter_WriteString(sink->definitions, sink->strings_written,
						 otf2_final_text(sink, sink->strings_written));
		cold_pass(trace_cold(sink->trace), sink->strings_written++);
	}
}

OTF2_StringRef define_string(struct sink *sink, const char *bytes, size_t length)
{
	OTF2_StringRef ref = otf2_string(sink, bytes, length);

	define_new_strings(sink);
	return ref;
}

OTF2_StringRef define_text(struct sink *sink, const char *text)
{
	return define_string(sink, text, strlen(text));
}

OTF2_StringRef define_str(struct sink *sink, str_id id)
{
	const struct strtab *strings = trace_strings(sink->trace);

	return define_string(sink, strtab_text(strings, id), strtab_length(strings, id));
}

OTF2_StringRef define_words(struct sink *sink, str_id argv, bool is_cut)
{
	const struct strtab *strings = trace_strings(sink->trace);
	uint32_t length = strtab_length(strings, argv);
	char *line = mem_dup(strtab_text(strings, argv), (size_t)length + 1);

	while (length && line[length - 1] == '\0')
		length--;
	for (uint32_t i = 0; i < length; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	char *text = mem_format("%.*s%s", (int)length, line, is_cut ? " [...]" : "");
	OTF2_StringRef ref = define_text(sink, text);

	free(text);
	free(line);
	return ref;
}
